/* Built-in wording, see word.h. Numbers come from shown_cell and row counts only;
 * the number wall reads the finished text all the same. */
#include "verify_agent/word.h"

#include <string.h>
#include <strings.h>

#include "common/base/strbuf.h"
#include "common/text/cue.h"
#include "common/text/lemma.h"
#include "common/text/lexicon.h"
#include "verify_agent/tier.h"

#define TEXT_MAX_BYTES (64 * 1024)
#define LIST_MAX_ROWS 10
#define LIST_MAX_COLUMNS 3

static const char *last_character(const struct cert *c, const char *s)
{
	size_t n = strlen(s), i = n;
	while (i > 0 && ((unsigned char)s[i - 1] & 0xc0) == 0x80) {
		i--;
	}
	return i ? arena_strndup(c->a, s + i - 1, n - i + 1) : "";
}

/* The table that a COUNT cue counts: the nearest one in the question, before it
 * in Chinese, behind it in English. */
static const struct grounding_span *counted_span(const struct cert *c, size_t cue)
{
	const struct grounding_span *found = NULL;
	for (size_t i = cue + 1; i < c->g->n_spans && !found; i++) {
		if (c->g->spans[i].kind == SPAN_TABLE) {
			found = &c->g->spans[i];
		}
	}
	for (size_t i = cue; i > 0 && (c->zh || !found); i--) {
		if (c->g->spans[i - 1].kind == SPAN_TABLE) {
			return &c->g->spans[i - 1];
		}
	}
	return found;
}

static const char *plural_of(const struct cert *c, const char *text, const char *number)
{
	char lemma[LEMMA_MAX];
	if (strcmp(number, "1") != 0 || strlen(text) >= LEMMA_MAX) {
		return text;
	}
	lemma_of(text, lemma);
	return arena_strdup(c->a, lemma);
}

/* The classifier that ends the cue (有几家) or the stop words behind it (多少 家). */
static const char *classifier_of(const struct cert *c, size_t cue)
{
	for (size_t i = cue; c->zh && i < c->g->n_spans && i <= cue + 1; i++) {
		const struct grounding_span *s = &c->g->spans[i];
		if (i > cue && s->kind != SPAN_STOP) {
			break;
		}
		const char *end = last_character(c, cert_span_text(c, s));
		if (lexicon_is_classifier(end)) {
			return end;
		}
	}
	return "";
}

/* What the query counts in the question's words if it has some for it, else its
 * label: rows of the one table that is read, or the values of a column. NULL: the
 * query does not say. */
static const char *counted_name(const struct shown *v)
{
	struct cert *c = v->c;
	const struct sql_expr *x = v->exprs[v->shown[0]];
	const struct sql_facts *f = &c->steps[v->step].facts;
	uint32_t table = CERT_NONE, column = CERT_NONE;
	if (x->star || !x->n_args) {
		table = f->n_tables == 1 ? f->tables[0] : CERT_NONE;
	} else if (cert_origin(x->args[0], &table, &column) &&
	    (!x->distinct || cert_column(c, table, column)->is_unique ||
	        cert_is_key(c, table, column))) {
		/* A key stands for the thing that it refers to. */
		for (size_t i = 0; i < c->g->catalog->n_relations; i++) {
			const struct catalog_relation *r = &c->g->catalog->relations[i];
			if (r->from_table == table && r->n_columns == 1 &&
			    r->from_columns[0] == column && x->distinct) {
				table = r->to_table;
				break;
			}
		}
		column = CERT_NONE;
	}
	for (size_t i = 0; i < c->g->n_spans && table != CERT_NONE; i++) {
		const struct grounding_span *s = &c->g->spans[i];
		for (size_t j = 0;
		     j < s->n_targets && (s->kind == SPAN_TABLE || s->kind == SPAN_COLUMN); j++) {
			if (s->targets[j].table == table && s->targets[j].column == column) {
				return cert_span_text(c, s);
			}
		}
	}
	return column != CERT_NONE ? cert_column_label(c, table, column) : NULL;
}

/* "6 家公司", "6 companies"; the bare number if nothing says what is counted. */
static const char *count_text(const struct shown *v, const char *number)
{
	struct cert *c = v->c;
	for (size_t i = 0; i < c->g->n_spans; i++) {
		const struct grounding_span *s = &c->g->spans[i];
		if (s->kind != SPAN_CUE || s->cue != CUE_COUNT) {
			continue;
		}
		const struct grounding_span *what = counted_span(c, i);
		const char *classifier = classifier_of(c, i);
		if (!what) {
			return classifier[0] ? arena_printf(c->a, "%s %s", number, classifier)
			                     : number;
		}
		const char *counted = counted_name(v);
		const char *name = counted ? counted : cert_span_text(c, what);
		return c->zh ? arena_printf(c->a, "%s %s%s", number, classifier, name)
		             : arena_printf(c->a, "%s %s", number, plural_of(c, name, number));
	}
	return number;
}

/* --- whom a value is about --------------------------------------------------------- */

