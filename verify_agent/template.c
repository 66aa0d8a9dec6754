/* Filling templates, see template.h. */
#include "verify_agent/template.h"

#include <ctype.h>
#include <string.h>

#include "common/base/strbuf.h"
#include "common/text/unit.h"
#include "verify_agent/numbers.h"

#define REFERENCE_MAX 32

static int refuse(struct err *e, const char *what, const char *text)
{
	return err_set(e, ERR_BAD_INPUT, PHASE_ANSWER, "answer template: %s \"%s\"", what, text);
}

/* A number from 1 up at *p, moved past; 0 if there is none. */
static size_t read_index(const char **p)
{
	size_t n = 0;
	while (isdigit((unsigned char)**p) && n < 100000000) {
		n = n * 10 + (size_t)(*(*p)++ - '0');
	}
	return n;
}

/* Text right behind a reference: bytes to skip because they repeat the unit, or
 * -1 if they name another one. */
static int repeated_unit(struct cert *c, const char *rest, const char *unit)
{
	struct unit u;
	size_t gap = *rest == ' ';
	size_t len = strlen(unit);
	if (len && strncmp(rest + gap, unit, len) == 0) {
		return (int)(gap + len);
	}
	if (!unit_parse(rest, strlen(rest), &u) || !u.len) {
		return 0;
	}
	const char *text = arena_strndup(c->a, rest, u.len);
	return unit[0] && measure_same_unit(c, text, unit) ? (int)u.len : -1;
}

static int put_cell(struct cert *c, struct strbuf *out, size_t step, const char *p,
    const char **rest, const char *name, struct err *e)
{
	size_t column = read_index(&p), row = 1;
	const struct resultset *r = c->steps[step].in->result;
	struct shown v;
	if (*p == '.') {
		p++;
		row = read_index(&p);
	}
	if (*p || !column || !row || column > r->n_columns || row > r->n_rows) {
		return refuse(e, "there is no cell", name);
	}
	shown_open(&v, c, step);
	int skip = repeated_unit(c, *rest, shown_unit(&v, row - 1, column - 1));
	if (skip < 0) {
		return refuse(e, "another unit stands behind", name);
	}
	strbuf_puts(out, shown_cell(&v, row - 1, column - 1));
	*rest += skip;
	return 0;
}

/* Words of the question: quantity or period number n. */
static int put_words(struct cert *c, struct strbuf *out, const char *name, struct err *e)
{
	const char *p = name + 1;
	size_t n = read_index(&p);
	size_t count = name[0] == 'q' ? c->g->n_quantities : c->g->n_periods;
	if (*p || !n || n > count) {
		return refuse(e, "unknown reference", name);
	}
	uint32_t start = name[0] == 'q' ? c->g->quantities[n - 1].start
	                                : c->g->periods[n - 1].start;
	uint32_t len = name[0] == 'q' ? c->g->quantities[n - 1].len : c->g->periods[n - 1].len;
	strbuf_add(out, c->g->question + start, len);
	return 0;
}

static int put_reference(
    struct cert *c, struct strbuf *out, const char *name, const char **rest, struct err *e)
{
	if (name[0] == 'q' || name[0] == 'p') {
		return put_words(c, out, name, e);
	}
	const char *p = name + 1;
	size_t step = name[0] == 'r' ? read_index(&p) : 0;
	if (!step || step > c->n_steps || *p != '.') {
		return refuse(e, "unknown reference", name);
	}
	if (strcmp(p, ".rows") == 0) {
		strbuf_printf(out, "%zu", c->steps[step - 1].in->result->n_rows);
		return 0;
	}
	if (p[1] != 'c') {
		return refuse(e, "unknown reference", name);
	}
	return put_cell(c, out, step - 1, p + 2, rest, name, e);
}

int template_fill(struct cert *c, const char *text, const char **ret_answer, struct err *e)
{
	struct strbuf out;
	char name[REFERENCE_MAX];
	const char *p = text, *word = NULL;
	int r = 0;

	strbuf_init(&out, TEMPLATE_MAX_BYTES);
	while (*p) {
		size_t n = strcspn(p, "{}");
		if (numbers_has_any(c->a, p, n, &word)) {
			r = refuse(e, "number outside a reference:", word);
			goto out;
		}
		strbuf_add(&out, p, n);
		p += n;
		if (!*p) {
			break;
		}
		const char *end = *p == '{' ? strchr(p, '}') : NULL;
		if (!end || (size_t)(end - p) > sizeof(name)) {
			r = refuse(e, "brace without a reference", "{}");
			goto out;
		}
		memcpy(name, p + 1, (size_t)(end - p - 1));
		name[end - p - 1] = '\0';
		p = end + 1;
		r = put_reference(c, &out, name, &p, e);
		if (r < 0) {
			goto out;
		}
	}
	if (out.failed || !out.len) {
		r = refuse(e, out.failed ? "too long" : "empty", "");
		goto out;
	}
	*ret_answer = arena_strndup(c->a, out.data, out.len);
out:
	strbuf_done(&out);
	return r;
}
