/*
 * Tries to get out of a worker's sandbox, one attempt per child process: every call
 * and path of the security notes' SB-01 to SB-07. An attempt is refused if it ends
 * the child by SIGSYS or fails with an errno of refusal. TAP on stdout.
 *
 * Usage: escape FOLDER (a private, writable one)
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <pthread.h>
#include <sched.h>
#include <seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "executor/cell.h"
#include "executor/db.h"
#include "executor/sandbox.h"

static struct sandbox sandbox;
static char db_path[300], other_path[300], new_path[300], link_path[300], folder[256];
static int db_fd, folder_fd;

/* --- attempts: -1 with errno, or success --------------------------------------------- */

#define TRY(name, call)              \
	static long name(void)       \
	{                            \
		return (long)(call); \
	}

TRY(write_database, open(db_path, O_WRONLY))
TRY(write_database_rw, open(db_path, O_RDWR))
TRY(create_beside, open(new_path, O_CREAT | O_WRONLY, 0600))
TRY(create_new, open("/tmp/nlq-escaped", O_CREAT | O_EXCL | O_RDONLY, 0600))
TRY(truncate_open, open(db_path, O_RDONLY | O_TRUNC))
TRY(nameless_file, open("/tmp", O_TMPFILE | O_RDWR, 0600))
TRY(call_creat, syscall(SYS_creat, new_path, 0600))
TRY(call_openat2, syscall(SYS_openat2, AT_FDCWD, db_path, NULL, 24))
TRY(call_rename, rename(db_path, new_path))
TRY(call_unlink, unlink(db_path))
TRY(call_chmod, chmod(db_path, 0777))
TRY(call_truncate, truncate(db_path, 0))
TRY(call_ftruncate, ftruncate(db_fd, 0))
TRY(call_link, link(db_path, new_path))
TRY(call_symlink, symlink(db_path, new_path))
TRY(call_mkfifo, mkfifo(new_path, 0600))
TRY(call_mkdir, mkdir(new_path, 0700))
TRY(call_memfd, memfd_create("x", 0))
TRY(call_fexecve, syscall(SYS_execveat, db_fd, "", NULL, NULL, AT_EMPTY_PATH))

TRY(read_passwd, open("/etc/passwd", O_RDONLY))
TRY(read_other, open(other_path, O_RDONLY))
TRY(read_memory, open("/proc/self/mem", O_RDONLY))
TRY(read_environ, open("/proc/self/environ", O_RDONLY))
TRY(read_by_symlink, open(link_path, O_RDONLY))
TRY(read_by_dirfd, openat(folder_fd, "../../../../../../../../etc/passwd", O_RDONLY))
TRY(read_by_proc_fd, open("/proc/self/fd/0", O_RDONLY))
TRY(read_folder, open(folder, O_RDONLY | O_DIRECTORY))
TRY(read_root, open("/", O_RDONLY | O_DIRECTORY))
TRY(read_random, open("/dev/urandom", O_RDONLY))

TRY(socket_inet, socket(AF_INET, SOCK_STREAM, 0))
TRY(socket_inet6, socket(AF_INET6, SOCK_DGRAM, 0))
TRY(socket_unix, socket(AF_UNIX, SOCK_STREAM, 0))
TRY(socket_netlink, socket(AF_NETLINK, SOCK_RAW, 0))
TRY(socket_packet, socket(AF_PACKET, SOCK_RAW, 0))
TRY(socket_vsock, socket(AF_VSOCK, SOCK_STREAM, 0))
TRY(call_socketpair, socketpair(AF_UNIX, SOCK_STREAM, 0, (int[2]){0, 0}))
TRY(call_connect,
    connect(db_fd, (struct sockaddr *)&(struct sockaddr_un){.sun_family = AF_UNIX}, 8))
TRY(call_sendmsg, sendmsg(db_fd, &(struct msghdr){0}, 0))