static void add_part(const struct cert *c, struct strbuf *b, const char *text, const char *between)
{
	bool ascii = b->len && (unsigned char)b->data[b->len - 1] < 0x80;
	strbuf_printf(b, "%s%s", !b->len ? "" : !c->zh ? ", " : ascii ? " " : between, text);
}

/* The leader that an earlier step found, if this step goes on with it. */
static const char *leader(struct cert *c, size_t step)
{
	const struct sql_facts *f = &c->steps[step].facts;
	for (size_t i = 0; i < step; i++) {
		const struct resultset *r = c->steps[i].in->result;
		struct shown v;
		bool used = false;
		for (size_t j = 0; r->n_rows == 1 && j < r->n_columns; j++) {
			for (size_t k = 0; k < f->n_literals; k++) {
				used |= cert_literal_is(&f->literals[k], &r->cells[j]);
			}
		}
		if (!used) {
			continue;
		}
		shown_open(&v, c, i);
		for (size_t j = 0; j < v.n_shown; j++) {
			if (resultset_cell(r, 0, v.shown[j])->type == VALUE_TEXT) {
				return shown_value(&v, 0, v.shown[j]);
			}
		}
	}
	return NULL;
}

static bool is_used_period(const struct cert *c, const struct grounding_span *s, size_t step)
{
	return s->kind == SPAN_PERIOD && cert_period_is_used(c, &c->g->periods[s->period], step);
}

static size_t count_values(const struct cert *c, size_t step)
{
	size_t n = 0;
	for (size_t i = 0; i < c->g->n_spans; i++) {
		const struct grounding_span *s = &c->g->spans[i];
		n += s->kind == SPAN_VALUE && cert_value_is_used(c, s, step);
	}
	return n;
}

/* The question's own words for the values and periods that limit the step.
 * *ret_is_thing: a value comes last, so that "its" label may follow. */
static const char *subject(struct cert *c, size_t step, bool *ret_is_thing)
{
	struct strbuf b;
	const char *first = leader(c, step);
	*ret_is_thing = first != NULL;
	strbuf_init(&b, TEXT_MAX_BYTES);
	if (first) {
		add_part(c, &b, first, "");
	}
	size_t n_values = count_values(c, step);
	for (size_t i = 0; i < c->g->n_spans; i++) {
		const struct grounding_span *s = &c->g->spans[i];
		if (s->kind == SPAN_VALUE && cert_value_is_used(c, s, step)) {
			/* Two things side by side: 中国石油、中国石化 */
			add_part(c, &b, cert_span_text(c, s), *ret_is_thing ? "、" : "");
			*ret_is_thing = true;
		} else if (n_values < 2 && is_used_period(c, s, step)) {
			add_part(c, &b, cert_span_text(c, s), "");
			*ret_is_thing = false;
		}
	}
	/* A period between two things would part them, so there it comes last. */
	for (size_t i = 0; i < c->g->n_spans && n_values >= 2; i++) {
		if (is_used_period(c, &c->g->spans[i], step)) {
			add_part(c, &b, cert_span_text(c, &c->g->spans[i]), "");
			*ret_is_thing = false;
		}
	}
	const char *text = arena_strndup(c->a, b.data, b.len);
	strbuf_done(&b);
	return text;
}

/* --- rows ----------------------------------------------------------------------------- */

static const char *label_and_cell(const struct shown *v, size_t row, size_t column)
{
	return arena_printf(v->c->a, "%s %s", shown_label(v, column), shown_cell(v, row, column));
}

/* "a", "a：b", "a（l2 b，l3 c）": the first column names the row. */
static void put_row(struct strbuf *b, const struct shown *v, size_t row)
{
	const struct cert *c = v->c;
	size_t next = 1;
	strbuf_puts(b, shown_cell(v, row, v->shown[0]));
	if (v->n_shown > 1 && shown_is_name_pair(v, v->shown[0], v->shown[1])) {
		strbuf_printf(b, " %s", shown_cell(v, row, v->shown[1]));
		next = 2;
	}
	if (v->n_shown == next + 1) {
		strbuf_printf(b, "%s%s", SAY(c, "：", ": "), shown_cell(v, row, v->shown[next]));
		return;
	}
	for (size_t i = next; i < v->n_shown; i++) {
		strbuf_puts(b, i == next ? SAY(c, "（", " (") : SAY(c, "，", ", "));
		strbuf_puts(b, label_and_cell(v, row, v->shown[i]));
	}
	strbuf_puts(b, v->n_shown > next ? SAY(c, "）", ")") : "");
}

/* What a step before the last found: "中国石油（产量 9.36 亿桶）". */
static void put_evidence(struct strbuf *b, struct cert *c, size_t step)
{
	struct shown v;
	shown_open(&v, c, step);
	if (v.r->n_rows != 1) {
		strbuf_printf(b, SAY(c, "第 %zu 步得到 %zu 行", "step %zu found %zu rows"),
		    step + 1, v.r->n_rows);
		return;
	}
	strbuf_puts(
	    b, v.n_shown == 1 ? label_and_cell(&v, 0, v.shown[0]) : shown_cell(&v, 0, v.shown[0]));
	for (size_t i = 1; i < v.n_shown; i++) {
		strbuf_puts(b, i == 1 ? SAY(c, "（", " (") : SAY(c, "，", ", "));
		strbuf_puts(b, label_and_cell(&v, 0, v.shown[i]));
	}
	strbuf_puts(b, v.n_shown > 1 ? SAY(c, "）", ")") : "");
}

