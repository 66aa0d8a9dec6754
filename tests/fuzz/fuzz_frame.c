/*
 * Fuzz target of executor/frame: what the daemon reads from a worker. The input is a
 * row of packets, each behind its length (2 bytes, little endian); a message that is
 * complete is read as an error and as a call.
 *   clang -fsanitize=fuzzer,address,undefined -DNLQ_LIBFUZZER ... or, without
 *   libFuzzer, a program that reads the files named on its command line.
 */
#include <stdlib.h>
#include <string.h>

#include "common/base/utf8.h"
#include "executor/frame.h"

#ifndef NLQ_LIBFUZZER
#include "tests/fuzz/file_main.h"
#endif

#define CAP 4096

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool ok)
{
	if (!ok)
		abort();
}

static void read_payload(const struct frame *f)
{
	struct err e = ERR_INIT;
	struct call_head head;
	size_t body;

	check(f->payload.len == f->total && f->total <= CAP);
	if (frame_get_err(f->payload.data, f->payload.len, &e) == 0) {
		check(err_code_known(e.code) && e.code != ERR_OK && err_phase_known((int)e.phase));
		check(utf8_valid(e.text, strlen(e.text)) && utf8_valid(e.fix, strlen(e.fix)));
	}
	if (frame_get_call(f->payload.data, f->payload.len, &head, &body) == 0)
		check(body <= f->payload.len);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct frame f;

	frame_init(&f, CAP);
	while (size >= 2) {
		size_t n = data[0] | (size_t)data[1] << 8;
		int rc;

		data += 2;
		size -= 2;
		if (n > size)
			n = size;
		rc = frame_take(&f, data, n);
		check(rc == 0 || rc == 1 || rc == ERR_PROTOCOL);
		check(f.payload.len <= CAP);
		if (rc == 1)
			read_payload(&f);
		if (rc != 0)
			frame_clear(&f);
		data += n;
		size -= n;
	}
	frame_done(&f);
	return 0;
}
