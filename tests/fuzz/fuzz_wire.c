/*
 * Fuzz target of common/wire: the first byte chooses a message type, the rest is its
 * bytes. What is accepted must pack again, into bytes that are accepted too.
 *   clang -fsanitize=fuzzer,address,undefined -DNLQ_LIBFUZZER ... or, without
 *   libFuzzer, a program that reads the files named on its command line.
 */
#include <stdlib.h>

#include "agents.pb-c.h"
#include "client.pb-c.h"
#include "common/wire/wire.h"
#include "exec.pb-c.h"

#ifndef NLQ_LIBFUZZER
#include "tests/fuzz/file_main.h"
#endif

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const ProtobufCMessageDescriptor *const types[] = {
    &nlq__envelope__descriptor,
    &nlq__ready__descriptor,
    &nlq__result__descriptor,
    &nlq__need__descriptor,
    &nlq__chunk__descriptor,
    &nlq__poll__descriptor,
    &nlq__orders__descriptor,
    &nlq__job__descriptor,
    &nlq__catalog__descriptor,
    &nlq__semantic__descriptor,
    &nlq__ground_request__descriptor,
    &nlq__ground_reply__descriptor,
    &nlq__step_request__descriptor,
    &nlq__step_reply__descriptor,
    &nlq__verify_request__descriptor,
    &nlq__verify_reply__descriptor,
    &nlq__run_request__descriptor,
    &nlq__run_reply__descriptor,
    &nlq__find_values_reply__descriptor,
    &nlq__ask_request__descriptor,
    &nlq__ask_reply__descriptor,
    &nlq__status_reply__descriptor,
    &nlq__trace_show_reply__descriptor,
};

static void check(bool ok)
{
	if (!ok)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const ProtobufCMessageDescriptor *d;
	ProtobufCMessage *m = NULL, *again = NULL;
	struct strbuf b;
	struct err e = ERR_INIT;

	if (size == 0)
		return 0;
	d = types[data[0] % ARRAY_SIZE(types)];
	if (wire_unpack(d, data + 1, size - 1, &m, &e)) {
		check(e.code == ERR_PROTOCOL && e.phase == PHASE_RPC && e.text[0]);
		return 0;
	}
	strbuf_init(&b, WIRE_MAX_MESSAGE);
	check(wire_pack(&b, m, &e) == 0);
	check(b.len == size - 1);
	check(wire_unpack(d, b.data, b.len, &again, &e) == 0);
	wire_free(again);
	wire_free(m);
	strbuf_done(&b);
	return 0;
}
