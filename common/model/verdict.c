/* Verdicts: life cycle and the lines of a certificate. */
#include "common/model/verdict.h"

#include <stdarg.h>
#include <stdlib.h>

#include "common/base/strbuf.h"

#define DETAIL_MAX_BYTES (16 * 1024)

struct verdict *verdict_new(void)
{
	struct verdict *v = calloc(1, sizeof(*v));
	if (!v) {
		abort(); /* as arena_alloc: out of memory ends the process */
	}
	arena_init(&v->arena);
	v->answer = "";
	return v;
}

void verdict_free(struct verdict *v)
{
	if (!v) {
		return;
	}
	arena_done(&v->arena);
	free(v);
}

void verdict_line(
    struct verdict *v, const char *check, enum check_verdict verdict, const char *fmt, ...)
{
	struct strbuf b;
	va_list ap;

	strbuf_init(&b, DETAIL_MAX_BYTES);
	va_start(ap, fmt);
	strbuf_vprintf(&b, fmt, ap);
	va_end(ap);
	struct certificate_line *line = arena_push(&v->arena, v->lines, v->n_lines);
	line->check = arena_strdup(&v->arena, check);
	line->verdict = verdict;
	line->detail = arena_strndup(&v->arena, b.data, b.len);
	strbuf_done(&b);
}

const char *check_verdict_name(enum check_verdict v)
{
	switch (v) {
	case CHECK_PASS: return "pass";
	case CHECK_FAIL: return "fail";
	case CHECK_NOTE: return "note";
	case CHECK_UNKNOWN: break;
	}
	return "unknown";
}
