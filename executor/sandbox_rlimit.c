/* Resource limits of a worker: what seccomp and Landlock do not count. */
#include <sys/resource.h>

#include "executor/sandbox.h"

static int set(int what, rlim_t value)
{
	struct rlimit l = {value, value};

	return setrlimit((__rlimit_resource_t)what, &l);
}

int rlimit_enter(uint64_t memory_bytes, uint32_t cpu_s)
{
	/* The worker never writes a file; its socket is not counted. */
#ifndef NLQ_SANITIZER
	if (set(RLIMIT_AS, memory_bytes) != 0 || set(RLIMIT_FSIZE, 0) != 0)
		return -1;
#else
	(void)memory_bytes;
#endif
	if (set(RLIMIT_CORE, 0) != 0 || set(RLIMIT_NOFILE, 24) != 0 || set(RLIMIT_NPROC, 0) != 0)
		return -1;
	return set(RLIMIT_CPU, cpu_s);
}
