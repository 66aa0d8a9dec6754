/* See handlers.h. A value hit that does not fit the catalog is a protocol error,
 * not something to follow. */
#include "schema_agent/handlers.h"

#include "common/model/pb_catalog.h"
#include "common/model/pb_grounding.h"
#include "common/wire/wire.h"
#include "schema.pb-c.h"
#include "schema_agent/index_cache.h"

static struct handler_settings settings = {GROUND_ALPHA, GROUND_FLOOR, GROUND_MAX_TABLES, 4};

void schema_agent_handlers_init(const struct handler_settings *s)
{
	settings = *s;
	index_cache_init(s->indexes);
}

void schema_agent_handlers_done(void)
{
	index_cache_done();
}

static int read_hits(struct arena *a, const Nlq__GroundRequest *m, const struct catalog *c,
    struct ground_options *o, struct err *e)
{
	struct ground_value_hit *hits = arena_new_array(a, m->n_values, struct ground_value_hit);
	size_t i;
	int rc;

	for (i = 0; i < m->n_values; i++) {
		const Nlq__ValueHit *v = m->values[i];

		if (v->table >= c->n_tables || v->column >= c->tables[v->table].n_columns)
			return err_set(
			    e, ERR_PROTOCOL, PHASE_GROUND, "a value hit is outside the catalog");
		hits[i].span = arena_strdup(a, v->span_text);
		hits[i].table = v->table;
		hits[i].column = v->column;
		hits[i].partial = v->has_partial && v->partial;
		rc = pb_value_read(a, v->value, &hits[i].value, e);
		if (rc)
			return rc;
	}
	o->hits = hits;
	o->n_hits = m->n_values;
	return 0;
}

static int pack_ground(struct arena *a, const struct grounding *g,
    const struct semantic_names *need, struct strbuf *ret_body, struct err *e)
{
	Nlq__GroundReply reply = NLQ__GROUND_REPLY__INIT;

	if (need->n) {
		reply.n_need_values = need->n;
		reply.need_values = (char **)(uintptr_t)need->items;
	} else {
		reply.grounding = pb_grounding_message(a, g);
	}
	return wire_pack(ret_body, &reply.base, e);
}

static int ground(
    struct rpc_job *job, const Nlq__GroundRequest *m, struct strbuf *ret_body, struct err *e)
{
	struct ground_options o = {
	    .today = m->today,
	    .alpha = settings.alpha,
	    .floor = settings.floor,
	    .max_tables = settings.max_tables,
	    .only_tables = (const char *const *)m->only_tables,
	    .n_only = m->n_only_tables,
	    .values_done = m->has_values_done && m->values_done,
	};
	struct semantic_names need = {NULL, 0};
	struct index_entry *entry = NULL;
	struct arena a = ARENA_INIT;
	struct grounding *g = NULL;
	int rc;

	rc = index_cache_get(job, m->catalog.data, m->catalog.len,
	    m->has_semantic ? m->semantic.data : NULL, m->has_semantic ? m->semantic.len : 0,
	    &entry, e);
	if (!rc)
		rc = read_hits(&a, m, index_entry_catalog(entry), &o, e);
	if (!rc)
		rc = ground_question(index_entry_index(entry), m->question, &o, &g, &need, e);
	if (!rc)
		rc = pack_ground(&a, g, &need, ret_body, e);
	grounding_free(g);
	arena_done(&a);
	index_cache_put(entry);
	return rc;
}

int handle_ground(struct rpc_job *job, struct strbuf *ret_body, struct err *e)
{
	ProtobufCMessage *m = NULL;
	int rc = wire_unpack(&nlq__ground_request__descriptor, job->body, job->len, &m, e);

	if (!rc)
		rc = ground(job, (const Nlq__GroundRequest *)m, ret_body, e);
	wire_free(m);
	return rc;
}

static int pack_search(struct arena *a, const struct catalog *c,
    const struct ground_search_hit *hits, size_t n, struct strbuf *ret_body, struct err *e)
{
	Nlq__SearchReply reply = NLQ__SEARCH_REPLY__INIT;
	size_t i;

	reply.n_hits = n;
	reply.hits = arena_new_array(a, n, Nlq__SearchHit *);
	for (i = 0; i < n; i++) {
		const struct catalog_table *t = &c->tables[hits[i].table];
		Nlq__SearchHit *h = arena_new(a, Nlq__SearchHit);

		nlq__search_hit__init(h);
		h->table = (char *)(uintptr_t)t->name;
		if (hits[i].column != TARGET_NONE)
			h->column = (char *)(uintptr_t)t->columns[hits[i].column].name;
		h->score = hits[i].score;
		h->why = (char *)(uintptr_t)hits[i].why;
		reply.hits[i] = h;
	}
	return wire_pack(ret_body, &reply.base, e);
}

static int search(
    struct rpc_job *job, const Nlq__SearchRequest *m, struct strbuf *ret_body, struct err *e)
{
	struct ground_search_hit *hits = NULL;
	struct index_entry *entry = NULL;
	struct arena a = ARENA_INIT;
	size_t n = 0;
	int rc;

	rc = index_cache_get(job, m->catalog.data, m->catalog.len,
	    m->has_semantic ? m->semantic.data : NULL, m->has_semantic ? m->semantic.len : 0,
	    &entry, e);
	if (!rc)
		rc = ground_search(index_entry_index(entry), m->words, m->has_limit ? m->limit : 0,
		    &a, &hits, &n, e);
	if (!rc)
		rc = pack_search(&a, index_entry_catalog(entry), hits, n, ret_body, e);
	arena_done(&a);
	index_cache_put(entry);
	return rc;
}

int handle_search(struct rpc_job *job, struct strbuf *ret_body, struct err *e)
{
	ProtobufCMessage *m = NULL;
	int rc = wire_unpack(&nlq__search_request__descriptor, job->body, job->len, &m, e);

	if (!rc)
		rc = search(job, (const Nlq__SearchRequest *)m, ret_body, e);
	wire_free(m);
	return rc;
}