TRY(call_execve, execve("/bin/true", (char *[]){(char *)"true", NULL}, NULL))
TRY(call_fork, syscall(SYS_fork))
TRY(call_vfork, syscall(SYS_vfork))
TRY(call_clone, syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0))
TRY(call_clone3, syscall(SYS_clone3, NULL, 0))
TRY(call_ptrace, ptrace(PTRACE_TRACEME, 0, 0, 0))
TRY(call_vm_readv, syscall(SYS_process_vm_readv, getppid(), NULL, 0, NULL, 0, 0))
TRY(call_vm_writev, syscall(SYS_process_vm_writev, 1, NULL, 0, NULL, 0, 0))
TRY(call_kill, kill(1, 0))
TRY(call_tgkill, syscall(SYS_tgkill, 1, 1, 0))
TRY(call_pidfd_open, syscall(SYS_pidfd_open, 1, 0))
TRY(call_pidfd_getfd, syscall(SYS_pidfd_getfd, db_fd, 0, 0))
TRY(call_setuid, setuid(0))
TRY(call_setgid, syscall(SYS_setgid, 0))
TRY(call_capset, syscall(SYS_capset, NULL, NULL))
TRY(call_mount, mount("none", "/mnt", "tmpfs", 0, NULL))
TRY(call_unshare, unshare(CLONE_NEWUSER))
TRY(call_setns, setns(db_fd, 0))
TRY(call_chroot, chroot("/"))
TRY(call_bpf, syscall(SYS_bpf, 0, NULL, 0))
TRY(call_perf, syscall(SYS_perf_event_open, NULL, 0, -1, -1, 0))
TRY(call_userfaultfd, syscall(SYS_userfaultfd, 0))
TRY(call_keyctl, syscall(SYS_keyctl, 0, 0, 0, 0, 0))
TRY(call_io_uring, syscall(SYS_io_uring_setup, 1, NULL))
TRY(call_personality, syscall(SYS_personality, 0))
TRY(call_ioctl, syscall(SYS_ioctl, 0, 0x5401, NULL))
TRY(call_prctl, prctl(PR_SET_PDEATHSIG, 0))
TRY(call_setrlimit, syscall(SYS_setrlimit, 0, NULL))
TRY(call_prlimit, syscall(SYS_prlimit64, 0, 0, NULL, NULL))
TRY(call_seccomp, syscall(SYS_seccomp, 0, 0, NULL))
TRY(call_inotify, syscall(SYS_inotify_init1, 0))
TRY(call_shmget, syscall(SYS_shmget, 0, 4096, 0600))
TRY(call_dup, dup(0))
TRY(call_fcntl_dup, fcntl(0, F_DUPFD, 10))
TRY(call_fcntl_owner, fcntl(0, F_SETOWN, 1))
TRY(call_sigaltstack, syscall(SYS_sigaltstack, NULL, NULL)) /* sanitizer builds only */
TRY(map_executable,
    (mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED) ? -1
                                                                                                : 0)
TRY(make_executable,
    mprotect(
        (void *)((uintptr_t)&write_database & ~4095ul), 4096, PROT_READ | PROT_WRITE | PROT_EXEC))
#ifdef __x86_64__
TRY(call_x32, syscall(0x40000000 | SYS_getpid))

static long call_32bit(void)
{
	long r;

	__asm__ volatile("int $0x80" : "=a"(r) : "a"(20) : "memory");
	return r;
}
#endif

static bool thread_may_go;

static void *late_thread(void *arg)
{
	while (!__atomic_load_n(&thread_may_go, __ATOMIC_ACQUIRE))
		sched_yield();
	*(int *)arg = socket(AF_UNIX, SOCK_STREAM, 0);
	return NULL;
}

/* --- more than one call --------------------------------------------------------------- */

/* The ordinary work of a worker, from opening the file on. */
static long workload(void)
{
	static const char *const queries[] = {
	    "SELECT count(*), sum(x), avg(x), min(s), max(s) FROM big",
	    "SELECT s, x FROM big ORDER BY s DESC, x", "SELECT x % 7, count(*) FROM big GROUP BY 1",
	    "SELECT count(*) FROM big WHERE s LIKE '%99%'", "SELECT DISTINCT x % 100 FROM big",
	    "SELECT date('now'), datetime('now','localtime'), strftime('%Y', 'now'), random()",
	    "SELECT a.x FROM big a JOIN big b ON a.x = b.x + 1 ORDER BY 1 DESC LIMIT 10",
	    "SELECT x, row_number() OVER (PARTITION BY x % 3 ORDER BY s) FROM big",
	    "SELECT group_concat(s) FROM big",
	    "SELECT json_extract('{\"a\":1}', '$.a'), upper('x')"};
	struct err e = ERR_INIT;
	struct db d;

	if (db_open(&d, db_path, SOURCE_LOCKED, 16384, &e) != 0)
		return -1;
	for (size_t i = 0; i < ARRAY_SIZE(queries); i++) {
		sqlite3_stmt *st;
		int rc = cell_prepare(d.h, &st, "%s", queries[i]);

		while (rc == SQLITE_OK && (rc = sqlite3_step(st)) == SQLITE_ROW)
			rc = SQLITE_OK;
		sqlite3_finalize(st);
		if (rc != SQLITE_DONE) {
			errno = 1000 + rc;
			return -1;
		}
	}
	return 0;
}

