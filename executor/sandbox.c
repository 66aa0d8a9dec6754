/*
 * Order of the walls, and the trial that proves at start that this kernel and
 * this service unit let a worker put them up.
 */
#include "executor/sandbox.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *const wall_names[] = {"no_new_privs", "Landlock", "rlimits", "seccomp"};

const char *sandbox_enter(const struct sandbox *s, const int *fds, size_t n_fds)
{
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		return wall_names[0];
	if (landlock_enter(s->landlock_abi, fds, n_fds) != 0)
		return wall_names[1];
	if (rlimit_enter(s->memory_bytes, s->cpu_s) != 0)
		return wall_names[2];
	/* Last: it takes away the calls that the others need. */
	if (seccomp_enter(s->filter, s->filter_bytes) != 0)
		return wall_names[3];
	return NULL;
}

/* The child's exit status is the number of the wall that failed, 0 if none. */
static void trial_child(const struct sandbox *s)
{
	const char *wall = sandbox_enter(s, NULL, 0);
	int status = 0;

	for (size_t i = 0; wall != NULL && i < ARRAY_SIZE(wall_names); i++)
		if (strcmp(wall, wall_names[i]) == 0)
			status = (int)i + 1;
	_exit(status);
}

static int missing_wall(struct err *e, const char *wall)
{
	int rc = err_set(e, ERR_CONFIG, PHASE_CONFIG,
	    "the sandbox wall %s cannot be put up here, and without it no query is run", wall);

	err_fix(e,
	    "use a kernel with Landlock (5.13 or later) and seccomp, and a service unit or "
	    "container that allows both");
	return rc;
}

static int run_trial(const struct sandbox *s, struct err *e)
{
	int status = 0;
	pid_t pid = fork();

	if (pid < 0)
		return err_set(e, ERR_INTERNAL, PHASE_CONFIG, "cannot fork: %s", strerror(errno));
	if (pid == 0)
		trial_child(s);
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return err_set(
			    e, ERR_INTERNAL, PHASE_CONFIG, "cannot wait: %s", strerror(errno));
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return 0;
	if (WIFEXITED(status) && (size_t)WEXITSTATUS(status) <= ARRAY_SIZE(wall_names))
		return missing_wall(e, wall_names[WEXITSTATUS(status) - 1]);
	/* Killed on its way out: the filter stands but does not let it exit. */
	return missing_wall(e, wall_names[3]);
}

int sandbox_init(struct sandbox *s, uint64_t memory_bytes, uint32_t cpu_s, struct err *e)
{
	int rc;

	memset(s, 0, sizeof(*s));
	s->memory_bytes = memory_bytes;
	s->cpu_s = cpu_s;
	s->landlock_abi = landlock_abi();
	if (s->landlock_abi < 1)
		return missing_wall(e, wall_names[1]);
	if (seccomp_export(&s->filter, &s->filter_bytes) != 0)
		return missing_wall(e, wall_names[3]);
	rc = run_trial(s, e);
	if (rc != 0) {
		sandbox_done(s);
		return rc;
	}
	snprintf(s->text, sizeof(s->text),
	    "seccomp default-kill, landlock ABI %d, no_new_privs, rlimits, %s%u MiB",
	    s->landlock_abi,
#ifdef NLQ_SANITIZER
	    "sanitizer build: no address limit, asked ",
#else
	    "",
#endif
	    (unsigned)(memory_bytes >> 20));
	return 0;
}

void sandbox_done(struct sandbox *s)
{
	free(s->filter);
	s->filter = NULL;
	s->filter_bytes = 0;
}
