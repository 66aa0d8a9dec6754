/* See human.h. Everything that comes from data or a question is escaped. */
#include "orchestrator/cli/human.h"

#include <string.h>

#include "common/base/utf8.h"
#include "orchestrator/cli/table.h"

#define CELL_WIDTH_MAX 60

const struct colours colours_none = {"", "", "", "", "", ""};
const struct colours colours_ansi = {
    "\033[1m", "\033[2m", "\033[31m", "\033[32m", "\033[33m", "\033[0m"};

/* Line breaks stay, with the indent after each; the rest is escaped. */
static void put_text(struct strbuf *out, const char *s, const char *indent)
{
	for (const char *end; *s; s = end) {
		end = strchr(s, '\n');
		if (!end)
			end = s + strlen(s);
		utf8_escape(out, s, (size_t)(end - s));
		if (*end == '\n') {
			end++;
			if (*end)
				strbuf_printf(out, "\n%s", indent);
		}
	}
}

static void heading(struct strbuf *out, const struct colours *c, const char *text)
{
	strbuf_printf(out, "\n%s%s%s\n", c->bold, text, c->plain);
}

void human_result(struct strbuf *out, const struct resultset *r, const struct colours *c)
{
	struct table_style style = {"NULL", c->dim, c->plain, CELL_WIDTH_MAX};

	table_print(out, r, &style);
	strbuf_printf(out, "%s(%zu row%s%s)%s\n", c->dim, r->n_rows, r->n_rows == 1 ? "" : "s",
	    r->truncated ? ", there are more" : "", c->plain);
}

static const char *verdict_colour(const struct colours *c, enum check_verdict v)
{
	return v == CHECK_PASS   ? c->green
	    : v == CHECK_FAIL    ? c->red
	    : v == CHECK_UNKNOWN ? c->yellow
	                         : c->dim;
}

static void put_evidence(struct strbuf *out, const struct answer *a, const struct colours *c)
{
	if (!a->n_lines)
		return;
	heading(out, c, "Evidence");
	for (size_t i = 0; i < a->n_lines; i++) {
		const struct certificate_line *l = &a->lines[i];

		strbuf_printf(out, "  %s%-7s%s  %-12s  ", verdict_colour(c, l->verdict),
		    check_verdict_name(l->verdict), c->plain, l->check);
		put_text(out, l->detail, "           ");
		strbuf_putc(out, '\n');
	}
}

static void put_steps(struct strbuf *out, const struct answer *a, const struct colours *c)
{
	struct table_style style = {"NULL", c->dim, c->plain, CELL_WIDTH_MAX};

	/* A single query is the SQL above; more are shown one by one. */
	if (a->n_steps < 2)
		return;
	heading(out, c, "Steps");
	for (size_t i = 0; i < a->n_steps; i++) {
		const struct answer_step *s = &a->steps[i];

		strbuf_printf(out, "  %zu. ", i + 1);
		put_text(out, *s->purpose ? s->purpose : "query", "     ");
		strbuf_puts(out, "\n     ");
		put_text(out, s->sql, "     ");
		strbuf_putc(out, '\n');
		if (s->err.code) {
			strbuf_printf(out, "     %s", c->red);
			put_text(out, s->err.text, "     ");
			strbuf_printf(out, "%s\n", c->plain);
		} else if (s->result && s->result->n_rows <= 5) {
			struct strbuf rows;

			strbuf_init(&rows, 1024 * 1024);
			table_print(&rows, s->result, &style);
			for (char *line = rows.data, *end; (end = strchr(line, '\n'));
			     line = end + 1)
				strbuf_printf(out, "     %.*s\n", (int)(end - line), line);
			strbuf_done(&rows);
		}
	}
}

static void put_list(struct strbuf *out, const struct semantic_names *names, const char *title,
    const struct colours *c)
{
	if (!names->n)
		return;
	heading(out, c, title);
	for (size_t i = 0; i < names->n; i++) {
		strbuf_puts(out, "  - ");
		put_text(out, names->items[i], "    ");
		strbuf_putc(out, '\n');
	}
}

static void put_tables(struct strbuf *out, const struct answer *a, const struct colours *c)
{
	if (!a->n_tables)
		return;
	heading(out, c, "Tables");
	for (size_t i = 0; i < a->n_tables; i++) {
		strbuf_puts(out, "  ");
		put_text(out, a->tables[i].name, "");
		if (*a->tables[i].text) {
			strbuf_printf(out, "  %s", c->dim);
			put_text(out, a->tables[i].text, "    ");
			strbuf_puts(out, c->plain);
		}
		strbuf_putc(out, '\n');
	}
}

static void put_foot(struct strbuf *out, const struct answer *a, const struct colours *c)
{
	strbuf_printf(out, "\n%s", c->dim);
	if (a->has_confidence)
		strbuf_printf(out, "confidence %.2f, ", a->confidence);
	for (size_t i = 0; i < a->n_timings; i++) {
		if (strcmp(a->timings[i].stage, "total") == 0)
			strbuf_printf(out, "%.1f ms, ", a->timings[i].ms);
	}
	strbuf_printf(out, "nlq trace show %.12s%s\n", a->request_id, c->plain);
}

static void put_first(struct strbuf *out, const struct answer *a, const struct colours *c)
{
	if (a->answer && *a->answer) {
		strbuf_puts(out, answer_exit_code(a) == 0 ? c->bold : c->yellow);
		put_text(out, a->answer, "");
		strbuf_printf(out, "%s\n", c->plain);
	}
	for (size_t i = 0; i < a->options.n; i++) {
		strbuf_puts(out, "  - ");
		put_text(out, a->options.items[i], "    ");
		strbuf_putc(out, '\n');
	}
	/* The text of a decline is the error's own; only its fix says more. */
	if (a->has_error && strcmp(a->outcome, "failed") == 0)
		human_error(out, &a->err, c);
	else if (a->has_error && *a->err.fix) {
		strbuf_puts(out, "  ");
		put_text(out, a->err.fix, "  ");
		strbuf_putc(out, '\n');
	}
	if (a->result) {
		strbuf_putc(out, '\n');
		human_result(out, a->result, c);
	}
}

void human_answer(struct strbuf *out, const struct answer *a, const struct colours *c)
{
	put_first(out, a, c);
	if (a->sql) {
		heading(out, c, "SQL");
		strbuf_puts(out, "  ");
		put_text(out, a->sql, "  ");
		strbuf_putc(out, '\n');
	}
	put_evidence(out, a, c);
	put_steps(out, a, c);
	put_list(out, &a->assumptions, "Assumptions", c);
	put_list(out, &a->definitions, "Definitions", c);
	put_tables(out, a, c);
	put_foot(out, a, c);
}

void human_error(struct strbuf *out, const struct err *e, const struct colours *c)
{
	strbuf_printf(out, "%snlq: ", c->red);
	put_text(out, e->text, "     ");
	if (e->line)
		strbuf_printf(out, " (line %u, column %u)", e->line, e->column);
	strbuf_printf(out, "%s\n", c->plain);
	if (*e->fix) {
		strbuf_puts(out, "     ");
		put_text(out, e->fix, "     ");
		strbuf_putc(out, '\n');
	}
}
