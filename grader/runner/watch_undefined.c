/* SPDX-License-Identifier: MIT
 *
 * watch_undefined.c: the functions that a program compiled with
 * -fsanitize=undefined calls where its behaviour is undefined (of gcc's and
 * clang's sanitizer, hence the names). Their arguments are not read: the
 * caller's line says enough. They return, so that the call goes on: an overflow
 * does not cost a check of something else.
 */
#include "watch.h"

#define HOOK   __attribute__((visibility("default"), used))
#define CALLER ((uintptr_t)__builtin_return_address(0))

static void undefined(uintptr_t pc) {
    if (watch.on && watch_thread_self())
        watch_found(WIRE_WATCH_UNDEFINED, pc, 0, 0);
}

#define GOES_ON(name)                                                          \
    HOOK void __ubsan_handle_##name(void);                                     \
    void __ubsan_handle_##name(void) {                                         \
        undefined(CALLER);                                                     \
    }
/* Behind such a call there is no code. */
#define ENDS(name)                                                             \
    HOOK void __ubsan_handle_##name(void);                                     \
    void __ubsan_handle_##name(void) {                                         \
        undefined(CALLER);                                                     \
        __builtin_trap();                                                      \
    }

GOES_ON(add_overflow)
GOES_ON(sub_overflow)
GOES_ON(mul_overflow)
GOES_ON(negate_overflow)
GOES_ON(divrem_overflow)
GOES_ON(shift_out_of_bounds)
GOES_ON(out_of_bounds)
GOES_ON(type_mismatch_v1)
GOES_ON(alignment_assumption)
GOES_ON(vla_bound_not_positive)
GOES_ON(float_cast_overflow)
GOES_ON(load_invalid_value)
GOES_ON(invalid_builtin)
GOES_ON(nonnull_arg)
GOES_ON(nonnull_return_v1)
GOES_ON(nullability_arg)
GOES_ON(nullability_return_v1)
GOES_ON(pointer_overflow)
GOES_ON(function_type_mismatch)
ENDS(builtin_unreachable)
ENDS(missing_return)
