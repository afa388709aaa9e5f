/* SPDX-License-Identifier: MIT
 *
 * fault.h: reporting what a kernel did wrong.
 */
#pragma once

#include "machine.h"

/* Where a finding is, beside the lane. */
struct fault_at {
    uint32_t lane;
    uint64_t address; /* 0: none */
    uint32_t bytes;
    vgpu_stray stray; /* out of bounds: what is known of the index */
    uint64_t array_bytes;
};
/* Reports with kernel, line, block and thread of the lane filled in. */
void exec_report(struct context *, vgpu_finding_kind, struct fault_at,
                 const struct vgpu_message *);
/* Where an access stands, and what gives its address. */
struct vgpu_source exec_access_source(struct machine *,
                                      const struct ptx_insn *);
/* The same in two steps, for findings that say more than where they are. First:
 * has the instruction reported such a finding before? Then it is counted, and
 * that is all. Second: reports the finding. */
bool exec_repeats(struct context *, vgpu_finding_kind);
void exec_report_finding(struct context *, struct vgpu_finding *);
/* As exec_report, and the launch ends with the status. Always false. */
bool exec_fault(struct context *, vgpu_status, vgpu_finding_kind,
                struct fault_at, const struct vgpu_message *);
/* The place of these bytes of global memory, for a message. */
void exec_say_place(struct context *, uint64_t address, uint32_t bytes,
                    struct vgpu_message *);
/* The same where the access leaves this array. */
void exec_say_outside(const struct context *, const struct allocation *,
                      uint64_t address, struct vgpu_message *);
/* The same of shared memory. */
void exec_say_shared(const struct context *, uint64_t address,
                     struct vgpu_message *);
/* Its element where a block has but one array: the index that went wrong.
 * False: there is no such array. */
bool exec_say_shared_element(const struct context *, int64_t address,
                             struct vgpu_message *);
/* The instruction as the source calls it, where that has a name of its own. */
const char *exec_form_name(const struct insn *);
/* The name of an array. */
void exec_say_array(const struct allocation *, struct vgpu_message *);
