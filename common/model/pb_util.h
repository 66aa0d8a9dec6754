/* Helpers that the pb_* files share. Private to common/model. */
#ifndef NLQ_PB_UTIL_H
#define NLQ_PB_UTIL_H

#include "common/base/arena.h"
#include "common/base/err.h"
#include "common/model/semantic.h"

/* SQLite's own limit is 32767 columns; above it a message is broken. */
#define PB_MAX_COLUMNS 32767

/* protobuf-c wants char *, but only reads while packing. */
static inline char *pb_text(const char *s)
{
	return (char *)(s ? s : "");
}

/* "" is not sent. */
static inline char *pb_optional_text(const char *s)
{
	return s && s[0] ? (char *)s : NULL;
}

/* ERR_PROTOCOL with the reason. */
static inline int pb_bad(struct err *e, const char *what)
{
	return err_set(e, ERR_PROTOCOL, PHASE_RPC, "%s", what);
}

/* A copy in the arena; what was not sent is "". */
static inline const char *pb_copy(struct arena *a, const char *s)
{
	return s && s[0] ? arena_strdup(a, s) : "";
}

static inline struct semantic_names pb_copy_names(struct arena *a, char *const *items, size_t n)
{
	struct semantic_names out = {arena_new_array(a, n, const char *), n};
	for (size_t i = 0; i < n; i++) {
		out.items[i] = pb_copy(a, items[i]);
	}
	return out;
}

#endif
