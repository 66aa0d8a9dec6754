/* CSV and Markdown; see table.h. */
#include <string.h>

#include "orchestrator/cli/table.h"

#include "common/base/utf8.h"

#define CELL_MAX (256 * 1024)

static void csv_field(struct strbuf *out, const char *s, size_t len, bool is_text)
{
	bool is_formula = is_text && len > 0 && memchr("=+-@\t\r", s[0], 6);
	bool needs_quotes = is_formula || (is_text && len == 0);

	for (size_t i = 0; i < len && !needs_quotes; i++)
		needs_quotes = s[i] == '"' || s[i] == ',' || s[i] == '\n' || s[i] == '\r';
	if (!needs_quotes) {
		strbuf_add(out, s, len);
		return;
	}
	strbuf_putc(out, '"');
	if (is_formula)
		strbuf_putc(out, '\'');
	for (size_t i = 0; i < len; i++) {
		if (s[i] == '"')
			strbuf_putc(out, '"');
		strbuf_putc(out, s[i]);
	}
	strbuf_putc(out, '"');
}

static void csv_value(struct strbuf *out, const struct value *v)
{
	struct strbuf b;

	if (v->type == VALUE_NULL)
		return;
	strbuf_init(&b, CELL_MAX);
	value_print(&b, v);
	csv_field(out, b.data, b.len, v->type == VALUE_TEXT);
	strbuf_done(&b);
}

void csv_print(struct strbuf *out, const struct resultset *r)
{
	for (size_t k = 0; k < r->n_columns; k++) {
		csv_field(out, r->columns[k].name, strlen(r->columns[k].name), true);
		strbuf_putc(out, k + 1 == r->n_columns ? '\n' : ',');
	}
	for (size_t i = 0; i < r->n_rows; i++) {
		for (size_t k = 0; k < r->n_columns; k++) {
			csv_value(out, resultset_cell(r, i, k));
			strbuf_putc(out, k + 1 == r->n_columns ? '\n' : ',');
		}
	}
}

static void markdown_cell(struct strbuf *out, const char *s, size_t len)
{
	struct strbuf escaped;

	strbuf_init(&escaped, CELL_MAX);
	for (size_t i = 0; i < len;) {
		uint32_t cp;
		size_t n = utf8_next(s + i, len - i, &cp);

		if (cp == '\n')
			strbuf_puts(&escaped, "<br>");
		else if (cp < 0x80 && strchr("|\\`*_<[", (int)cp) && cp)
			strbuf_printf(&escaped, "\\%c", (int)cp);
		else
			utf8_escape(&escaped, s + i, n);
		i += n;
	}
	strbuf_add(out, escaped.data, escaped.len);
	strbuf_done(&escaped);
}

void markdown_print(struct strbuf *out, const struct resultset *r)
{
	struct strbuf b;

	strbuf_init(&b, CELL_MAX);
	for (size_t k = 0; k < r->n_columns; k++) {
		strbuf_puts(out, k ? " | " : "| ");
		markdown_cell(out, r->columns[k].name, strlen(r->columns[k].name));
	}
	strbuf_puts(out, " |\n");
	for (size_t k = 0; k < r->n_columns; k++) {
		bool right = r->n_rows && value_is_number(resultset_cell(r, 0, k));

		strbuf_puts(out, k ? " | " : "| ");
		strbuf_puts(out, right ? "---:" : "---");
	}
	strbuf_puts(out, " |\n");
	for (size_t i = 0; i < r->n_rows; i++) {
		for (size_t k = 0; k < r->n_columns; k++) {
			const struct value *v = resultset_cell(r, i, k);

			strbuf_puts(out, k ? " | " : "| ");
			strbuf_clear(&b);
			value_print(&b, v);
			if (v->type == VALUE_NULL)
				strbuf_puts(out, "*NULL*");
			else
				markdown_cell(out, b.data, b.len);
		}
		strbuf_puts(out, " |\n");
	}
	strbuf_done(&b);
}
