/* See index_cache.h. A handful of entries: a list under one mutex. */
#include "schema_agent/index_cache.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "common/model/pb_catalog.h"
#include "common/model/pb_semantic.h"

struct index_entry {
	struct index_entry *next;
	struct hash catalog_hash, semantic_hash; /* zero: no model */
	struct snapshot *catalog, *semantic;
	struct ground_index *index;
	uint32_t users;
	bool listed;
	uint64_t last_use;
};

static struct {
	pthread_mutex_t lock;
	struct index_entry *first;
	uint32_t n, max;
	uint64_t clock;
} cache = {.lock = PTHREAD_MUTEX_INITIALIZER};

static int build_catalog(const void *bytes, size_t len, void **ret_object, struct err *e)
{
	struct catalog *c = NULL;
	int rc = pb_catalog_unpack(bytes, len, &c, e);

	*ret_object = c;
	return rc;
}

static int build_semantic(const void *bytes, size_t len, void **ret_object, struct err *e)
{
	struct semantic *s = NULL;
	int rc = pb_semantic_unpack(bytes, len, &s, e);

	*ret_object = s;
	return rc;
}

static void free_catalog(void *object)
{
	catalog_free(object);
}

static void free_semantic(void *object)
{
	semantic_free(object);
}

static const struct snapshot_type catalog_type = {"catalog", build_catalog, free_catalog};
static const struct snapshot_type semantic_type = {"semantic", build_semantic, free_semantic};

void index_cache_init(uint32_t max_entries)
{
	cache.max = max_entries;
}

static void entry_free(struct index_entry *x)
{
	if (!x)
		return;
	ground_index_free(x->index);
	snapshot_unref(x->catalog);
	snapshot_unref(x->semantic);
	free(x);
}

void index_cache_done(void)
{
	struct index_entry *x;

	while ((x = cache.first)) {
		cache.first = x->next;
		entry_free(x);
	}
	cache.n = 0;
}

/* Takes the least recently used entry that nobody uses out of the list. */
static struct index_entry *evict(void)
{
	struct index_entry **at, **oldest = NULL, *x;

	for (at = &cache.first; *at; at = &(*at)->next)
		if (!(*at)->users && (!oldest || (*at)->last_use < (*oldest)->last_use))
			oldest = at;
	if (!oldest)
		return NULL;
	x = *oldest;
	*oldest = x->next;
	cache.n--;
	return x;
}

static struct index_entry *find(const struct hash *catalog, const struct hash *semantic)
{
	struct index_entry *x;

	for (x = cache.first; x; x = x->next)
		if (hash_equal(&x->catalog_hash, catalog) &&
		    hash_equal(&x->semantic_hash, semantic)) {
			x->users++;
			x->last_use = ++cache.clock;
			return x;
		}
	return NULL;
}

/* Lists the entry unless another slot was faster; returns the one that stays. */
static struct index_entry *insert(struct index_entry *x)
{
	struct index_entry *other, *old = NULL;

	pthread_mutex_lock(&cache.lock);
	other = find(&x->catalog_hash, &x->semantic_hash);
	if (!other) {
		if (cache.n >= cache.max)
			old = evict();
		x->users = 1;
		x->last_use = ++cache.clock;
		x->listed = cache.n < cache.max;
		if (x->listed) {
			x->next = cache.first;
			cache.first = x;
			cache.n++;
		}
	}
	pthread_mutex_unlock(&cache.lock);
	entry_free(old);
	if (!other)
		return x;
	entry_free(x);
	return other;
}

static int build(struct rpc_job *job, struct index_entry *x, struct err *e)
{
	static const struct hash none;
	int rc = rpc_job_snapshot(
	    job, &catalog_type, x->catalog_hash.bytes, HASH_LEN, &x->catalog, e);

	if (!rc && !hash_equal(&x->semantic_hash, &none))
		rc = rpc_job_snapshot(
		    job, &semantic_type, x->semantic_hash.bytes, HASH_LEN, &x->semantic, e);
	if (!rc)
		x->index = ground_index_new(
		    x->catalog->object, x->semantic ? x->semantic->object : NULL);
	return rc;
}

int index_cache_get(struct rpc_job *job, const void *catalog, size_t catalog_len,
    const void *semantic, size_t semantic_len, struct index_entry **ret_entry, struct err *e)
{
	struct hash c, s = {{0}};
	struct index_entry *x;
	int rc;

	if (catalog_len != HASH_LEN || (semantic_len && semantic_len != HASH_LEN))
		return err_set(
		    e, ERR_PROTOCOL, PHASE_GROUND, "a snapshot hash has the wrong length");
	memcpy(c.bytes, catalog, HASH_LEN);
	if (semantic_len)
		memcpy(s.bytes, semantic, HASH_LEN);
	pthread_mutex_lock(&cache.lock);
	x = find(&c, &s);
	pthread_mutex_unlock(&cache.lock);
	if (x) {
		*ret_entry = x;
		return 0;
	}
	x = calloc(1, sizeof(*x));
	if (!x)
		return err_set(e, ERR_NOMEM, PHASE_GROUND, "out of memory");
	x->catalog_hash = c;
	x->semantic_hash = s;
	rc = build(job, x, e);
	if (rc) {
		entry_free(x);
		return rc;
	}
	*ret_entry = insert(x);
	return 0;
}

void index_cache_put(struct index_entry *x)
{
	bool gone;

	if (!x)
		return;
	pthread_mutex_lock(&cache.lock);
	gone = --x->users == 0 && !x->listed;
	pthread_mutex_unlock(&cache.lock);
	if (gone)
		entry_free(x);
}

const struct ground_index *index_entry_index(const struct index_entry *x)
{
	return x->index;
}

const struct catalog *index_entry_catalog(const struct index_entry *x)
{
	return x->catalog->object;
}