static bool is_count(const struct shown *v)
{
	const struct sql_expr *x = v->exprs[v->shown[0]];
	return x && x->kind == SQL_CALL && strcasecmp(x->text, "count") == 0;
}

static bool names_a_thing(const struct shown *v)
{
	const struct sql_expr *x = v->exprs[v->shown[0]];
	uint32_t table, column;
	if (!x || !cert_origin(x, &table, &column) ||
	    resultset_cell(v->r, 0, v->shown[0])->type != VALUE_TEXT) {
		return false;
	}
	return cert_is_name(v->c, table, column);
}

static void put_value(struct strbuf *b, const struct shown *v)
{
	struct cert *c = v->c;
	const char *cell = shown_cell(v, 0, v->shown[0]);
	if (is_count(v)) {
		strbuf_puts(b, count_text(v, cell));
		return;
	}
	/* The name of the thing that was looked for speaks for itself. */
	if (names_a_thing(v)) {
		strbuf_puts(b, cell);
		return;
	}
	bool is_thing;
	const char *who = subject(c, v->step, &is_thing), *label = shown_label(v, v->shown[0]);
	const char *of = !who[0] ? "" : !c->zh ? ", " : is_thing ? "的" : "";
	strbuf_printf(b, "%s%s%s%s%s", who, of, label, SAY(c, "：", ": "), cell);
}

static void put_list(struct strbuf *b, const struct shown *v)
{
	const struct cert *c = v->c;
	const char *between = v->n_shown == 1 ? SAY(c, "、", ", ") : SAY(c, "；", "; ");
	for (size_t i = 0; i < v->r->n_rows; i++) {
		strbuf_puts(b, i ? between : "");
		put_row(b, v, i);
	}
	strbuf_printf(b, SAY(c, "（共 %zu 行）", " (%zu rows)"), v->r->n_rows);
}

/* Each row has a unit of its own, and the query did not ask for it. */
static void put_unit_remark(struct strbuf *b, const struct shown *v)
{
	for (size_t i = 0; i < v->n_shown; i++) {
		size_t k = v->shown[i];
		if (v->measures[k].kind == MEASURE_ROWS && v->unit_columns[k] < 0) {
			strbuf_puts(b, SAY(v->c, "（单位不明）", " (unit not known)"));
			return;
		}
	}
}

static void put_result(struct strbuf *b, struct cert *c)
{
	struct shown v;
	shown_open(&v, c, c->n_steps - 1);
	size_t rows = v.r->n_rows;
	if (rows == 0 || !v.n_shown) {
		strbuf_puts(b, SAY(c, "没有符合条件的记录", "no rows match"));
	} else if (tier_all_null(v.r)) {
		strbuf_puts(
		    b, SAY(c, "没有数据（结果为空值）", "there is no value (the result is NULL)"));
	} else if (v.r->truncated) {
		strbuf_printf(b,
		    SAY(c, "结果很多，只给出前 %zu 行", "many rows; only the first %zu are given"),
		    rows);
	} else if (rows == 1 && v.n_shown == 1) {
		put_value(b, &v);
		put_unit_remark(b, &v);
	} else if (rows == 1) {
		put_row(b, &v, 0);
		put_unit_remark(b, &v);
	} else if (rows <= LIST_MAX_ROWS && v.n_shown <= LIST_MAX_COLUMNS) {
		put_list(b, &v);
		put_unit_remark(b, &v);
	} else {
		strbuf_printf(b, SAY(c, "共 %zu 行，见下表", "%zu rows, see the table"), rows);
	}
}

/* One leader is named, and the data may have another one beside it. */
static bool may_be_shared(const struct cert *c)
{
	for (size_t i = 0; i < c->v->n_lines; i++) {
		if (strcmp(c->v->lines[i].check, "ties") == 0 &&
		    c->v->lines[i].verdict == CHECK_UNKNOWN) {
			return c->steps[c->n_steps - 1].in->result->n_rows == 1;
		}
	}
	return false;
}

const char *word_answer(struct cert *c)
{
	struct strbuf b;
	strbuf_init(&b, TEXT_MAX_BYTES);
	for (size_t i = 0; i + 1 < c->n_steps; i++) {
		put_evidence(&b, c, i);
		strbuf_puts(&b, SAY(c, "；", "; "));
	}
	put_result(&b, c);
	if (may_be_shared(c)) {
		strbuf_puts(
		    &b, SAY(c, "（可能有并列，只列一个）", " (others may be equal; one is shown)"));
	}
	const char *text = arena_strndup(c->a, b.data, b.len);
	strbuf_done(&b);
	return text;
}
