/*
 * The system calls of a worker. Default: kill the process. libseccomp compiles
 * the filter once, in the zygote; workers load the exported BPF, which costs a
 * seventh of building it.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <seccomp.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "executor/sandbox.h"

/* Allowed whatever the arguments. write() reaches the socket and /dev/null only:
 * no other descriptor is open for writing. */
static const int allowed_calls[] = {
    SCMP_SYS(read),
    SCMP_SYS(write),
    SCMP_SYS(pread64),
    SCMP_SYS(close),
    SCMP_SYS(lseek),
    SCMP_SYS(fstat),
    SCMP_SYS(stat),
    SCMP_SYS(lstat),
    SCMP_SYS(newfstatat),
    SCMP_SYS(statx),
    SCMP_SYS(access),
    SCMP_SYS(faccessat),
    SCMP_SYS(faccessat2),
    SCMP_SYS(readlink),
    SCMP_SYS(readlinkat),
    SCMP_SYS(getcwd),
    SCMP_SYS(brk),
    SCMP_SYS(munmap),
    SCMP_SYS(mremap),
    SCMP_SYS(madvise),
    SCMP_SYS(futex),
    SCMP_SYS(getpid),
    SCMP_SYS(gettid),
    SCMP_SYS(geteuid),
    SCMP_SYS(getuid),
    SCMP_SYS(clock_gettime),
    SCMP_SYS(gettimeofday),
    SCMP_SYS(time),
    SCMP_SYS(nanosleep),
    SCMP_SYS(clock_nanosleep),
    SCMP_SYS(restart_syscall),
    SCMP_SYS(getrandom),
    SCMP_SYS(sysinfo),
    SCMP_SYS(rt_sigreturn),
    SCMP_SYS(exit),
    SCMP_SYS(exit_group),
};

/* SQLite tries these and goes on without when told no. */
static const struct {
	int call, error;
} refused_calls[] = {
    {SCMP_SYS(fchown), EPERM},
    {SCMP_SYS(fchmod), EPERM},
    {SCMP_SYS(open), EACCES},
};

static const int fcntl_commands[] = {
    F_GETLK,
    F_SETLK,
    F_SETLKW,
    F_GETFD,
    F_SETFD,
    F_GETFL,
};

#ifdef NLQ_SANITIZER
/* What the sanitizers' run time needs to watch and to report. */
static const int sanitizer_calls[] = {
    SCMP_SYS(sigaltstack),
    SCMP_SYS(rt_sigaction),
    SCMP_SYS(rt_sigprocmask),
    SCMP_SYS(sched_yield),
    SCMP_SYS(getrlimit),
    SCMP_SYS(prlimit64),
    SCMP_SYS(tgkill),
    SCMP_SYS(writev),
    SCMP_SYS(pipe2),
};
#endif

static int allow_list(scmp_filter_ctx ctx, const int *calls, size_t n)
{
	for (size_t i = 0; i < n; i++)
		/* A call that this architecture lacks has a negative number. */
		if (calls[i] >= 0 && seccomp_rule_add(ctx, SCMP_ACT_ALLOW, calls[i], 0) != 0)
			return -1;
	return 0;
}

static int add_refused(scmp_filter_ctx ctx)
{
	for (size_t i = 0; i < ARRAY_SIZE(refused_calls); i++)
		if (refused_calls[i].call >= 0 &&
		    seccomp_rule_add(ctx, SCMP_ACT_ERRNO((uint16_t)refused_calls[i].error),
		        refused_calls[i].call, 0) != 0)
			return -1;
	return 0;
}

/* openat for reading passes (Landlock judges the path); for writing, creating or
 * a temporary file it fails with EACCES, because SQLite probes with it. */
static int add_openat(scmp_filter_ctx ctx)
{
	static const unsigned writing[] = {
	    O_WRONLY, O_RDWR, O_CREAT, O_TRUNC, O_TMPFILE & ~O_DIRECTORY};
	unsigned mask = O_ACCMODE | O_CREAT | O_TRUNC | (O_TMPFILE & ~O_DIRECTORY);

	for (size_t i = 0; i < ARRAY_SIZE(writing); i++)
		if (seccomp_rule_add(ctx, SCMP_ACT_ERRNO(EACCES), SCMP_SYS(openat), 1,
		        SCMP_A2(SCMP_CMP_MASKED_EQ, writing[i], writing[i])) != 0)
			return -1;
	return seccomp_rule_add(
	    ctx, SCMP_ACT_ALLOW, SCMP_SYS(openat), 1, SCMP_A2(SCMP_CMP_MASKED_EQ, mask, O_RDONLY));
}

static int add_conditional(scmp_filter_ctx ctx)
{
	for (size_t i = 0; i < ARRAY_SIZE(fcntl_commands); i++)
		if (seccomp_rule_add(ctx, SCMP_ACT_ALLOW, SCMP_SYS(fcntl), 1,
		        SCMP_A1(SCMP_CMP_EQ, (scmp_datum_t)fcntl_commands[i])) != 0)
			return -1;
	/* Memory never becomes executable. */
	if (seccomp_rule_add(ctx, SCMP_ACT_ALLOW, SCMP_SYS(mmap), 1,
	        SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0)) != 0)
		return -1;
	return seccomp_rule_add(
	    ctx, SCMP_ACT_ALLOW, SCMP_SYS(mprotect), 1, SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0));
}

static int fill(scmp_filter_ctx ctx)
{
	if (seccomp_attr_set(ctx, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS) != 0)
		return -1;
	if (allow_list(ctx, allowed_calls, ARRAY_SIZE(allowed_calls)) != 0)
		return -1;
#ifdef NLQ_SANITIZER
	if (allow_list(ctx, sanitizer_calls, ARRAY_SIZE(sanitizer_calls)) != 0)
		return -1;
#endif
	return add_refused(ctx) != 0 || add_openat(ctx) != 0 || add_conditional(ctx) != 0 ? -1 : 0;
}

static int read_back(int fd, void **ret_filter, size_t *ret_bytes)
{
	struct stat st;
	void *p;

	if (fstat(fd, &st) != 0 || st.st_size <= 0 || st.st_size > 1 << 20)
		return -1;
	p = malloc((size_t)st.st_size);
	if (p == NULL || pread(fd, p, (size_t)st.st_size, 0) != st.st_size) {
		free(p);
		return -1;
	}
	*ret_filter = p;
	*ret_bytes = (size_t)st.st_size;
	return 0;
}

int seccomp_export(void **ret_filter, size_t *ret_bytes)
{
	scmp_filter_ctx ctx = seccomp_init(SCMP_ACT_KILL_PROCESS);
	int fd = -1, rc = -1;

	if (ctx == NULL)
		return -1;
	fd = memfd_create("filter", MFD_CLOEXEC);
	if (fd >= 0 && fill(ctx) == 0 && seccomp_export_bpf(ctx, fd) == 0)
		rc = read_back(fd, ret_filter, ret_bytes);
	if (fd >= 0)
		close(fd);
	seccomp_release(ctx);
	return rc;
}

int seccomp_enter(const void *filter, size_t bytes)
{
	struct sock_fprog prog = {
	    .len = (unsigned short)(bytes / sizeof(struct sock_filter)),
	    .filter = (struct sock_filter *)(uintptr_t)filter,
	};

	/* A worker has one thread; should it ever have more, they get the filter too. */
	return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &prog);
}
