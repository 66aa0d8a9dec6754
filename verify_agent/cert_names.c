/* Names of the candidate: inside the grounding's context, resolved and not
 * marked as unfit. */
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
