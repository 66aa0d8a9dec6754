/* Names of the candidate: inside the grounding's context, resolved, not marked
 * as unfit; and the words of the question that nothing explains. */
#include <string.h>

#include "verify_agent/cert.h"

static bool is_outside(const struct err *e)
{
	return e->code == ERR_UNKNOWN_TABLE || e->code == ERR_OUTSIDE_CONTEXT;
}

/* A table that the grounding does not hold may exist: it is outside all the
 * same, and the flow may ask for it once. */
void cert_check_context(struct cert *c, const struct cert_check *k)
{
	struct semantic_names seen = {NULL, 0};
	bool failed = false;

	for (size_t i = 0; i < c->n_steps; i++) {
		const struct cert_step *s = &c->steps[i];
		if (!s->tree && is_outside(&s->error)) {
			failed = true;
			cert_line(c, k, CHECK_FAIL,
			    SAY(c, "查询用到本题上下文之外的表：%s",
			        "a table outside the context: %s"),
			    s->error.text);
		}
		for (size_t j = 0; j < s->facts.n_tables; j++) {
			cert_add_name(c, &seen, c->g->catalog->tables[s->facts.tables[j]].name);
		}
	}
	if (!failed) {
		cert_line(c, k, CHECK_PASS,
		    SAY(c, "只用到上下文中的表：%s", "only tables of the context are read: %s"),
		    cert_join_names(c, &seen, ", "));
	}
}

void cert_check_names(struct cert *c, const struct cert_check *k)
{
	size_t n_columns = 0;
	bool failed = false;

	for (size_t i = 0; i < c->n_steps; i++) {
		const struct cert_step *s = &c->steps[i];
		n_columns += s->facts.n_columns;
		if (s->tree || is_outside(&s->error)) {
			failed |= !s->tree;
			continue;
		}
		failed = true;
		cert_line(c, k, CHECK_FAIL, "%s%s%s", s->error.text, s->error.fix[0] ? "; " : "",
		    s->error.fix);
	}
	if (!failed) {
		cert_line(c, k, CHECK_PASS,
		    SAY(c, "所有名称都能解析（%zu 个列引用）", "every name resolves (%zu columns)"),
		    n_columns);
	}
}

static bool is_named_literally(const struct cert *c, uint32_t table)
{
	for (size_t i = 0; i < c->g->n_tables; i++) {
		if (c->g->tables[i].table == table) {
			return c->g->tables[i].literal;
		}
	}
	return false;
}

static void check_status_of(struct cert *c, const struct cert_check *k, uint32_t table)
{
	const struct semantic_dataset *d = semantic_dataset_of(
	    c->g->semantic, c->g->catalog, table);
	if (!d || d->status == SEMANTIC_ACTIVE) {
		return;
	}
	const char *what = d->status == SEMANTIC_TRAP ? SAY(c, "不可用于回答", "unfit for answers")
	                                              : SAY(c, "已停用", "deprecated");
	const char *instead = d->use_instead[0]
	    ? arena_printf(c->a, SAY(c, "，应使用 %s", ", use %s instead"), d->use_instead)
	    : "";
	const char *text = arena_printf(c->a, SAY(c, "表 %s %s（%s）%s", "table %s is %s (%s)%s"),
	    c->g->catalog->tables[table].name, what, d->description, instead);
	/* Who names it means it; the answer then carries the warning. */
	if (is_named_literally(c, table)) {
		cert_line(c, k, CHECK_UNKNOWN, "%s", text);
		cert_assume(c, text);
	} else {
		cert_line(c, k, CHECK_FAIL, "%s", text);
	}
}

void cert_check_status(struct cert *c, const struct cert_check *k)
{
	size_t before = c->v->n_lines;
	for (size_t i = 0; i < c->n_steps; i++) {
		for (size_t j = 0; j < c->steps[i].facts.n_tables; j++) {
			check_status_of(c, k, c->steps[i].facts.tables[j]);
		}
	}
	if (c->v->n_lines == before) {
		cert_line(c, k, CHECK_PASS,
		    SAY(c, "没有用到停用或有陷阱的表", "no deprecated or trap table is read"));
	}
}

/* fin_bak_2023 is the name of something, not a word that can be passed over. */
static bool is_identifier(const struct cert *c, const struct grounding_span *s)
{
	const char *q = c->g->question;
	return memchr(q + s->start, '_', s->len) || q[s->start + s->len] == '_' ||
	    (s->start > 0 && q[s->start - 1] == '_');
}

void cert_check_words(struct cert *c, const struct cert_check *k)
{
	for (size_t i = 0; i < c->g->n_spans; i++) {
		const struct grounding_span *s = &c->g->spans[i];
		if (s->kind == SPAN_UNKNOWN && is_identifier(c, s)) {
			cert_line(c, k, CHECK_FAIL,
			    SAY(c, "没有名为“%s”的数据", "there is nothing named \"%s\""),
			    cert_span_text(c, s));
		} else if (s->kind == SPAN_UNKNOWN) {
			cert_line(c, k, CHECK_UNKNOWN,
			    SAY(c, "问题中的“%s”没有对应的数据",
			        "nothing in the data explains \"%s\""),
			    cert_span_text(c, s));
		}
	}
}

static bool reads_table(const struct cert *c, uint32_t table)
{
	for (size_t i = 0; i < c->n_steps; i++) {
		for (size_t j = 0; j < c->steps[i].facts.n_tables; j++) {
			if (c->steps[i].facts.tables[j] == table) {
				return true;
			}
		}
	}
	return false;
}

static bool is_target_used(const struct cert *c, const struct span_target *t)
{
	if (t->column != TARGET_NONE) {
		return cert_uses_column(c, t->table, t->column);
	}
	return t->table != TARGET_NONE ? reads_table(c, t->table) : true;
}

/* A column that the question names by its whole name is somewhere in the query,
 * or another reading of the same words is. */
void cert_check_columns(struct cert *c, const struct cert_check *k)
{
	for (size_t i = 0; i < c->g->n_spans; i++) {
		const struct grounding_span *s = &c->g->spans[i];
		bool used = s->n_targets == 0;
		for (size_t j = 0; j < s->n_targets && !used; j++) {
			used = is_target_used(c, &s->targets[j]);
		}
		if (s->kind == SPAN_COLUMN && !used && !cert_uses_words(c, s)) {
			cert_line(c, k, CHECK_UNKNOWN,
			    SAY(c, "问题中的“%s”没有用到查询里",
			        "\"%s\" of the question is not in the query"),
			    cert_span_text(c, s));
		}
	}
}