TRY(read_database, open(db_path, O_RDONLY))

struct attempt {
	const char *name;
	long (*run)(void);
	bool must_work;
};

#define A(f)                 \
	{                    \
#f, f, false \
	}
static const struct attempt attempts[] = {
    {"read_database", read_database, true},
    {"workload", workload, true},
    A(write_database),
    A(write_database_rw),
    A(create_beside),
    A(create_new),
    A(truncate_open),
    A(nameless_file),
    A(call_creat),
    A(call_openat2),
    A(call_rename),
    A(call_unlink),
    A(call_chmod),
    A(call_truncate),
    A(call_ftruncate),
    A(call_link),
    A(call_symlink),
    A(call_mkfifo),
    A(call_mkdir),
    A(call_memfd),
    A(call_fexecve),
    A(read_passwd),
    A(read_other),
    A(read_memory),
    A(read_environ),
    A(read_by_symlink),
    A(read_by_dirfd),
    A(read_by_proc_fd),
    A(read_folder),
    A(read_root),
    A(read_random),
    A(socket_inet),
    A(socket_inet6),
    A(socket_unix),
    A(socket_netlink),
    A(socket_packet),
    A(socket_vsock),
    A(call_socketpair),
    A(call_connect),
    A(call_sendmsg),
    A(call_execve),
    A(call_fork),
    A(call_vfork),
    A(call_clone),
    A(call_clone3),
    A(call_ptrace),
    A(call_vm_readv),
    A(call_vm_writev),
    A(call_kill),
    A(call_tgkill),
    A(call_pidfd_open),
    A(call_pidfd_getfd),
    A(call_setuid),
    A(call_setgid),
    A(call_capset),
    A(call_mount),
    A(call_unshare),
    A(call_setns),
    A(call_chroot),
    A(call_bpf),
    A(call_perf),
    A(call_userfaultfd),
    A(call_keyctl),
    A(call_io_uring),
    A(call_personality),
    A(call_ioctl),
    A(call_prctl),
    A(call_setrlimit),
    A(call_prlimit),
    A(call_seccomp),
    A(call_inotify),
    A(call_shmget),
    A(call_dup),
    A(call_fcntl_dup),
    A(call_fcntl_owner),
    A(call_sigaltstack),
    A(map_executable),
    A(make_executable),
#ifdef __x86_64__
    A(call_x32),
    A(call_32bit),
#endif
};

/* --- running them ---------------------------------------------------------------------- */

enum outcome { OUTCOME_WORKED, OUTCOME_REFUSED, OUTCOME_KILLED, OUTCOME_ODD };

static bool is_refusal(int error)
{
	return error == EACCES || error == EPERM;
}

static void child(const struct attempt *a)
{
	alarm(10); /* an attempt that got out and went on */
	if (db_warm_up(256u << 20) != 0 || sandbox_enter(&sandbox, &db_fd, 1) != NULL)
		_exit(9);
	_exit(a->run() >= 0 ? 0 : is_refusal(errno) ? 1 : errno >= 1000 ? 3 : 2);
}

static enum outcome outcome_of(pid_t pid)
{
	int status = 0;

	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (WIFSIGNALED(status))
		return WTERMSIG(status) == SIGSYS ? OUTCOME_KILLED : OUTCOME_ODD;
	return WEXITSTATUS(status) == 0 ? OUTCOME_WORKED
	    : WEXITSTATUS(status) == 1  ? OUTCOME_REFUSED
	                                : OUTCOME_ODD;
}

static int n_tests, n_failed;

static void report(bool ok, const char *name, const char *detail)
{
	printf("%sok %d - %s (%s)\n", ok ? "" : "not ", ++n_tests, name, detail);
	n_failed += !ok;
}

