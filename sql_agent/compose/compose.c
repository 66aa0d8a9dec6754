/* The stages in order, and which step of the request this is. */
#include <stdlib.h>
#include <string.h>

#include "sql_agent/compose/compose.h"
#include "sql_agent/compose/decline.h"
#include "sql_agent/compose/emit.h"
#include "sql_agent/compose/resolve.h"
#include "sql_agent/compose/roles.h"
#include "sql_agent/compose/score.h"
#include "sql_agent/compose/twostep.h"

#define TRACE_MAX 4096

struct composing {
	struct compose_reply *reply;
	struct arena *a;
	const struct grounding *g;
	struct view *view;
	struct items items;
	struct roles roles;
	struct twostep plan;
	bool two_steps;
};

static void read_question(struct composing *c)
{
	c->view = view_new(c->a, c->g);
	items_build(c->a, c->view, &c->items);
	resolve_items(&c->items);
	c->roles = (struct roles){.a = c->a,
	    .v = c->view,
	    .items = &c->items,
	    .ir = ir_new(c->a),
	    .is_zh = c->g->lang == LANG_ZH};
	roles_assign(&c->roles);
	c->two_steps = twostep_needed(c->view, c->roles.ir, &c->plan);
	if (!c->two_steps)
		twostep_keep_all(c->a, c->view, c->roles.ir);
}

static const char *trace(struct composing *c, const struct ir *ir, const struct score *s)
{
	struct strbuf b;
	const char *text;

	strbuf_init(&b, TRACE_MAX);
	ir_print(&b, ir, c->view->c);
	if (c->roles.failed)
		strbuf_printf(&b, "failed: %s\n", c->roles.failed);
	strbuf_puts(&b, "score");
	for (int f = 0; f < SCORE_FEATURES; f++)
		if (s->features[f] != 0)
			strbuf_printf(&b, " %s=%.2f", score_feature_name((enum score_feature)f),
			    (double)s->features[f]);
	strbuf_putc(&b, '\n');
	text = arena_strndup(c->a, b.data, b.len);
	strbuf_done(&b);
	return text;
}

static const char *print_sql(struct arena *a, const struct sql_select *s)
{
	struct strbuf b;
	const char *text = NULL;

	strbuf_init(&b, SQL_MAX_BYTES);
	sql_print(&b, &sql_dialect_sqlite, s, SQL_PRINT_SHOWN, 0);
	if (!b.failed)
		text = arena_strndup(a, b.data, b.len);
	strbuf_done(&b);
	return text;
}

static const char *purpose_of(const struct composing *c, bool first)
{
	bool zh = c->roles.is_zh;

	if (first)
		return zh ? "先找出排名最前的对象及其数值" : "find the leader and its amount";
	if (c->two_steps)
		return zh ? "再查询该对象被问到的指标" : "ask the measure of the leader";
	return zh ? "回答问题" : "answer the question";
}

/* Emits the IR, scores it, and fills the reply either way. */
static void offer(struct composing *c, const struct ir *ir, bool first, double floor)
{
	struct emit em = {.arena = c->a, .view = c->view, .ir = ir};
	struct sql_select *select = NULL;
	struct err why = ERR_INIT;
	struct score score;
	int rc = emit_select(&em, &select, &why);

	score_ir(&c->roles, &em, &score);
	c->reply->trace = trace(c, ir, &score);
	c->reply->sql = rc == 0 ? print_sql(c->a, select) : NULL;
	if (!c->reply->sql || score.confidence < floor) {
		decline_reply(c->reply, &c->roles, &score, rc < 0 ? &why : NULL);
		return;
	}
	c->reply->kind = COMPOSE_CANDIDATE;
	c->reply->purpose = purpose_of(c, first);
	c->reply->confidence = score.confidence;
	c->reply->more = first;
	c->reply->assumptions = em.assumptions;
}

/* A term of the semantic model with several meanings and no default. */
static bool asks_back(struct composing *c)
{
	for (size_t i = 0; i < c->g->n_ambiguities; i++) {
		const struct grounding_ambiguity *am = &c->g->ambiguities[i];

		for (size_t k = 0; k < c->items.n; k++)
			if (c->items.list[k].span == am->span && c->items.list[k].used &&
			    am->options.n > 1) {
				clarify_reply(c->reply, am->text, &am->options);
				return true;
			}
	}
	return false;
}

static void second_step(struct composing *c, const struct resultset *found, double floor)
{
	struct semantic_names leaders = {NULL, 0};
	struct ir *ir;

	twostep_leaders(c->a, found, &leaders);
	if (leaders.n > 1) {
		clarify_reply(c->reply,
		    c->roles.is_zh ? "并列第一的不止一个，要问哪一个？"
		                   : "several are tied for the lead; which one is meant?",
		    &leaders);
		return;
	}
	ir = twostep_second(c->a, c->view, c->roles.ir, &c->plan, found);
	if (!ir)
		decline_with(c->reply,
		    c->roles.is_zh ? "第一步没有找到任何记录" : "the first step found no row");
	else
		offer(c, ir, false, floor);
}

static void step(struct composing *c, const struct compose_past *past, size_t n_past, double floor)
{
	read_question(c);
	if (asks_back(c))
		return;
	if (n_past == 0 && c->two_steps)
		offer(c, twostep_first(c->a, c->view, c->roles.ir, &c->plan), true, floor);
	else if (n_past == 0)
		offer(c, c->roles.ir, false, floor);
	else if (n_past == 1 && c->two_steps && past[0].result)
		second_step(c, past[0].result, floor);
	else
		/* deterministic: what was refused once would only be said again */
		decline_with(c->reply,
		    c->roles.is_zh ? "没有其他读法" : "there is no other reading of the question");
}

int compose_step(const struct grounding *g, const struct compose_past *past, size_t n_past,
    double floor, struct compose_reply **ret_reply, struct err *e)
{
	struct composing c = {.g = g};

	if (!g->catalog || !g->semantic || !g->question)
		return err_set(e, ERR_BAD_INPUT, PHASE_GENERATE, "the grounding is incomplete");
	c.reply = calloc(1, sizeof(*c.reply));
	if (!c.reply)
		return err_set(e, ERR_NOMEM, PHASE_GENERATE, "out of memory");
	arena_init(&c.reply->arena);
	c.a = &c.reply->arena;
	step(&c, past, n_past, floor);
	*ret_reply = c.reply;
	return 0;
}

void compose_reply_free(struct compose_reply *r)
{
	if (!r)
		return;
	arena_done(&r->arena);
	free(r);
}
