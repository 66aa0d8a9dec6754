/*
 * Reading the trace, from the orchestrator (for its clients) and from the
 * client itself when no orchestrator runs. Looks through the folder's files,
 * newest first, and those of its par-N folders.
 */
#ifndef NLQ_TRACE_READ_H
#define NLQ_TRACE_READ_H

#include "common/base/arena.h"
#include "orchestrator/trace_store.h"

#define TRACE_ANYONE UINT64_MAX

struct trace_entry {
	uint8_t request[16];
	int64_t at_us;
	uint32_t uid;
	const char *operation;
	const char *source;
	const char *outcome;     /* "open" while there is no END */
	const char *error_class; /* "" if none */
	double ms;
	const void *ask;
	size_t ask_len; /* bytes of the request's message; NULL: not kept */
	const void *reply;
	size_t reply_len; /* of its reply; NULL: not kept */
};
struct trace_span {
	int64_t seq;
	struct trace_event ev;
	struct hash chain;
};
struct trace_detail {
	struct trace_entry entry;
	struct trace_span *spans;
	size_t n_spans;
};

/* The newest requests of the uid (TRACE_ANYONE: all), newest first, at most
 * max; everything in the arena. ERR_IO. */
int trace_list(struct arena *a, const char *dir, uint64_t uid, size_t max,
    struct trace_entry **ret_entries, size_t *ret_n, struct err *e);
/* One request by hex digits (4 to 32 of its id). ERR_NOT_FOUND, ERR_AMBIGUOUS,
 * ERR_BAD_INPUT. */
int trace_show(struct arena *a, const char *dir, uint64_t uid, const char *hex,
    struct trace_detail *ret_detail, struct err *e);
/* The request that a client's key belongs to. ERR_NOT_FOUND. */
int trace_lookup(struct arena *a, const char *dir, uint64_t uid, const uint8_t key[16],
    struct trace_detail *ret_detail, struct err *e);

struct trace_check_result {
	uint64_t files, events, payloads;
	bool is_sound;
	char broken_file[64]; /* first that does not fit, if not sound */
	int64_t broken_seq;
	char why[160];
};
/* Recomputes the whole chain of one folder, and every payload's hash. */
int trace_verify(const char *dir, struct trace_check_result *ret_result, struct err *e);
/* dir itself and its par-N folders that exist, in the arena. */
size_t trace_dirs(struct arena *a, const char *dir, const char ***ret_dirs);

#endif
