/* The operations of schema_agent, sql_agent and verify_agent; see agents.h. */
#include <string.h>

#include "agents.pb-c.h"
#include "common/model/pb_grounding.h"
#include "exec.pb-c.h"
#include "orchestrator/pb_call.h"

static const struct pb_op op_ground = {NLQ__ROLE__ROLE_SCHEMA, NLQ__KIND__GROUND, "schema_agent",
    "ground", 2000, 2, PHASE_GROUND, &nlq__ground_reply_view__descriptor};
/* The first grounding on a catalog builds the index: cold work, longer lease. */
static const struct pb_op op_ground_cold = {NLQ__ROLE__ROLE_SCHEMA, NLQ__KIND__GROUND,
    "schema_agent", "ground", 30000, 2, PHASE_GROUND, &nlq__ground_reply_view__descriptor};
static const struct pb_op op_search = {NLQ__ROLE__ROLE_SCHEMA, NLQ__KIND__SEARCH, "schema_agent",
    "search", 30000, 2, PHASE_GROUND, &nlq__search_reply__descriptor};
static const struct pb_op op_step = {NLQ__ROLE__ROLE_SQL, NLQ__KIND__STEP, "sql_agent", "step",
    5000, 1, PHASE_GENERATE, &nlq__step_reply__descriptor};
static const struct pb_op op_verify = {NLQ__ROLE__ROLE_VERIFY, NLQ__KIND__VERIFY, "verify_agent",
    "verify", 5000, 2, PHASE_VERIFY, &nlq__verify_reply__descriptor};

/* FindValues speaks of names, Ground of indexes into the whole catalog. */
static void add_values(struct arena *a, Nlq__GroundRequest *m, const struct agent_ground_args *args,
    const struct semantic_names *spans)
{
	const Nlq__FindValuesReply *found = args->values->message;

	m->has_values_done = 1;
	m->values_done = 1;
	if (!found)
		return;
	m->values = arena_new_array(a, found->n_hits, Nlq__ValueHit *);
	for (size_t i = 0; i < found->n_hits; i++) {
		const Nlq__FoundValue *f = found->hits[i];
		int table = catalog_find_table(args->full, f->table);
		int column = table < 0 ? -1
		                       : catalog_find_column(&args->full->tables[table], f->column);
		Nlq__ValueHit *hit;

		if (column < 0 || f->span >= spans->n)
			continue;
		hit = arena_new(a, Nlq__ValueHit);
		nlq__value_hit__init(hit);
		hit->span_text = PB_STR(spans->items[f->span]);
		hit->table = (uint32_t)table;
		hit->column = (uint32_t)column;
		hit->value = f->value;
		hit->has_partial = f->has_partial;
		hit->partial = f->partial;
		m->values[m->n_values++] = hit;
	}
}

static void read_grounding(struct arena *a, const Nlq__GroundingView *m, struct agent_grounding *g)
{
	g->is_chinese = m->lang == LANG_ZH;
	g->sufficient = m->sufficient;
	g->missing = pb_names(a, m->missing, m->n_missing);
	g->near = pb_names(a, m->near, m->n_near);
	g->n_searched = m->n_tables_searched;
	g->tables = arena_new_array(a, m->n_tables, struct agent_table);
	for (size_t i = 0; i < m->n_tables; i++) {
		if (!m->tables[i]->name)
			continue;
		g->tables[g->n_tables].name = m->tables[i]->name;
		g->tables[g->n_tables++].why = m->tables[i]->why ? m->tables[i]->why : "";
	}
	g->ambiguities = arena_array(a, m->n_ambiguities, sizeof(*g->ambiguities));
	for (size_t i = 0; i < m->n_ambiguities; i++) {
		const Nlq__Ambiguity *am = m->ambiguities[i];

		g->ambiguities[i].text = am->text;
		g->ambiguities[i].options = pb_names(a, am->options, am->n_options);
		g->n_ambiguities++;
	}
}

int agent_ground(struct call_ctx *x, const struct agent_ground_args *args,
    struct agent_grounding *ret_grounding, struct err *e)
{
	Nlq__GroundRequest m = NLQ__GROUND_REQUEST__INIT;
	struct agent_grounding g = {0};
	Nlq__GroundReplyView *reply = NULL;
	ProtobufCMessage *view = NULL;
	int rc;

	m.question = PB_STR(args->question);
	m.today = PB_STR(args->today);
	m.catalog = PB_BYTES(&args->catalog, HASH_LEN);
	if (args->has_semantic) {
		m.has_semantic = 1;
		m.semantic = PB_BYTES(&args->semantic, HASH_LEN);
	}
	m.n_only_tables = args->only_tables.n;
	m.only_tables = (char **)(uintptr_t)args->only_tables.items;
	if (args->values)
		add_values(x->arena, &m, args, &ret_grounding->need_values);
	rc = pb_call(x, args->is_cold ? &op_ground_cold : &op_ground, &m.base, &args->catalog, NULL,
	    (ProtobufCMessage **)&reply, e);
	if (rc)
		return rc;
	g.need_values = pb_names(x->arena, reply->need_values, reply->n_need_values);
	if (!g.need_values.n) {
		if (!reply->has_grounding)
			return err_set(
			    e, ERR_PROTOCOL, PHASE_GROUND, "the schema agent sent no grounding");
		rc = wire_unpack(&nlq__grounding_view__descriptor, reply->grounding.data,
		    reply->grounding.len, &view, e);
		if (rc)
			return rc;
		pb_keep(x, view);
		read_grounding(x->arena, (Nlq__GroundingView *)view, &g);
		g.packed.bytes = reply->grounding.data;
		g.packed.len = reply->grounding.len;
	}
	*ret_grounding = g;
	return 0;
}

