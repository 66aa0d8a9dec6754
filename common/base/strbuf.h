/*
 * Growing byte string with a hard maximum. It is always NUL-terminated, may
 * hold NUL bytes, and keeps going after an overflow: `failed` is set once and
 * later appends do nothing, so a writer checks one flag at the end.
 */
#ifndef NLQ_STRBUF_H
#define NLQ_STRBUF_H

#include <stdarg.h>

#include "common/base/base.h"

struct strbuf {
	char *data; /* never NULL after init */
	size_t len;
	size_t cap;
	size_t max;  /* bytes, without the terminating NUL */
	bool failed; /* something did not fit */
};

/* Takes no memory until something is added. */
void strbuf_init(struct strbuf *b, size_t max_bytes);
void strbuf_done(struct strbuf *b);
void strbuf_clear(struct strbuf *b); /* empty again, failed = false */

void strbuf_add(struct strbuf *b, const void *p, size_t len);
void strbuf_puts(struct strbuf *b, const char *s);
void strbuf_putc(struct strbuf *b, char c);
void strbuf_printf(struct strbuf *b, const char *fmt, ...) NLQ_PRINTF(2, 3);
void strbuf_vprintf(struct strbuf *b, const char *fmt, va_list ap);
/* Makes room for len more bytes and returns where they start (NULL if that is
 * over the maximum: failed is set); the caller writes them, then adds to len. */
char *strbuf_reserve(struct strbuf *b, size_t len);
/* Hands the heap string to the caller (free()), leaves b empty. */
char *strbuf_take(struct strbuf *b);

#endif
