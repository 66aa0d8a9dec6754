#include "common/base/strbuf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define START_CAP 64

/* What an empty string shows; it has no room, so nothing is written to it. */
static char empty[1];

void strbuf_init(struct strbuf *b, size_t max_bytes)
{
	*b = (struct strbuf){.data = empty, .max = max_bytes};
}

void strbuf_done(struct strbuf *b)
{
	if (b->cap)
		free(b->data);
	*b = (struct strbuf){0};
}

void strbuf_clear(struct strbuf *b)
{
	b->len = 0;
	b->failed = false;
	if (b->cap)
		b->data[0] = '\0';
}

char *strbuf_reserve(struct strbuf *b, size_t len)
{
	size_t need, cap;
	char *data;

	if (b->failed || b->len > b->max || len > b->max - b->len || len >= SIZE_MAX / 2 - b->len) {
		b->failed = true;
		return NULL;
	}
	need = b->len + len + 1;
	if (need > b->cap) {
		cap = b->cap ? b->cap : START_CAP;
		while (cap < need)
			cap *= 2;
		data = realloc(b->cap ? b->data : NULL, cap);
		if (!data)
			abort();
		if (!b->cap)
			data[0] = '\0';
		b->data = data;
		b->cap = cap;
	}
	/* The caller only adds to len: the end is terminated for it here. */
	b->data[b->len + len] = '\0';
	return b->data + b->len;
}

void strbuf_add(struct strbuf *b, const void *p, size_t len)
{
	char *to = strbuf_reserve(b, len);

	if (!to || !len)
		return;
	memcpy(to, p, len);
	b->len += len;
}

void strbuf_puts(struct strbuf *b, const char *s)
{
	strbuf_add(b, s, strlen(s));
}

void strbuf_putc(struct strbuf *b, char c)
{
	strbuf_add(b, &c, 1);
}

void strbuf_vprintf(struct strbuf *b, const char *fmt, va_list ap)
{
	va_list again;
	char *to;
	int len;

	va_copy(again, ap);
	len = vsnprintf(NULL, 0, fmt, ap);
	if (len < 0)
		b->failed = true;
	else if ((to = strbuf_reserve(b, (size_t)len))) {
		vsnprintf(to, (size_t)len + 1, fmt, again);
		b->len += (size_t)len;
	}
	va_end(again);
}

void strbuf_printf(struct strbuf *b, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	strbuf_vprintf(b, fmt, ap);
	va_end(ap);
}

char *strbuf_take(struct strbuf *b)
{
	char *data = b->cap ? b->data : calloc(1, 1);

	if (!data)
		abort();
	strbuf_init(b, b->max);
	return data;
}
