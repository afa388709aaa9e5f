/* SPDX-License-Identifier: MIT
 * fault.h: makes findings of what a kernel did wrong, and the sentences in them
 * that say where.
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
/* The source line of an access, and the line that computes its address. */
struct vgpu_source exec_access_source(struct machine *,
                                      const struct ptx_insn *);
/* exec_report in two steps, for findings with more members. exec_repeats: has
 * the instruction reported such a finding before? Then the repetition is
 * counted, and there is nothing else to do. exec_report_finding reports it. */
bool exec_repeats(struct context *, vgpu_finding_kind);
void exec_report_finding(struct context *, struct vgpu_finding *);
/* As exec_report, and ends the launch with the status. Returns false. */
bool exec_fault(struct context *, vgpu_status, vgpu_finding_kind,
                struct fault_at, const struct vgpu_message *);
/* Makes a message part that says where these bytes of global memory are: in
 * which array, or how far from one. */
void exec_say_place(struct context *, uint64_t address, uint32_t bytes,
                    struct vgpu_message *);
/* The same for bytes outside of this array. */
void exec_say_outside(const struct context *, const struct allocation *,
                      uint64_t address, struct vgpu_message *);
/* The same for shared memory. */
void exec_say_shared(const struct context *, uint64_t address,
                     struct vgpu_message *);
/* The same, in the shared memory of that block of the cluster. */
void exec_say_shared_of(const struct context *, const struct block *,
                        uint64_t address, struct vgpu_message *where);
/* If the kernel's shared memory is one array of fixed size: which of its
 * elements the address would be. False: it is not. */
bool exec_say_shared_element(const struct context *, int64_t address,
                             struct vgpu_message *);
/* The instruction's name for messages: its PTX form, or "__syncwarp()". */
const char *exec_form_name(const struct insn *);
/* The name of an array. */
void exec_say_array(const struct allocation *, struct vgpu_message *);
/* False: the address of shared memory is of another block, and the instruction
 * cannot go there, as it reports. */
bool exec_is_own_shared(struct context *, uint32_t lane, uint64_t address);