static void try_all(void)
{
	static const char *const names[] = {"worked", "refused", "SIGSYS", "something else"};

	for (size_t i = 0; i < ARRAY_SIZE(attempts); i++) {
		const struct attempt *a = &attempts[i];
		enum outcome o;
		pid_t pid;

		fflush(stdout);
		pid = fork();
		if (pid == 0)
			child(a);
		o = outcome_of(pid);
		report(a->must_work ? o == OUTCOME_WORKED
		                    : o == OUTCOME_REFUSED || o == OUTCOME_KILLED,
		    a->name, names[o]);
	}
}

/* A thread from before the filter is under it as well. */
static void try_thread(void)
{
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		pthread_t t;
		int got = -1;

		alarm(10);
		if (pthread_create(&t, NULL, late_thread, &got) != 0 ||
		    sandbox_enter(&sandbox, &db_fd, 1) != NULL)
			_exit(9);
		__atomic_store_n(&thread_may_go, true, __ATOMIC_RELEASE);
		for (;;)
			sched_yield(); /* not allowed either: both threads end here */
	}
	report(outcome_of(pid) == OUTCOME_KILLED, "a thread from before the filter", "SIGSYS");
}

/* A kernel that lacks one wall: sandbox_init must name it and give up. */
static void try_missing(const char *wall, int call, uint64_t first_argument, bool any_argument)
{
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		scmp_filter_ctx ctx = seccomp_init(SCMP_ACT_ALLOW);
		struct err e = ERR_INIT;
		struct sandbox s;
		int rc = any_argument
		    ? seccomp_rule_add(ctx, SCMP_ACT_ERRNO(ENOSYS), call, 0)
		    : seccomp_rule_add(ctx, SCMP_ACT_ERRNO(ENOSYS), call, 2,
		          SCMP_A0(SCMP_CMP_EQ, first_argument), SCMP_A1(SCMP_CMP_EQ, 1));

		if (rc != 0 || seccomp_load(ctx) != 0)
			_exit(2);
		rc = sandbox_init(&s, 512u << 20, 60, &e);
		_exit(rc == ERR_CONFIG && strstr(e.text, wall) != NULL ? 0 : 1);
	}
	report(outcome_of(pid) == OUTCOME_WORKED, "does not start without", wall);
}

static int prepare(const char *dir)
{
	struct err e = ERR_INIT;
	sqlite3 *h;

	snprintf(folder, sizeof(folder), "%s", dir);
	snprintf(db_path, sizeof(db_path), "%s/a.db", dir);
	snprintf(other_path, sizeof(other_path), "%s/other", dir);
	snprintf(new_path, sizeof(new_path), "%s/new", dir);
	snprintf(link_path, sizeof(link_path), "%s/link", dir);
	if (sqlite3_open(db_path, &h) != SQLITE_OK ||
	    sqlite3_exec(h,
	        "CREATE TABLE big(x INTEGER, s TEXT); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL"
	        " SELECT i+1 FROM n WHERE i<50000) INSERT INTO big SELECT i, 'value ' || i FROM n",
	        NULL, NULL, NULL) != SQLITE_OK)
		return -1;
	sqlite3_close(h);
	if (symlink("/etc/passwd", link_path) != 0 || close(creat(other_path, 0600)) != 0)
		return -1;
	db_fd = open(db_path, O_RDONLY);
	folder_fd = open(dir, O_RDONLY | O_DIRECTORY);
	if (db_fd < 0 || folder_fd < 0)
		return -1;
	if (sandbox_init(&sandbox, 512u << 20, 60, &e) == 0)
		return 0;
	fprintf(stderr, "%s\n", e.text);
	return -1;
}

int main(int argc, char **argv)
{
	if (argc != 2 || prepare(argv[1]) != 0) {
		fprintf(stderr, "usage: escape FOLDER\n");
		return 2;
	}
	printf("# %s\n", sandbox.text);
	try_all();
	try_thread();
	try_missing("Landlock", SCMP_SYS(landlock_create_ruleset), 0, true);
	try_missing("no_new_privs", SCMP_SYS(prctl), PR_SET_NO_NEW_PRIVS, false);
	try_missing("rlimits", SCMP_SYS(prlimit64), 0, true);
	try_missing("seccomp", SCMP_SYS(seccomp), 1, true);
	printf("1..%d\n", n_tests);
	return n_failed == 0 ? 0 : 1;
}
