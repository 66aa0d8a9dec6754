/*
 * The walls around a worker process: no_new_privs, Landlock, resource limits,
 * seccomp with default kill. Made ready once in the single-threaded zygote
 * (sandbox_init), entered by every worker before it reads a byte of a database
 * (sandbox_enter). A wall that cannot be put up is an error, never a warning.
 *
 * Under NLQ_SANITIZER the limits on address space and file size are off and the
 * filter has a few more calls (sandbox_seccomp.c, sanitizer_calls).
 */
#ifndef NLQ_EXECUTOR_SANDBOX_H
#define NLQ_EXECUTOR_SANDBOX_H

#include "common/base/err.h"

struct sandbox {
	int landlock_abi; /* of the running kernel, >= 1 */
	void *filter;     /* BPF of the seccomp filter, exported once */
	size_t filter_bytes;
	uint64_t memory_bytes; /* RLIMIT_AS */
	uint32_t cpu_s;        /* RLIMIT_CPU of the whole process */
	char text[160];        /* what is in force, for people */
};

/* Asks the kernel, builds the filter, and proves the walls in a trial child
 * that must get through sandbox_enter. ERR_CONFIG names the missing wall. */
int sandbox_init(struct sandbox *s, uint64_t memory_bytes, uint32_t cpu_s, struct err *e);
void sandbox_done(struct sandbox *s);

/* Puts up all walls in this process, for good. The regular files behind fds
 * (-1 is skipped) stay readable by path, nothing else does. On failure returns
 * the name of the wall that is missing, else NULL. */
const char *sandbox_enter(const struct sandbox *s, const int *fds, size_t n_fds);

/* Single walls, for sandbox.c and its tests. NULL / 0 on success. */
int landlock_abi(void); /* 0: this kernel has none */
int landlock_enter(int abi, const int *fds, size_t n_fds);
int rlimit_enter(uint64_t memory_bytes, uint32_t cpu_s);
int seccomp_export(void **ret_filter, size_t *ret_bytes);
int seccomp_enter(const void *filter, size_t bytes);

#endif
