// SPDX-License-Identifier: MIT
// What gcc links into each library from files of its own: how functions are
// registered that run when it is unloaded.
extern "C" {
void *__dso_handle = &__dso_handle;
int __cxa_atexit(void (*)(void *), void *, void *);
__attribute__((visibility("hidden"))) int atexit(void (*function)()) {
    return __cxa_atexit((void (*)(void *))function, nullptr, __dso_handle);
}
}
