/*
 * Control connections: a poll waits until there is something to order, at most
 * CONTROL_MS; a newer poll takes the place of the old. Orders repeat with every
 * answer until a poll acknowledges their sequence number.
 */
#include <string.h>

#include "common/base/clock.h"
#include "common/rpc/dispatch_impl.h"
#include "common/rpc/envelope.h"

static void push(struct instance *in, bool is_drop, const void *subject, size_t len)
{
	struct order *o;

	if (in->n_orders == MAX_ORDERS) /* the oldest is overtaken by lease and cache limits */
		memmove(in->orders, in->orders + 1, --in->n_orders * sizeof(in->orders[0]));
	o = &in->orders[in->n_orders++];
	*o = (struct order){.seq = ++in->seq, .is_drop = is_drop};
	memcpy(o->subject.bytes, subject, len);
	control_answer(in);
}

static bool was_called_off(const struct instance *in, const uint8_t *job_id)
{
	for (uint32_t i = 0; i < in->n_called_off && i < MAX_SLOTS; i++)
		if (memcmp(in->called_off[i], job_id, WIRE_ID_LEN) == 0)
			return true;
	return false;
}

void control_cancel(struct instance *in, const uint8_t *job_id)
{
	if (was_called_off(in, job_id))
		return;
	memcpy(in->called_off[in->n_called_off++ % MAX_SLOTS], job_id, WIRE_ID_LEN);
	push(in, false, job_id, WIRE_ID_LEN);
}

void control_drop(struct instance *in, const struct hash *h)
{
	push(in, true, h->bytes, HASH_LEN);
}

void control_answer(struct instance *in)
{
	Nlq__Orders m = NLQ__ORDERS__INIT;
	ProtobufCBinaryData cancel[MAX_ORDERS], drop[MAX_ORDERS];

	if (!in->control)
		return;
	m.seq = in->seq;
	m.cancel = cancel;
	m.drop = drop;
	for (size_t i = 0; i < in->n_orders; i++) {
		struct order *o = &in->orders[i];

		if (o->is_drop)
			envelope_bytes(&drop[m.n_drop++], o->subject.bytes, HASH_LEN);
		else
			envelope_bytes(&cancel[m.n_cancel++], o->subject.bytes, WIRE_ID_LEN);
	}
	dispatch_answer(in->role->d, in->control, envelope_simple(NLQ__KIND__ORDERS, &m.base));
	in->control = NULL;
}

static void acknowledge(struct instance *in, uint64_t seq)
{
	size_t kept = 0;

	for (size_t i = 0; i < in->n_orders; i++)
		if (in->orders[i].seq > seq)
			in->orders[kept++] = in->orders[i];
	in->n_orders = kept;
}

void control_drain(struct instance *in)
{
	struct slot *s, *next;

	if (in->is_draining)
		return;
	in->is_draining = true;
	for (s = TAILQ_FIRST(&in->slots); s; s = next) {
		struct listener_call *c = s->call;

		next = TAILQ_NEXT(s, link);
		if (s->state != SLOT_PARKED)
			continue;
		slot_unpark(s);
		slot_park(s, s->pipe, c);
	}
}

/* What it works on and nobody waits for any more, say from our last life. */
static void call_off_strays(struct instance *in, const Nlq__Poll *poll)
{
	for (size_t i = 0; i < poll->n_jobs && i < MAX_SLOTS; i++)
		if (poll->jobs[i].len == WIRE_ID_LEN && !job_find(in->role, poll->jobs[i].data))
			control_cancel(in, poll->jobs[i].data);
}

static void copy_text(char *out, size_t size, const char *text)
{
	size_t len = text ? strlen(text) : 0;

	if (len >= size)
		len = size - 1;
	memcpy(out, text ? text : "", len);
	out[len] = 0;
}

void control_poll(struct instance *in, struct listener_call *c, const Nlq__Poll *poll)
{
	struct dispatch *d = in->role->d;

	if (in->control)
		dispatch_answer(d, in->control, NULL);
	in->control = NULL;
	in->control_pipe = c->pipe;
	in->told_slots = poll->slots;
	in->rss_kb = poll->rss_kb;
	copy_text(in->version, sizeof(in->version), poll->version);
	copy_text(in->sandbox, sizeof(in->sandbox), poll->sandbox);
	instance_set_held(in, poll->n_held, poll->held);
	acknowledge(in, poll->ack_seq);
	if (poll->draining)
		control_drain(in);
	call_off_strays(in, poll);
	in->control = c;
	in->control_due_ms = clock_mono_ms() + CONTROL_MS;
	timer_at(d, in->control_due_ms);
	if (in->n_orders > 0)
		control_answer(in);
}
