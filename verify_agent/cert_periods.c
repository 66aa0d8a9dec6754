/*
 * Periods: every one of the question limits the query to exactly its days, and
 * the data reach that far. Years, months and days are all brought to half-open
 * ranges of days; whatever the query does to a time column is read back as such
 * ranges and must equal the one that was asked.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "verify_agent/cert.h"

#define MAX_RANGES 64

/* [from, to) as ISO dates; "" = open. */
struct range {
	char from[11], to[11];
	uint32_t table, column; /* CERT_NONE: computed from a column */
};

struct ranges {
	struct range items[MAX_RANGES];
	size_t n;
};

static bool is_time_target(const struct cert *c, uint32_t table, uint32_t column)
{
	for (size_t i = 0; i < c->g->n_spans; i++) {
		const struct grounding_span *s = &c->g->spans[i];
		for (size_t j = 0; s->kind == SPAN_PERIOD && j < s->n_targets; j++) {
			if (s->targets[j].table == table && s->targets[j].column == column) {
				return true;
			}
		}
	}
	return false;
}

bool cert_is_time_column(const struct cert *c, uint32_t table, uint32_t column)
{
	const struct catalog_column *col = cert_column(c, table, column);
	const struct semantic_field *f = semantic_field_of(
	    c->g->semantic, c->g->catalog, table, column);
	if (!col) {
		return false;
	}
	return (f && f->time[0]) || is_time_target(c, table, column) ||
	    strcasestr(col->decl_type, "date") || strcasestr(col->decl_type, "timestamp") ||
	    strcasecmp(col->name, "year") == 0;
}

/* --- dates ------------------------------------------------------------------------ */

static bool is_leap(int y)
{
	return (y % 4 == 0 && y % 100 != 0) || y % 400 == 0;
}

static int days_of(int y, int m)
{
	static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	return days[m - 1] + (m == 2 && is_leap(y));
}

static void print_date(char out[11], int y, int m, int d)
{
	snprintf(out, 11, "%04u-%02u-%02u", (unsigned)y % 10000u, (unsigned)m % 100u,
	    (unsigned)d % 100u);
}

static int digits_at(const char *s, int n)
{
	int v = 0;
	for (int i = 0; i < n; i++) {
		if (!isdigit((unsigned char)s[i])) {
			return -1;
		}
		v = v * 10 + (s[i] - '0');
	}
	return v;
}

/* The days that a stored time names: "2023", "2023-05", "2023-05-17",
 * "2023-05-17 10:00:00", "202305", "20230517". */
static bool days_of_text(const char *s, struct range *r)
{
	int y = digits_at(s, 4), m = -1, d = -1;
	if (y < 1000 || y > 9998) {
		return false;
	}
	const char *p = s + 4;
	char dash = *p == '-' || *p == '/' ? *p : '\0';
	p += dash != '\0';
	if (*p && (m = digits_at(p, 2)) >= 0) {
		p += 2;
		if (*p == dash || !dash) {
			p += dash != '\0' && *p == dash;
			d = *p ? digits_at(p, 2) : -1;
			p += d >= 0 ? 2 : 0;
		}
	}
	if (isdigit((unsigned char)*p) || m == 0 || m > 12 || d == 0 ||
	    (d > 0 && d > days_of(y, m)) || (m < 0 && *p && *p != 'T' && *p != ' ')) {
		return false;
	}
	print_date(r->from, y, m > 0 ? m : 1, d > 0 ? d : 1);
	if (d > 0) {
		bool last = d == days_of(y, m);
		print_date(
		    r->to, last && m == 12 ? y + 1 : y, last ? m % 12 + 1 : m, last ? 1 : d + 1);
	} else if (m > 0) {
		print_date(r->to, m == 12 ? y + 1 : y, m % 12 + 1, 1);
	} else {
		print_date(r->to, y + 1, 1, 1);
	}
	return true;
}

/* --- what the query does to its time columns ----------------------------------------- */

static void add_range(
    struct ranges *list, const char *from, const char *to, uint32_t table, uint32_t column)
{
	if (list->n == MAX_RANGES) {
		return;
	}
	struct range *r = &list->items[list->n++];
	snprintf(r->from, sizeof(r->from), "%s", from);
	snprintf(r->to, sizeof(r->to), "%s", to);
	r->table = table;
	r->column = column;
}

static bool literal_days(const struct cert *c, const struct sql_fact_literal *l, struct range *r)
{
	const char *text = cert_literal_text(c, l);
	char bare[32];
	if (l->is_like) {
		size_t n = strcspn(text, "%*_");
		if (n >= sizeof(bare) || (text[n] && text[n + 1])) {
			return false;
		}
		memcpy(bare, text, n);
		bare[n] = '\0';
		if (n && (bare[n - 1] == '-' || bare[n - 1] == '/')) {
			bare[n - 1] = '\0';
		}
		text = bare;
	}
	return days_of_text(text, r);
}

