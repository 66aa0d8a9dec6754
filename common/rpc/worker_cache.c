/*
 * Snapshots of a worker process: fetched once, decoded once, shared by its slots,
 * dropped least recently used first. The bytes are checked against their hash
 * before anything looks at them.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/base/clock.h"
#include "common/rpc/envelope.h"
#include "common/rpc/worker_impl.h"

#define SNAPSHOT_MAX (64u * 1024 * 1024)
#define FETCH_WAIT_MS 5000
#define WAIT_STEP_MS 50

enum entry_state { ENTRY_FETCHING, ENTRY_HELD, ENTRY_DROPPED };

struct entry {
	struct snapshot pub; /* first: users cast back */
	struct cache *cache;
	enum entry_state state;
	uint32_t refs; /* users; the list itself is not counted */
	size_t bytes;
	uint64_t used_at;
	struct entry *next;
};

struct cache {
	pthread_mutex_t mutex;
	pthread_cond_t changed;
	uint64_t max_bytes, bytes, clock;
	struct entry *entries;
};

struct cache *cache_new(uint64_t max_bytes)
{
	struct cache *c = calloc(1, sizeof(*c));
	pthread_condattr_t attr;

	if (!c)
		return NULL;
	c->max_bytes = max_bytes;
	pthread_mutex_init(&c->mutex, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&c->changed, &attr);
	pthread_condattr_destroy(&attr);
	return c;
}

static void entry_free(struct entry *en)
{
	if (en->pub.object)
		en->pub.type->free(en->pub.object);
	free(en);
}

/* Takes it out of the list; it is freed when its last user gives it back. */
static void drop(struct cache *c, struct entry **at)
{
	struct entry *en = *at;

	*at = en->next;
	c->bytes -= en->bytes;
	en->state = ENTRY_DROPPED;
	if (en->refs == 0)
		entry_free(en);
}

void cache_free(struct cache *c)
{
	if (!c)
		return;
	while (c->entries)
		drop(c, &c->entries);
	pthread_cond_destroy(&c->changed);
	pthread_mutex_destroy(&c->mutex);
	free(c);
}

void cache_drop(struct cache *c, const struct hash *h)
{
	struct entry **at = &c->entries;

	pthread_mutex_lock(&c->mutex);
	while (*at) {
		if ((*at)->state == ENTRY_HELD && hash_equal(&(*at)->pub.hash, h))
			drop(c, at);
		else
			at = &(*at)->next;
	}
	pthread_mutex_unlock(&c->mutex);
}

size_t cache_list(struct cache *c, struct hash *out, size_t max)
{
	size_t n = 0;

	pthread_mutex_lock(&c->mutex);
	for (struct entry *en = c->entries; en && n < max; en = en->next)
		if (en->state == ENTRY_HELD)
			out[n++] = en->pub.hash;
	pthread_mutex_unlock(&c->mutex);
	return n;
}

/* Drops what was used longest ago until the cap holds; what is in use counts and
 * stays. */
static void shrink(struct cache *c)
{
	while (c->bytes > c->max_bytes) {
		struct entry **oldest = NULL;

		for (struct entry **at = &c->entries; *at; at = &(*at)->next)
			if ((*at)->state == ENTRY_HELD && (*at)->refs == 0 &&
			    (!oldest || (*at)->used_at < (*oldest)->used_at))
				oldest = at;
		if (!oldest)
			return;
		drop(c, oldest);
	}
}

static struct entry *find(struct cache *c, const struct hash *h, const struct snapshot_type *type)
{
	struct entry *en = c->entries;

	while (en && !(en->pub.type == type && hash_equal(&en->pub.hash, h)))
		en = en->next;
	return en;
}

static void wait_for_change(struct cache *c)
{
	uint64_t until_ms = clock_mono_ms() + WAIT_STEP_MS;
	struct timespec until = {(time_t)(until_ms / 1000), (long)(until_ms % 1000) * 1000000};

	(void)pthread_cond_timedwait(&c->changed, &c->mutex, &until);
}

static int pack_need(
    struct rpc_job *job, const struct hash *h, uint64_t offset, struct strbuf *out, struct err *e)
{
	Nlq__Envelope env;
	Nlq__Need m = NLQ__NEED__INIT;
	Nlq__Ready ready;
	ProtobufCBinaryData held[WORKER_MAX_HELD];
	struct hash hashes[WORKER_MAX_HELD];

	slot_fill_ready(job->slot, &ready, held, hashes);
	envelope_bytes(&m.job_id, job->job_id, WIRE_ID_LEN);
	envelope_bytes(&m.hash, h->bytes, HASH_LEN);
	m.offset = offset;
	m.ready = &ready;
	envelope_init(&env, NLQ__KIND__NEED);
	strbuf_clear(out);
	return envelope_to_strbuf(&env, &m.base, out, e);
}

/* Takes what the chunk brings; true in *ret_done when all of it is there. */
static int take_chunk(
    nng_msg *msg, const struct hash *h, struct strbuf *bytes, bool *ret_done, struct err *e)
{
	Nlq__Envelope *env = NULL;
	ProtobufCMessage *m = NULL;
	Nlq__Chunk *chunk;
	int rc = envelope_unpack(nng_msg_body(msg), nng_msg_len(msg), &env, e);

	if (rc)
		return rc;
	if (env->kind == NLQ__KIND__FAILED && env->error) {
		wire_error_to_err(e, env->error);
		rc = e->code;
	} else if (env->kind != NLQ__KIND__CHUNK) {
		rc = err_set(
		    e, ERR_PROTOCOL, PHASE_RPC, "a message of kind %d came for a chunk", env->kind);
	} else {
		rc = wire_unpack(&nlq__chunk__descriptor, env->body.data, env->body.len, &m, e);
	}
	if (!rc) {
		chunk = (Nlq__Chunk *)m;
		if (chunk->hash.len != HASH_LEN ||
		    memcmp(chunk->hash.data, h->bytes, HASH_LEN) != 0 ||
		    chunk->offset != bytes->len || chunk->total > SNAPSHOT_MAX ||
		    chunk->data.len > chunk->total - chunk->offset ||
		    (chunk->data.len == 0 && chunk->offset < chunk->total))
			rc = err_set(e, ERR_PROTOCOL, PHASE_RPC,
			    "a chunk of another snapshot or place came");
		else
			strbuf_add(bytes, chunk->data.data, chunk->data.len);
		*ret_done = bytes->len == chunk->total;
	}
	wire_free(m);
	envelope_free(env);
	return rc;
}