int agent_search(struct call_ctx *x, const char *words, const struct hash *catalog,
    const struct hash *semantic, uint32_t limit, struct agent_found **ret_found, size_t *ret_n,
    struct err *e)
{
	Nlq__SearchRequest m = NLQ__SEARCH_REQUEST__INIT;
	Nlq__SearchReply *reply = NULL;
	struct agent_found *found;
	int rc;

	m.words = PB_STR(words);
	m.catalog = PB_BYTES(catalog, HASH_LEN);
	if (semantic) {
		m.has_semantic = 1;
		m.semantic = PB_BYTES(semantic, HASH_LEN);
	}
	m.has_limit = 1;
	m.limit = limit;
	rc = pb_call(x, &op_search, &m.base, catalog, NULL, (ProtobufCMessage **)&reply, e);
	if (rc)
		return rc;
	found = arena_new_array(x->arena, reply->n_hits, struct agent_found);
	for (size_t i = 0; i < reply->n_hits; i++) {
		const Nlq__SearchHit *h = reply->hits[i];

		found[i] = (struct agent_found){
		    h->table, h->column ? h->column : "", h->why ? h->why : "", h->score};
	}
	*ret_found = found;
	*ret_n = reply->n_hits;
	return 0;
}

static Nlq__Observation **observations(struct arena *a, const struct agent_observation *o, size_t n)
{
	Nlq__Observation **list = arena_new_array(a, n, Nlq__Observation *);

	for (size_t i = 0; i < n; i++) {
		Nlq__Observation *m = arena_new(a, Nlq__Observation);

		nlq__observation__init(m);
		m->sql = PB_STR(o[i].sql);
		m->purpose = PB_STR(o[i].purpose);
		if (o[i].rows)
			m->result = ((Nlq__RunReply *)o[i].rows->message)->result;
		if (o[i].err) {
			m->error = arena_new(a, Nlq__Error);
			nlq__error__init(m->error);
			wire_error_from_err(m->error, o[i].err);
		}
		list[i] = m;
	}
	return list;
}

static int read_step(
    struct arena *a, const Nlq__StepReply *reply, struct agent_step *s, struct err *e)
{
	s->generator = reply->generator ? reply->generator : "";
	if (reply->candidate) {
		const Nlq__Candidate *c = reply->candidate;

		s->kind = AGENT_CANDIDATE;
		s->sql = c->sql;
		s->purpose = c->purpose ? c->purpose : "";
		s->confidence = c->confidence;
		s->more = c->more;
		s->assumptions = pb_names(a, c->assumptions, c->n_assumptions);
	} else if (reply->decline) {
		const Nlq__Decline *d = reply->decline;

		s->kind = AGENT_DECLINE;
		s->text = d->reason;
		s->unmapped = pb_names(a, d->unmapped, d->n_unmapped);
		s->near = pb_names(a, d->near, d->n_near);
	} else if (reply->clarify) {
		s->kind = AGENT_CLARIFY;
		s->text = reply->clarify->question;
		s->options = pb_names(a, reply->clarify->options, reply->clarify->n_options);
	} else {
		return err_set(e, ERR_PROTOCOL, PHASE_GENERATE, "the SQL agent sent an empty step");
	}
	return 0;
}

int agent_step(struct call_ctx *x, const struct agent_grounding *g,
    const struct agent_observation *history, size_t n, float floor, uint32_t steps_left,
    const struct semantic_names *revise, struct agent_step *ret_step, struct err *e)
{
	Nlq__StepRequestView m = NLQ__STEP_REQUEST_VIEW__INIT;
	Nlq__StepReply *reply = NULL;
	struct agent_step step = {0};
	int rc;

	m.grounding = PB_BYTES(g->packed.bytes, g->packed.len);
	m.n_history = n;
	m.history = observations(x->arena, history, n);
	if (floor > 0) {
		m.has_floor = 1;
		m.floor = floor;
	}
	m.steps_left = steps_left;
	m.n_revise = revise->n;
	m.revise = (char **)(uintptr_t)revise->items;
	rc = pb_call(x, &op_step, &m.base, NULL, NULL, (ProtobufCMessage **)&reply, e);
	if (!rc)
		rc = read_step(x->arena, reply, &step, e);
	if (!rc)
		*ret_step = step;
	return rc;
}

int agent_verify(struct call_ctx *x, const struct agent_grounding *g,
    const struct agent_observation *steps, size_t n, const struct agent_step *candidate,
    struct verdict **ret_verdict, struct err *e)
{
	Nlq__VerifyRequestView m = NLQ__VERIFY_REQUEST_VIEW__INIT;
	Nlq__VerifyReply *reply = NULL;
	int rc;

	m.grounding = PB_BYTES(g->packed.bytes, g->packed.len);
	m.n_steps = n;
	m.steps = observations(x->arena, steps, n);
	m.confidence = candidate->confidence;
	m.n_assumptions = candidate->assumptions.n;
	m.assumptions = (char **)(uintptr_t)candidate->assumptions.items;
	rc = pb_call(x, &op_verify, &m.base, NULL, NULL, (ProtobufCMessage **)&reply, e);
	return rc ? rc : pb_verdict_read(reply, ret_verdict, e);
}