/* A comparison as a range: >= 2021 is [2021-01-01, open). */
static void add_literal(const struct cert *c, const struct sql_fact_literal *l,
    struct ranges *bounds, struct ranges *exact)
{
	struct range r;
	if (l->is_aggregate || !literal_days(c, l, &r)) {
		return;
	}
	/* A timestamp bound "< 2024-01-01 00:00:00" names its day's start. */
	switch (cert_effective_op(l)) {
	case SQL_OP_EQ:
	case SQL_OP_IS: add_range(exact, r.from, r.to, l->table, l->column); break;
	case SQL_OP_GE: add_range(bounds, r.from, "", l->table, l->column); break;
	case SQL_OP_GT: add_range(bounds, r.to, "", l->table, l->column); break;
	case SQL_OP_LT: add_range(bounds, "", r.from, l->table, l->column); break;
	case SQL_OP_LE: add_range(bounds, "", r.to, l->table, l->column); break;
	case SQL_OP_NONE:
		if (l->is_like && !l->negated) {
			add_range(exact, r.from, r.to, l->table, l->column);
		}
		break;
	default: break;
	}
}

static bool same_column(const struct range *a, const struct range *b)
{
	return a->table == b->table && a->column == b->column;
}

/* Runs of neighbouring years or months (IN (2021, 2022, 2023)) as one range. */
static void add_unions(const struct ranges *exact, struct ranges *all)
{
	for (size_t i = 0; i < exact->n; i++) {
		struct range r = exact->items[i];
		for (size_t round = 0; round < exact->n; round++) {
			for (size_t j = 0; j < exact->n; j++) {
				const struct range *x = &exact->items[j];
				if (same_column(&r, x) && strcmp(x->from, r.to) == 0) {
					memcpy(r.to, x->to, sizeof(r.to));
					add_range(all, r.from, r.to, r.table, r.column);
				}
			}
		}
	}
}

/* Every range that the step's filters may stand for. */
static void collect(const struct cert *c, const struct sql_facts *f, struct ranges *all)
{
	struct ranges bounds = {.n = 0}, exact = {.n = 0};
	for (size_t i = 0; i < f->n_literals; i++) {
		add_literal(c, &f->literals[i], &bounds, &exact);
	}
	for (size_t i = 0; i < exact.n; i++) {
		const struct range *x = &exact.items[i];
		add_range(all, x->from, x->to, x->table, x->column);
	}
	add_unions(&exact, all);
	for (size_t i = 0; i < bounds.n; i++) {
		const struct range *x = &bounds.items[i];
		add_range(all, x->from, x->to, x->table, x->column);
		for (size_t j = 0; j < bounds.n; j++) {
			const struct range *y = &bounds.items[j];
			if (same_column(x, y) && x->from[0] && y->to[0]) {
				add_range(all, x->from, y->to, x->table, x->column);
			}
		}
	}
}

/* A bare year that turned out to be a plain number ("more than 2000 people"). */
static bool is_used_as_number(const struct cert *c, const struct period *p)
{
	for (size_t i = 0; i < c->n_steps; i++) {
		const struct sql_facts *f = &c->steps[i].facts;
		for (size_t j = 0; j < f->n_literals; j++) {
			const struct sql_fact_literal *l = &f->literals[j];
			struct decimal d;
			if (l->table != CERT_NONE && !cert_is_time_column(c, l->table, l->column) &&
			    cert_literal_decimal(l, &d) &&
			    decimal_as_double(d) == (double)digits_at(p->from, 4)) {
				return true;
			}
		}
	}
	return false;
}

static bool find_in_step(
    const struct cert *c, const struct period *p, size_t step, struct range *ret_range)
{
	struct ranges all = {.n = 0};
	collect(c, &c->steps[step].facts, &all);
	for (size_t i = 0; i < all.n; i++) {
		if (strcmp(all.items[i].from, p->from) == 0 &&
		    strcmp(all.items[i].to, p->to) == 0) {
			*ret_range = all.items[i];
			return true;
		}
	}
	return false;
}

static bool find_range(const struct cert *c, const struct period *p, struct range *ret_range)
{
	for (size_t i = 0; i < c->n_steps; i++) {
		if (find_in_step(c, p, i, ret_range)) {
			return true;
		}
	}
	return false;
}

bool cert_period_is_used(const struct cert *c, const struct period *p, size_t step)
{
	struct range r;
	return find_in_step(c, p, step, &r);
}

static const char *period_text(const struct cert *c, const struct period *p)
{
	return arena_strndup(c->a, c->g->question + p->start, p->len);
}

/* "08/30/2015" is stored and asked for as it is: the query has the question's own
 * words, of which the period is a part. */
static bool is_within_literal(const struct cert *c, const struct period *p)
{
	for (size_t i = 0; i < c->n_steps; i++) {
		const struct sql_facts *f = &c->steps[i].facts;
		for (size_t j = 0; j < f->n_literals; j++) {
			const struct sql_expr *x = f->literals[j].expr;
			if (x->kind == SQL_STRING && x->text_len > p->len &&
			    strstr(x->text, period_text(c, p)) && strstr(c->g->question, x->text)) {
				return true;
			}
		}
	}
	return false;
}

