/* UTF-8 checks, display width and escaping for terminals and logs. */
#ifndef NLQ_UTF8_H
#define NLQ_UTF8_H

#include "common/base/base.h"
#include "common/base/strbuf.h"

/* Strict (no overlong forms, no surrogates, max U+10FFFF); NUL counts as a
 * valid character here, callers that forbid it look for it themselves. */
bool utf8_valid(const char *s, size_t len);
/* Decodes one character of valid or broken text: returns its length (>= 1) and
 * sets *ret_cp (U+FFFD for a broken byte). len must be > 0. */
size_t utf8_next(const char *s, size_t len, uint32_t *ret_cp);
size_t utf8_encode(uint32_t cp, char out[4]);
/* Largest n <= max that does not cut a character of s (len bytes). */
size_t utf8_cut(const char *s, size_t len, size_t max);
/* Terminal columns (wcwidth of our own locale-free table: CJK and emoji 2,
 * combining 0). */
size_t utf8_width(const char *s, size_t len);
int utf8_cp_width(uint32_t cp);
bool utf8_cp_is_cjk(uint32_t cp);
/* Appends s with control characters, bidi controls and broken bytes shown as
 * \xNN or \u{NNNN}: nothing that a terminal would act on is left. */
void utf8_escape(struct strbuf *out, const char *s, size_t len);
/* Lower case of one code point: ASCII, Latin-1, Latin Extended-A, Greek,
 * Cyrillic, full-width forms; others are returned as they are. */
uint32_t utf8_cp_lower(uint32_t cp);

#endif