static int check_wanted(struct rpc_job *job, struct err *e)
{
	if (!rpc_job_cancelled(job))
		return 0;
	return err_set(
	    e, ERR_CANCELLED, PHASE_RPC, "the job was cancelled while it fetched a snapshot");
}

/* Over the slot's own connection, which is free while the slot works. */
static int fetch(struct rpc_job *job, const struct hash *h, struct strbuf *bytes, struct err *e)
{
	struct rpc_slot *s = job->slot;
	struct strbuf out;
	bool done = false;
	int rc = 0;

	strbuf_init(&out, WIRE_MAX_MESSAGE);
	while (!rc && !done) {
		nng_msg *msg = NULL;
		int nrc;

		rc = check_wanted(job, e);
		if (!rc)
			rc = pack_need(job, h, bytes->len, &out, e);
		if (rc)
			break;
		nrc = req_exchange(
		    s->req, out.data, out.len, FETCH_WAIT_MS, FETCH_WAIT_MS, &msg, NULL);
		if (nrc == 0)
			rc = take_chunk(msg, h, bytes, &done, e);
		else if (nrc != NNG_ECONNRESET && nrc != NNG_ECANCELED && req_redial(s->req))
			worker_pause(s->w, WAIT_STEP_MS);
		nng_msg_free(msg);
	}
	strbuf_done(&out);
	return rc;
}

static int fetch_and_build(struct rpc_job *job, struct entry *en, struct err *e)
{
	struct strbuf bytes;
	struct hash got;
	int rc;

	strbuf_init(&bytes, SNAPSHOT_MAX);
	rc = fetch(job, &en->pub.hash, &bytes, e);
	if (!rc) {
		hash_bytes(bytes.data, bytes.len, &got);
		if (!hash_equal(&got, &en->pub.hash))
			rc = err_set(e, ERR_PROTOCOL, PHASE_RPC,
			    "a %s snapshot does not match its hash", en->pub.type->name);
	}
	if (!rc)
		rc = en->pub.type->build(bytes.data, bytes.len, &en->pub.object, e);
	en->bytes = bytes.len;
	strbuf_done(&bytes);
	return rc;
}

/* With the mutex held: a new entry that this job fetches; NULL without memory. */
static struct entry *add_fetching(
    struct cache *c, const struct hash *h, const struct snapshot_type *type)
{
	struct entry *en = calloc(1, sizeof(*en));

	if (!en)
		return NULL;
	en->pub.hash = *h;
	en->pub.type = type;
	en->cache = c;
	en->refs = 1;
	en->next = c->entries;
	c->entries = en;
	return en;
}

/* With the mutex held, let go while it fetches. */
static int fill(struct rpc_job *job, struct cache *c, struct entry *en, struct err *e)
{
	struct entry **at = &c->entries;
	int rc;

	pthread_mutex_unlock(&c->mutex);
	rc = fetch_and_build(job, en, e);
	pthread_mutex_lock(&c->mutex);
	c->bytes += en->bytes;
	en->state = ENTRY_HELD;
	if (rc) {
		while (*at != en)
			at = &(*at)->next;
		en->refs = 0;
		drop(c, at);
	} else {
		shrink(c);
	}
	pthread_cond_broadcast(&c->changed);
	return rc;
}

int rpc_job_snapshot(struct rpc_job *job, const struct snapshot_type *type, const void *hash,
    size_t hash_len, struct snapshot **ret_snapshot, struct err *e)
{
	struct cache *c = job->slot->w->cache;
	struct entry *en;
	struct hash h;
	int rc = 0;

	if (hash_len != HASH_LEN)
		return err_set(
		    e, ERR_PROTOCOL, PHASE_RPC, "a snapshot hash has %zu bytes", hash_len);
	memcpy(h.bytes, hash, HASH_LEN);
	pthread_mutex_lock(&c->mutex);
	while ((en = find(c, &h, type)) && en->state == ENTRY_FETCHING && !rc) {
		wait_for_change(c); /* another slot fetches it */
		rc = check_wanted(job, e);
	}
	if (!rc && en) {
		en->refs++;
	} else if (!rc) {
		en = add_fetching(c, &h, type);
		rc = en ? fill(job, c, en, e) : err_set(e, ERR_NOMEM, PHASE_RPC, "no memory");
	}
	if (!rc) {
		en->used_at = ++c->clock;
		*ret_snapshot = &en->pub;
	}
	pthread_mutex_unlock(&c->mutex);
	return rc;
}

void snapshot_unref(struct snapshot *s)
{
	struct entry *en = (struct entry *)s;
	struct cache *c;

	if (!s)
		return;
	c = en->cache;
	pthread_mutex_lock(&c->mutex);
	en->refs--;
	if (en->refs == 0 && en->state == ENTRY_DROPPED)
		entry_free(en);
	else
		shrink(c);
	pthread_mutex_unlock(&c->mutex);
}
