/*
 * Bump allocator: everything that belongs to one request, one parse or one
 * snapshot is freed at once. Not thread safe; one owner at a time.
 *
 * arena_alloc never returns NULL: inputs are bounded before they are parsed
 * (SQL 64 KiB, question 4 KiB, message 4 MiB), so what an arena holds is
 * bounded too, and a machine that is truly out of memory ends the process,
 * which its supervisor restarts and whose jobs are given to another.
 */
#ifndef NLQ_ARENA_H
#define NLQ_ARENA_H

#include "common/base/base.h"

struct arena {
	struct arena_block *head;
	size_t used; /* bytes handed out */
};

/* clang-format off */
#define ARENA_INIT {NULL, 0}
/* clang-format on */

void arena_init(struct arena *a);
/* Frees all memory; the arena can be used again. */
void arena_done(struct arena *a);

/* Zeroed, aligned for any object type. size may be 0. */
void *arena_alloc(struct arena *a, size_t size) __attribute__((malloc, returns_nonnull));
/* n * size with an overflow check (aborts on overflow). */
void *arena_array(struct arena *a, size_t n, size_t size) __attribute__((returns_nonnull));
char *arena_strdup(struct arena *a, const char *s); /* NULL gives NULL */
char *arena_strndup(struct arena *a, const char *s, size_t len);
void *arena_memdup(struct arena *a, const void *p, size_t len);
char *arena_printf(struct arena *a, const char *fmt, ...) NLQ_PRINTF(2, 3);

#define arena_new(a, type) ((type *)arena_alloc((a), sizeof(type)))
#define arena_new_array(a, n, type) ((type *)arena_array((a), (n), sizeof(type)))

/* Appends one zeroed element to an arena-held vector and returns it.
 * `items` and `n` are lvalues; the capacity doubles (power of two at or above
 * n), old storage stays in the arena until it is done. */
#define arena_push(a, items, n) \
	((items) = arena_grow((a), (items), (n), sizeof(*(items))), &(items)[(n)++])
void *arena_grow(struct arena *a, void *items, size_t n, size_t size);

#endif
