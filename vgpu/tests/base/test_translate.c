/* SPDX-License-Identifier: MIT
 *
 * test_translate.c: the catalogue of this test has two sentences; every other
 * one stays English. No locale but C is set, and none is needed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "translate.h"
#include "unit.h"

static const struct catalogues made = {CATALOGUES, "course"};
static const struct catalogues nowhere = {"no/such", "course"};

TEST(english_needs_no_catalogue) {
    struct text why = {0};
    assert_true(translate_has(&nowhere, "en"));
    assert_true(translate_to(&nowhere, "en", &why));
    assert_string_equal(_("holds"), "holds");
    text_free(&why);
}

TEST(a_language_that_is_not_there_is_said) {
    struct text why = {0};
    assert_false(translate_has(&made, "xx"));
    assert_false(translate_to(&made, "xx", &why));
    assert_non_null(strstr(text_string(&why), "no translation 'xx' in "));
    assert_string_equal(_("holds"), "holds");
    text_free(&why);
}

TEST(what_is_not_translated_stays_english) {
    struct text why = {0};
    char line[80];
    assert_true(translate_to(&made, "de", &why));
    assert_string_equal(_("holds"), "h\u00e4lt");
    assert_string_equal(_("too high"), "too high");
    assert_string_equal(_(""), "");
    snprintf(line, sizeof line, _("%zu of %s"), (size_t)3, "x");
    assert_string_equal(line, "3 von x");
    text_free(&why);
}

/* In a folder of its own. One that is taken changes no other sentence. */
static bool refused(const char *bytes, size_t size) {
    static const char *const folders[] = {"de", "de/LC_MESSAGES"};
    char folder[] = "/tmp/translate-XXXXXX", path[80];
    struct text why = {0};
    assert_non_null(mkdtemp(folder));
    for (size_t i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, folders[i]);
        assert_int_equal(mkdir(path, 0700), 0);
    }
    snprintf(path, sizeof path, "%s/de/LC_MESSAGES/course.mo", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
    const struct catalogues in = {folder, "course"};
    bool taken = translate_to(&in, "de", &why);
    assert_true(taken ||
                strstr(text_string(&why), "it is no catalogue of gettext"));
    assert_non_null(translated("holds"));
    assert_string_equal(translated("no such sentence"), "no such sentence");
    text_free(&why);
    unlink(path);
    for (size_t i = 2; i--;) {
        snprintf(path, sizeof path, "%s/%s", folder, folders[i]);
        rmdir(path);
    }
    rmdir(folder);
    return !taken;
}

/* What is outside of it is not read (the sanitizers see that). */
TEST(a_damaged_catalogue_is_refused) {
    struct text mo = {0};
    assert_null(
        text_read_file(&mo, CATALOGUES "/de/LC_MESSAGES/course.mo", 1 << 16));
    assert_false(refused(mo.bytes, mo.size));
    size_t taken = 0;
    for (size_t i = 0; i < mo.size; i++) {
        assert_true(refused(mo.bytes, i));
        mo.bytes[i] ^= (char)0x80;
        taken += !refused(mo.bytes, mo.size);
        mo.bytes[i] ^= (char)0x80;
    }
    assert_true(taken > 0);
    text_free(&mo);
}

UNIT_MAIN(NULL, NULL)
