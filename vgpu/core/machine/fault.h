/* SPDX-License-Identifier: MIT
 *
 * fault.h: reporting what a kernel did wrong.
 */
#pragma once

#include "machine.h"

/* Reports with kernel, line, block and thread of the lane filled in. */
void exec_report(struct context *, vgpu_finding_kind, uint32_t lane,
                 uint64_t address, uint32_t bytes, const char *format, ...)
    __attribute__((format(printf, 6, 7)));
/* Where an access stands, and what gives its address. */
struct vgpu_source exec_access_source(struct machine *,
                                      const struct ptx_insn *);
/* The same in two steps, for findings whose text is not made by a format.
 * First: has the instruction reported such a finding before? Then it is
 * counted, and that is all. Second: reports the finding. */
bool exec_repeats(struct context *, vgpu_finding_kind);
void exec_report_finding(struct context *, struct vgpu_finding *);
/* As exec_report, and the launch ends with the status. Always false. */
bool exec_fault(struct context *, vgpu_status, vgpu_finding_kind, uint32_t lane,
                uint64_t address, uint32_t bytes, const char *format, ...)
    __attribute__((format(printf, 7, 8)));
void exec_describe_address(struct context *, uint64_t address, uint32_t bytes,
                           char *out, size_t out_bytes);