void cert_check_periods(struct cert *c, const struct cert_check *k)
{
	for (size_t i = 0; i < c->g->n_spans; i++) {
		const struct grounding_span *s = &c->g->spans[i];
		struct range r;
		if (s->kind != SPAN_PERIOD) {
			continue;
		}
		const struct period *p = &c->g->periods[s->period];
		bool used = find_range(c, p, &r) || is_within_literal(c, p) ||
		    (p->from[0] && p->grain == GRAIN_YEAR && is_used_as_number(c, p));
		const char *from = p->from[0] ? p->from : "…", *to = p->to[0] ? p->to : "…";
		if (used) {
			cert_line(c, k, CHECK_PASS,
			    SAY(c, "“%s”已用到（%s 至 %s 之前）",
			        "\"%s\" is used (%s to before %s)"),
			    period_text(c, p), from, to);
		} else {
			cert_line(c, k, CHECK_FAIL,
			    SAY(c, "查询没有把时间限定为“%s”（%s 至 %s 之前）",
			        "the query is not limited to \"%s\" (%s to before %s)"),
			    period_text(c, p), from, to);
		}
		if (used && p->relative) {
			cert_assume(c,
			    arena_printf(c->a,
			        SAY(c, "“%s”按 %s 推算为 %s 至 %s 之前",
			            "\"%s\" counted from %s is %s to before %s"),
			        period_text(c, p), c->g->today, from, to));
		}
	}
}

/* --- coverage -------------------------------------------------------------------------- */

/* The column that the period limits: the one that the query uses, else the one
 * that the grounding meant. */
static bool column_of_period(
    const struct cert *c, const struct grounding_span *s, uint32_t *ret_table, uint32_t *ret_column)
{
	struct range r;
	if (find_range(c, &c->g->periods[s->period], &r) && r.table != CERT_NONE) {
		*ret_table = r.table;
		*ret_column = r.column;
		return true;
	}
	if (s->n_targets && s->targets[0].table != TARGET_NONE &&
	    s->targets[0].column != TARGET_NONE) {
		*ret_table = s->targets[0].table;
		*ret_column = s->targets[0].column;
		return true;
	}
	return false;
}

static void check_coverage_of(
    struct cert *c, const struct cert_check *k, const struct grounding_span *s)
{
	const struct period *p = &c->g->periods[s->period];
	uint32_t table, column;
	struct range first, last;
	if (!find_range(c, p, &first) && p->from[0] && is_used_as_number(c, p)) {
		return;
	}
	if (!column_of_period(c, s, &table, &column) || !cert_is_time_column(c, table, column)) {
		return;
	}
	const struct catalog_column *col = cert_column(c, table, column);
	const char *label = cert_column_label(c, table, column);
	if (!col->has_range || !days_of_text(cert_value_text(c, &col->min), &first) ||
	    !days_of_text(cert_value_text(c, &col->max), &last)) {
		cert_line(c, k, CHECK_UNKNOWN,
		    SAY(c, "不知道数据的时间范围（%s）",
		        "the range of the data in %s is not known"),
		    label);
		return;
	}
	const char *min = cert_value_text(c, &col->min), *max = cert_value_text(c, &col->max);
	cert_quote(c, min);
	cert_quote(c, max);
	bool outside = (p->from[0] && strcmp(p->from, last.to) >= 0) ||
	    (p->to[0] && strcmp(p->to, first.from) <= 0);
	if (outside) {
		cert_line(c, k, CHECK_FAIL,
		    SAY(c, "数据只覆盖 %s–%s，没有“%s”的数据",
		        "the data cover %s to %s only; there is none for \"%s\""),
		    min, max, period_text(c, p));
		return;
	}
	/* A year's data need not begin on its first day; whole years must be there. */
	bool cut = (p->from[0] && strncmp(p->from, first.from, 4) < 0) ||
	    (p->to[0] && strncmp(p->to, last.to, 4) > 0 &&
	        !(strncmp(p->to + 4, "-01-01", 6) == 0 && atoi(p->to) - 1 <= atoi(last.from)));
	if (cut) {
		const char *line = arena_printf(c->a,
		    SAY(c, "数据只覆盖 %s–%s，“%s”只有一部分",
		        "the data cover %s to %s, so only a part of \"%s\""),
		    min, max, period_text(c, p));
		cert_line(c, k, CHECK_UNKNOWN, "%s", line);
		cert_assume(c, line);
		return;
	}
	cert_line(c, k, CHECK_PASS, SAY(c, "数据覆盖 %s–%s", "the data cover %s to %s"), min, max);
}

void cert_check_coverage(struct cert *c, const struct cert_check *k)
{
	for (size_t i = 0; i < c->g->n_spans; i++) {
		if (c->g->spans[i].kind == SPAN_PERIOD) {
			check_coverage_of(c, k, &c->g->spans[i]);
		}
	}
}
