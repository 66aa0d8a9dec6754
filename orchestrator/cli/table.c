/* The aligned table; see table.h. */
#include "orchestrator/cli/table.h"

#include <string.h>

#include "common/base/arena.h"
#include "common/base/utf8.h"

#define CELL_MAX (256 * 1024)
#define GAP "  "

struct cell {
	const char *text;
	size_t width;
	bool is_null;
};

static void pad(struct strbuf *out, size_t n)
{
	for (; n > 0; n--)
		strbuf_putc(out, ' ');
}

/* Escaped and, when it is wider than max, cut; in the arena. */
static struct cell fit(struct arena *a, const char *s, size_t len, uint32_t max)
{
	struct cell c = {0};
	struct strbuf b;
	size_t width = 0, i = 0, n;

	strbuf_init(&b, CELL_MAX);
	utf8_escape(&b, s, utf8_cut(s, len, CELL_MAX / 8));
	c.width = utf8_width(b.data, b.len);
	if (max && c.width > max) {
		while (i < b.len) {
			uint32_t cp;
			int w;

			n = utf8_next(b.data + i, b.len - i, &cp);
			w = utf8_cp_width(cp);
			if (width + (size_t)(w > 0 ? w : 0) > max - 1)
				break;
			width += (size_t)(w > 0 ? w : 0);
			i += n;
		}
		c.text = arena_printf(a, "%.*s…", (int)i, b.data);
		c.width = width + 1;
	} else {
		c.text = arena_strndup(a, b.data, b.len);
	}
	strbuf_done(&b);
	return c;
}

static struct cell value_cell(
    struct arena *a, const struct value *v, const struct table_style *style)
{
	struct strbuf b;
	struct cell c;

	if (v->type == VALUE_NULL) {
		c = fit(a, style->null_text, strlen(style->null_text), 0);
		c.is_null = true;
		return c;
	}
	strbuf_init(&b, CELL_MAX);
	value_print(&b, v);
	c = fit(a, b.data, b.len, style->max_cell_width);
	strbuf_done(&b);
	return c;
}

/* A column of numbers: every value that is there is one. */
static bool is_numeric(const struct resultset *r, size_t column)
{
	bool any = false;

	for (size_t i = 0; i < r->n_rows; i++) {
		const struct value *v = resultset_cell(r, i, column);

		if (v->type == VALUE_NULL)
			continue;
		if (!value_is_number(v))
			return false;
		any = true;
	}
	return any;
}

static void put_cell(struct strbuf *out, const struct cell *c, size_t width, bool right,
    bool is_last, const struct table_style *style)
{
	if (right)
		pad(out, width - c->width);
	if (c->is_null)
		strbuf_puts(out, style->dim);
	strbuf_puts(out, c->text);
	if (c->is_null)
		strbuf_puts(out, style->plain);
	if (!right && !is_last)
		pad(out, width - c->width);
	while (is_last && out->len && out->data[out->len - 1] == ' ')
		out->data[--out->len] = '\0';
	strbuf_puts(out, is_last ? "\n" : GAP);
}

static void put_rule(struct strbuf *out, size_t width, bool is_last)
{
	for (; width > 0; width--)
		strbuf_puts(out, "-");
	strbuf_puts(out, is_last ? "\n" : GAP);
}

/* Rows of cells, the first of which is the header. */
static void print_cells(struct strbuf *out, const struct cell *cells, size_t n_rows,
    size_t n_columns, const bool *right, struct arena *a, const struct table_style *style)
{
	size_t *widths = arena_new_array(a, n_columns, size_t);

	for (size_t i = 0; i < n_rows * n_columns; i++) {
		if (cells[i].width > widths[i % n_columns])
			widths[i % n_columns] = cells[i].width;
	}
	for (size_t row = 0; row < n_rows; row++) {
		/* An empty last cell leaves no spaces at the end of the line. */
		for (size_t k = 0; k < n_columns; k++)
			put_cell(out, &cells[row * n_columns + k], widths[k], right[k],
			    k + 1 == n_columns, style);
		for (size_t k = 0; row == 0 && k < n_columns; k++)
			put_rule(out, widths[k], k + 1 == n_columns);
	}
}

void table_print(struct strbuf *out, const struct resultset *r, const struct table_style *style)
{
	struct arena a = ARENA_INIT;
	struct cell *cells;
	bool *right;

	if (!r->n_columns)
		return;
	arena_init(&a);
	cells = arena_new_array(&a, (r->n_rows + 1) * r->n_columns, struct cell);
	right = arena_new_array(&a, r->n_columns, bool);
	for (size_t k = 0; k < r->n_columns; k++) {
		cells[k] = fit(
		    &a, r->columns[k].name, strlen(r->columns[k].name), style->max_cell_width);
		right[k] = is_numeric(r, k);
		for (size_t i = 0; i < r->n_rows; i++)
			cells[(i + 1) * r->n_columns + k] = value_cell(
			    &a, resultset_cell(r, i, k), style);
	}
	print_cells(out, cells, r->n_rows + 1, r->n_columns, right, &a, style);
	arena_done(&a);
}

void table_text(
    struct strbuf *out, const char *const *text, size_t n_rows, size_t n_columns, const bool *right)
{
	static const struct table_style style = {"", "", "", 60};
	struct arena a = ARENA_INIT;
	struct cell *cells;

	arena_init(&a);
	cells = arena_new_array(&a, n_rows * n_columns, struct cell);
	for (size_t i = 0; i < n_rows * n_columns; i++) {
		const char *s = text[i] ? text[i] : "";

		cells[i] = fit(&a, s, strlen(s), style.max_cell_width);
	}
	print_cells(out, cells, n_rows, n_columns, right, &a, &style);
	arena_done(&a);
}
