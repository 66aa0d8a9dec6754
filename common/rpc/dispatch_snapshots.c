/* Published bytes, handed out by hash in chunks. */
#include <stdlib.h>
#include <string.h>

#include "common/rpc/dispatch_impl.h"
#include "common/rpc/envelope.h"

static struct published **find(struct dispatch *d, const uint8_t *hash)
{
	struct published **at = &d->published;

	while (*at && memcmp((*at)->hash.bytes, hash, HASH_LEN) != 0)
		at = &(*at)->next;
	return at;
}

void dispatch_publish(struct dispatch *d, const struct hash *h, const void *bytes, size_t len)
{
	struct published *p = calloc(1, sizeof(*p));
	bool known;

	if (!p || !(p->bytes = malloc(len + 1))) {
		free(p);
		return; /* workers that need it are told that it is not there */
	}
	p->hash = *h;
	memcpy(p->bytes, bytes, len);
	p->len = len;
	p->refs = 1;
	dispatch_lock(d);
	known = *find(d, h->bytes) != NULL;
	if (!known) {
		p->next = d->published;
		d->published = p;
	} else {
		published_unref(p);
	}
	dispatch_unlock(d);
}

void dispatch_withdraw(struct dispatch *d, const struct hash *h)
{
	struct published **at, *p;
	struct instance *in;

	dispatch_lock(d);
	at = find(d, h->bytes);
	p = *at;
	if (p) {
		*at = p->next;
		published_unref(p);
		TAILQ_FOREACH(in, &d->instances, link)
		if (instance_holds(in, h))
			control_drop(in, h);
	}
	dispatch_unlock(d);
}

struct published *published_ref(struct dispatch *d, const ProtobufCBinaryData *hash)
{
	struct published *p = hash->len == HASH_LEN ? *find(d, hash->data) : NULL;

	if (p)
		p->refs++;
	return p;
}

void published_unref(struct published *p)
{
	if (!p || --p->refs > 0)
		return;
	free(p->bytes);
	free(p);
}

nng_msg *published_chunk(const struct published *p, uint64_t offset)
{
	Nlq__Chunk m = NLQ__CHUNK__INIT;
	size_t len;

	if (offset > p->len)
		offset = p->len;
	len = p->len - (size_t)offset;
	if (len > WIRE_MAX_CHUNK)
		len = WIRE_MAX_CHUNK;
	envelope_bytes(&m.hash, p->hash.bytes, HASH_LEN);
	m.offset = offset;
	m.total = p->len;
	envelope_bytes(&m.data, p->bytes + offset, len);
	return envelope_simple(NLQ__KIND__CHUNK, &m.base);
}
