/* Words for people; every name in them is the question's or the catalog's own. */
#include "sql_agent/compose/decline.h"

static void copy_names(
    struct arena *a, struct semantic_names *to, const struct semantic_names *from)
{
	for (size_t i = 0; i < from->n; i++)
		*arena_push(a, to->items, to->n) = arena_strdup(a, from->items[i]);
}

static const char *joined(struct arena *a, const struct semantic_names *names, bool zh)
{
	const char *text = "";

	for (size_t i = 0; i < names->n; i++)
		text = arena_printf(a, "%s%s%s", text,
		    i == 0   ? ""
		        : zh ? "、"
		             : ", ",
		    names->items[i]);
	return text;
}

/* The rule texts are English; people who ask in Chinese get the general line. */
static const char *reason_of(
    struct arena *a, struct roles *r, const struct score *s, const struct err *e)
{
	bool zh = r->is_zh;

	if (s->out_of_data)
		return s->out_of_data;
	if (s->unmapped.n > 0)
		return arena_printf(a,
		    zh ? "数据库里找不到与“%s”对应的内容" : "nothing in the database explains: %s",
		    joined(a, &s->unmapped, zh));
	if (e && e->text[0])
		return zh ? "问题涉及的表之间没有可用的关联，无法组成一条查询"
		          : arena_strdup(a, e->text);
	if (r->failed)
		return zh ? "问题里的条件无法完整地对应到查询"
		          : arena_printf(a, "the question was not understood: %s", r->failed);
	if (!r->v->g->sufficient)
		return zh ? "没有找到与问题相关的表" : "no table has to do with the question";
	return zh ? "对这个问题的理解不够确定"
	          : "the reading of the question is not certain enough";
}

void decline_reply(
    struct compose_reply *reply, struct roles *r, const struct score *s, const struct err *e)
{
	struct arena *a = &reply->arena;

	reply->kind = COMPOSE_DECLINE;
	reply->sql = "";
	reply->purpose = "";
	reply->confidence = s->confidence;
	reply->reason = reason_of(a, r, s, e);
	reply->unmapped = s->unmapped;
	copy_names(a, &reply->near, &r->v->g->near);
}

void decline_with(struct compose_reply *reply, const char *reason)
{
	reply->kind = COMPOSE_DECLINE;
	reply->sql = "";
	reply->purpose = "";
	reply->confidence = 0;
	reply->reason = reason;
}

void clarify_reply(
    struct compose_reply *reply, const char *question, const struct semantic_names *options)
{
	reply->kind = COMPOSE_CLARIFY;
	reply->sql = "";
	reply->purpose = "";
	reply->question = arena_strdup(&reply->arena, question);
	copy_names(&reply->arena, &reply->options, options);
}
