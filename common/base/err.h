/*
 * The one list of error codes and phases, and the error object that every
 * fallible function fills. Functions return 0 or a negative code from this
 * list; text, fix and position travel in the caller's struct err.
 *
 * text and fix are ours: the engine's own words never go in here (promise:
 * names in them come from the caller's own catalog).
 */
#ifndef NLQ_ERR_H
#define NLQ_ERR_H

#include "common/base/base.h"

/* X(symbol, number, name on the wire and in JSON, class, exit code of the CLI)
 * Numbers are part of the protocol: never reuse one. */
#define ERR_CODES(X)                                                   \
	X(ERR_INTERNAL, 1, "internal", "infrastructure", 1)            \
	X(ERR_NOMEM, 2, "out_of_memory", "infrastructure", 1)          \
	X(ERR_IO, 3, "io", "infrastructure", 1)                        \
	X(ERR_CONFIG, 4, "config", "config", 2)                        \
	X(ERR_USAGE, 5, "usage", "usage", 2)                           \
	X(ERR_BAD_INPUT, 6, "bad_input", "usage", 2)                   \
	X(ERR_TOO_LARGE, 7, "too_large", "usage", 2)                   \
	X(ERR_PROTOCOL, 8, "protocol", "infrastructure", 1)            \
	X(ERR_VERSION, 9, "version", "infrastructure", 1)              \
	X(ERR_BUSY, 10, "busy", "infrastructure", 6)                   \
	X(ERR_TIMEOUT, 11, "timeout", "timeout", 7)                    \
	X(ERR_CANCELLED, 12, "cancelled", "cancelled", 1)              \
	X(ERR_UNAVAILABLE, 13, "unavailable", "infrastructure", 6)     \
	X(ERR_NOT_FOUND, 14, "not_found", "usage", 1)                  \
	X(ERR_DENIED, 15, "denied", "policy", 5)                       \
	X(ERR_DUPLICATE, 16, "duplicate", "usage", 1)                  \
	X(ERR_SOURCE_MISSING, 20, "source_missing", "source", 6)       \
	X(ERR_SOURCE_NOT_DB, 21, "source_not_a_database", "source", 6) \
	X(ERR_SOURCE_CORRUPT, 22, "source_corrupt", "source", 6)       \
	X(ERR_SOURCE_EMPTY, 23, "source_has_no_tables", "source", 6)   \
	X(ERR_SOURCE_CHANGED, 24, "source_changed", "schema", 1)       \
	X(ERR_SYNTAX, 30, "syntax", "syntax", 1)                       \
	X(ERR_NOT_SELECT, 31, "not_a_select", "policy", 5)             \
	X(ERR_UNKNOWN_TABLE, 32, "unknown_table", "schema", 1)         \
	X(ERR_UNKNOWN_COLUMN, 33, "unknown_column", "schema", 1)       \
	X(ERR_AMBIGUOUS_COLUMN, 34, "ambiguous_column", "schema", 1)   \
	X(ERR_UNKNOWN_FUNCTION, 35, "unknown_function", "policy", 5)   \
	X(ERR_TOO_COMPLEX, 36, "too_complex", "cost", 1)               \
	X(ERR_OUTSIDE_CONTEXT, 37, "outside_context", "schema", 1)     \
	X(ERR_ENGINE_MISMATCH, 38, "engine_mismatch", "policy", 5)     \
	X(ERR_POLICY, 39, "policy", "policy", 5)                       \
	X(ERR_COST, 40, "cost", "cost", 1)                             \
	X(ERR_RESULT_TOO_BIG, 41, "result_too_big", "cost", 1)         \
	X(ERR_RUNTIME, 42, "runtime", "semantic", 1)                   \
	X(ERR_UNANSWERABLE, 50, "unanswerable", "unanswerable", 3)     \
	X(ERR_AMBIGUOUS, 51, "ambiguous", "ambiguous", 4)              \
	X(ERR_NOT_VOUCHED, 52, "not_vouched_for", "semantic", 3)

enum err_code {
	ERR_OK = 0,
#define X(sym, num, name, class, exit) sym = -(num),
	ERR_CODES(X)
#undef X
};

/* Where in a request's life it happened. Same rule about numbers. */
#define ERR_PHASES(X)                    \
	X(PHASE_NONE, 0, "none")         \
	X(PHASE_CONFIG, 1, "config")     \
	X(PHASE_REQUEST, 2, "request")   \
	X(PHASE_DESCRIBE, 3, "describe") \
	X(PHASE_GROUND, 4, "ground")     \
	X(PHASE_GENERATE, 5, "generate") \
	X(PHASE_PARSE, 6, "parse")       \
	X(PHASE_RESOLVE, 7, "resolve")   \
	X(PHASE_POLICY, 8, "policy")     \
	X(PHASE_PREPARE, 9, "prepare")   \
	X(PHASE_RUN, 10, "run")          \
	X(PHASE_VERIFY, 11, "verify")    \
	X(PHASE_ANSWER, 12, "answer")    \
	X(PHASE_RPC, 13, "rpc")          \
	X(PHASE_TRACE, 14, "trace")

enum err_phase {
#define X(sym, num, name) sym = (num),
	ERR_PHASES(X)
#undef X
};

#define ERR_TEXT_MAX 512

struct err {
	enum err_code code;
	enum err_phase phase;
	char text[ERR_TEXT_MAX]; /* what is wrong, one line, UTF-8, no newline */
	char fix[ERR_TEXT_MAX];  /* what would help; empty if nothing is known */
	uint32_t line, column;   /* 1-based position in the input; 0 = none */
	bool retry;              /* the same request may succeed later */
	uint32_t retries_left;
	bool details_omitted; /* something was left out on purpose */
};

#define ERR_INIT  \
	{         \
		0 \
	}

/* Fills e (which may be NULL) and returns code, so that a caller can write
 * `return err_set(e, ERR_IO, PHASE_RUN, "...")`. The text is cut at a UTF-8
 * boundary and control characters in it are replaced. fix, position and flags
 * are cleared. */
int err_set(struct err *e, enum err_code code, enum err_phase phase, const char *fmt, ...)
    NLQ_PRINTF(4, 5);

/* Sets the fix of an error that is already filled; e may be NULL. */
void err_fix(struct err *e, const char *fmt, ...) NLQ_PRINTF(2, 3);

/* Names as they appear on the wire and in JSON. Unknown numbers give
 * "internal" / "none", never NULL. */
const char *err_code_name(enum err_code code);
const char *err_code_class(enum err_code code);
int err_code_exit(enum err_code code);
const char *err_phase_name(enum err_phase phase);

/* True if the number names a code / phase of the list (for decoders). */
bool err_code_known(int code);
bool err_phase_known(int phase);

#endif
