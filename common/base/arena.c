#include "common/base/arena.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_BYTES ((size_t)16 * 1024)
#define ALIGN _Alignof(max_align_t)

struct arena_block {
	struct arena_block *next;
	size_t cap, used;
	max_align_t data[];
};

void arena_init(struct arena *a)
{
	a->head = NULL;
	a->used = 0;
}

void arena_done(struct arena *a)
{
	struct arena_block *b = a->head, *next;

	for (; b; b = next) {
		next = b->next;
		free(b);
	}
	arena_init(a);
}

static struct arena_block *block_new(size_t cap)
{
	struct arena_block *b;

	if (cap > SIZE_MAX - sizeof(*b))
		abort();
	b = malloc(sizeof(*b) + cap);
	if (!b)
		abort();
	*b = (struct arena_block){.cap = cap};
	return b;
}

void *arena_alloc(struct arena *a, size_t size)
{
	struct arena_block *b = a->head;
	size_t need;
	void *p;

	if (size > SIZE_MAX / 2)
		abort();
	need = size ? (size + ALIGN - 1) / ALIGN * ALIGN : ALIGN;
	if (!b || b->cap - b->used < need) {
		b = block_new(need > BLOCK_BYTES / 4 ? need : BLOCK_BYTES);
		/* A large object has a block of its own, which goes behind the
		 * head so that the head's free space is still used. */
		if (need > BLOCK_BYTES / 4 && a->head) {
			b->next = a->head->next;
			a->head->next = b;
		} else {
			b->next = a->head;
			a->head = b;
		}
	}
	p = (char *)b->data + b->used;
	b->used += need;
	a->used += size;
	/* Here and not in block_new: most blocks are never filled. */
	return memset(p, 0, need);
}

void *arena_array(struct arena *a, size_t n, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(n, size, &bytes))
		abort();
	return arena_alloc(a, bytes);
}

char *arena_strdup(struct arena *a, const char *s)
{
	return s ? arena_strndup(a, s, strlen(s)) : NULL;
}

char *arena_strndup(struct arena *a, const char *s, size_t len)
{
	char *p = arena_alloc(a, len + 1);

	if (len)
		memcpy(p, s, len);
	return p;
}

void *arena_memdup(struct arena *a, const void *p, size_t len)
{
	void *copy = arena_alloc(a, len);

	if (len)
		memcpy(copy, p, len);
	return copy;
}

char *arena_printf(struct arena *a, const char *fmt, ...)
{
	va_list ap;
	int len;
	char *p;

	va_start(ap, fmt);
	len = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (len < 0)
		abort();
	p = arena_alloc(a, (size_t)len + 1);
	va_start(ap, fmt);
	vsnprintf(p, (size_t)len + 1, fmt, ap);
	va_end(ap);
	return p;
}

void *arena_grow(struct arena *a, void *items, size_t n, size_t size)
{
	void *grown;

	/* Between two powers of two there is room: only clear the next place,
	 * which a caller may have used before it shortened its vector. */
	if (n & (n - 1) && items) {
		memset((char *)items + n * size, 0, size);
		return items;
	}
	grown = arena_array(a, n ? 2 * n : 1, size);
	if (items)
		memcpy(grown, items, n * size);
	return grown;
}
