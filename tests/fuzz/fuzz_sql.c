/*
 * Fuzz target of common/sql; what must hold is in tests/lib/sql_agree.h.
 *   clang -fsanitize=fuzzer,address,undefined -DNLQ_LIBFUZZER ... or, without
 *   libFuzzer, a program that reads the files named on its command line.
 */
#include <stdint.h>

#include "tests/lib/sql_agree.h"

#ifndef NLQ_LIBFUZZER
#include "tests/fuzz/file_main.h"
#endif

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	sql_agree_check(data, size);
	return 0;
}
