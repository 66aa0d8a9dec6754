/* See rundir.h. */
#include "orchestrator/cli/rundir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "orchestrator/cli/paths.h"

#define PREFIX "nlq-ask."
/* A folder that was just made has no lock yet; one this old has, or is dead. */
#define SETTLED_S 60

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st;
	(void)type;
	(void)at;
	remove(path);
	return 0;
}

void rundir_remove(const char *dir)
{
	nftw(dir, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static bool is_abandoned(const char *dir)
{
	char lock[300];
	struct stat st;
	bool is_free;
	int fd;

	if (!paths_is_private(dir) || stat(dir, &st) != 0 || time(NULL) - st.st_mtime < SETTLED_S)
		return false;
	snprintf(lock, sizeof(lock), "%s/lock", dir);
	fd = open(lock, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return errno == ENOENT;
	is_free = flock(fd, LOCK_EX | LOCK_NB) == 0;
	close(fd);
	return is_free;
}

static void sweep(const char *base)
{
	DIR *d = opendir(base);

	if (!d)
		return;
	for (struct dirent *entry; (entry = readdir(d)) != NULL;) {
		char path[280];

		if (strncmp(entry->d_name, PREFIX, strlen(PREFIX)) != 0 ||
		    snprintf(path, sizeof(path), "%s/%s", base, entry->d_name) >= (int)sizeof(path))
			continue;
		if (is_abandoned(path))
			rundir_remove(path);
	}
	closedir(d);
}

int rundir_make_temporary(char *out, size_t size, struct err *e)
{
	const char *base = paths_runtime_base();

	sweep(base);
	if (snprintf(out, size, "%s/" PREFIX "XXXXXX", base) < (int)size && mkdtemp(out))
		return 0;
	return err_set(
	    e, ERR_IO, PHASE_CONFIG, "cannot make a temporary folder: %s", strerror(errno));
}
