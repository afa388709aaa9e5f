/* SPDX-License-Identifier: MIT
 *
 * jansson_config.h: what jansson's configure would find on Linux with glibc.
 */
#ifndef JANSSON_CONFIG_H
#define JANSSON_CONFIG_H
#define JSON_INLINE               inline
#define JSON_INTEGER_IS_LONG_LONG 1
#define JSON_HAVE_LOCALECONV      1
#define JSON_HAVE_ATOMIC_BUILTINS 1
#define JSON_HAVE_SYNC_BUILTINS   1
#define JSON_PARSER_MAX_DEPTH     2048
#endif
