/* SPDX-License-Identifier: MIT
 *
 * lab_cases.c: which cases a check has: sizes and values of parameters.
 */
#include "lab.h"

bool lab_check_has_size(const struct lab_check *c, size_t n) {
    for (size_t i = 0; i < c->n_sizes; i++)
        if (c->sizes[i] == n) return true;
    return false;
}

size_t lab_check_largest(const struct lab_check *c) {
    size_t most = 0;
    for (size_t i = 0; i < c->n_sizes; i++)
        if (c->sizes[i] > most) most = c->sizes[i];
    return most;
}

size_t lab_function_size(const struct lab *lab, int function, size_t usual) {
    size_t most = 0;
    for (size_t i = 0; i < lab->n_checks; i++) {
        size_t largest = lab_check_largest(&lab->checks[i]);
        if (lab->checks[i].function == function && largest > most)
            most = largest;
    }
    return most && most < usual ? most : usual;
}

bool lab_check_takes_size(const struct lab *lab, const struct lab_check *c,
                          size_t n) {
    bool any = c->kind == CHECK_CORRECT || c->kind == CHECK_CLEAN;
    return (any && !c->refused && !lab->functions[c->function].only_listed) ||
           lab_check_has_size(c, n);
}

size_t lab_check_combinations(const struct lab_check *c) {
    size_t n = 1;
    for (int i = 0; i < N_PARAMETERS; i++)
        n *= c->parameters[i].n ? c->parameters[i].n : 1;
    return n;
}

void lab_check_combination(const struct lab_check *c, size_t combination,
                           struct parameters *p) {
    parameters_usual(p);
    for (int i = N_PARAMETERS; i-- > 0;) {
        const struct int_list *list = &c->parameters[i];
        if (list->n == 0) continue;
        p->value[i] = list->values[combination % list->n];
        combination /= list->n;
    }
}
