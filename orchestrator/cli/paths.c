/* See paths.h. */
#include "orchestrator/cli/paths.h"

#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define RUN_MAX 72 /* a socket's whole path has at most 107 bytes */

/* An absolute path of the environment, or NULL (relative ones are ignored). */
static const char *env_dir(const char *name)
{
	const char *s = getenv(name);

	return s && *s == '/' ? s : NULL;
}

const char *paths_runtime_base(void)
{
	const char *base = env_dir("XDG_RUNTIME_DIR");

	return base && strlen(base) + 16 <= RUN_MAX && paths_is_private(base) ? base : "/tmp";
}

bool paths_is_private(const char *dir)
{
	struct stat st;

	return lstat(dir, &st) == 0 && S_ISDIR(st.st_mode) && st.st_uid == getuid() &&
	    !(st.st_mode & (S_IWGRP | S_IWOTH));
}

int paths_run_dir(char *out, size_t size, struct err *e)
{
	const char *base = env_dir("XDG_RUNTIME_DIR");
	int n;

	if (base && strlen(base) + 4 <= RUN_MAX && paths_is_private(base))
		n = snprintf(out, size, "%s/nlq", base);
	else
		n = snprintf(out, size, "/tmp/nlq-%u", (unsigned)getuid());
	return n < (int)size
	    ? 0
	    : err_set(e, ERR_CONFIG, PHASE_CONFIG, "the run folder's name is too long");
}

static int make_parents(char *path, struct err *e)
{
	for (char *at = path + 1; (at = strchr(at, '/')); at++) {
		*at = '\0';
		if (mkdir(path, 0700) && errno != EEXIST) {
			err_set(e, ERR_IO, PHASE_CONFIG, "cannot make the folder \"%s\": %s", path,
			    strerror(errno));
			*at = '/';
			return ERR_IO;
		}
		*at = '/';
	}
	return 0;
}

int paths_state_dir(char *out, size_t size, struct err *e)
{
	const char *base = env_dir("XDG_STATE_HOME");
	const char *home = env_dir("HOME");
	const struct passwd *pw;
	int n, rc;

	if (!base && !home && (pw = getpwuid(getuid())) && *pw->pw_dir == '/')
		home = pw->pw_dir;
	if (!base && !home) {
		err_set(
		    e, ERR_CONFIG, PHASE_CONFIG, "there is no home folder to keep the trace in");
		err_fix(e, "set XDG_STATE_HOME to a folder");
		return ERR_CONFIG;
	}
	n = base ? snprintf(out, size, "%s/nlq", base)
	         : snprintf(out, size, "%s/.local/state/nlq", home);
	if (n >= (int)size)
		return err_set(e, ERR_CONFIG, PHASE_CONFIG, "the state folder's name is too long");
	rc = make_parents(out, e);
	return rc ? rc : paths_make_private(out, e);
}

int paths_make_private(const char *dir, struct err *e)
{
	if (mkdir(dir, 0700) && errno != EEXIST)
		return err_set(e, ERR_IO, PHASE_CONFIG, "cannot make the folder \"%s\": %s", dir,
		    strerror(errno));
	if (paths_is_private(dir))
		return 0;
	err_set(e, ERR_DENIED, PHASE_CONFIG, "the folder \"%s\" is not yours alone", dir);
	err_fix(e, "remove it, or set XDG_RUNTIME_DIR to a folder of your own");
	return ERR_DENIED;
}
