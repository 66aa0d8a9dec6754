/* Plain copies of bytes; no engine is involved. */
#include "executor/snapshot.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TRIES 3
static const char *const parts[] = {"db", "db-wal", "db-shm"};

int snapshot_base_name(char ret_base[SNAPSHOT_BASE_MAX], struct err *e)
{
	static const char *const homes[] = {"RUNTIME_DIRECTORY", "XDG_RUNTIME_DIR", "TMPDIR"};
	const char *home = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(homes); i++) {
		home = getenv(homes[i]);
		if (home != NULL && home[0] == '/' && access(home, W_OK) == 0)
			break;
		home = NULL;
	}
	if (snprintf(ret_base, SNAPSHOT_BASE_MAX, "%s/nlq-copy-%ld-%ld", home ? home : "/tmp",
	        (long)getuid(), (long)getpid()) >= SNAPSHOT_BASE_MAX)
		return err_set(
		    e, ERR_CONFIG, PHASE_CONFIG, "the runtime folder's name is too long");
	return 0;
}

static int write_all(int fd, const char *p, size_t n)
{
	while (n > 0) {
		ssize_t w = write(fd, p, n);

		if (w < 0 && errno == EINTR)
			continue;
		if (w <= 0)
			return -1;
		p += w;
		n -= (size_t)w;
	}
	return 0;
}

/* from -1 makes an empty file. */
static int copy_file(int from, const char *to)
{
	static char buf[1 << 18];
	int fd = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
	off_t at = 0;
	ssize_t n = 0;

	if (fd < 0)
		return -1;
	while (from >= 0 && (n = pread(from, buf, sizeof(buf), at)) > 0) {
		if (write_all(fd, buf, (size_t)n) != 0) {
			n = -1;
			break;
		}
		at += n;
	}
	close(fd);
	return n < 0 ? -1 : 0;
}

static void part_path(char out[PATH_MAX], const char *base, pid_t pid, const char *part)
{
	snprintf(out, PATH_MAX, "%s/%ld/%s", base, (long)pid, part);
}

/* Ours alone, whoever made it: in /tmp the name can be guessed. */
static bool is_private_folder(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0 && S_ISDIR(st.st_mode) && st.st_uid == geteuid() &&
	    (st.st_mode & 077) == 0;
}

/* Another worker's removal may take base away between the two calls: twice. */
static int make_folder(const char *base)
{
	char path[PATH_MAX];

	part_path(path, base, getpid(), "");
	for (int i = 0; i < 2; i++) {
		if (mkdir(base, 0700) != 0 && errno != EEXIST)
			return -1;
		if (!is_private_folder(base)) {
			errno = EEXIST;
			continue;
		}
		if (mkdir(path, 0700) == 0 || errno == EEXIST)
			return 0;
	}
	return -1;
}

static int copy_all(const struct source_file *f, const char *base, struct err *e)
{
	/* The empty -shm lets a read-only engine build its index of the -wal in memory. */
	const int from[] = {f->fds[SOURCE_DB], f->fds[SOURCE_WAL], -1};
	char path[PATH_MAX];

	if (make_folder(base) != 0)
		return err_set(
		    e, ERR_IO, PHASE_DESCRIBE, "cannot make a private copy: %s", strerror(errno));
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		part_path(path, base, getpid(), parts[i]);
		if (copy_file(from[i], path) != 0)
			return err_set(e, ERR_IO, PHASE_DESCRIBE,
			    "cannot make a private copy of %s: %s", f->given, strerror(errno));
	}
	return 0;
}

static bool has_shm(const struct source_file *f)
{
	char path[PATH_MAX + 16];

	snprintf(path, sizeof(path), "%s-shm", f->path);
	return access(path, F_OK) == 0;
}

int snapshot_copy(const struct source_file *f, const char *base, uint64_t max_bytes,
    char ret_path[PATH_MAX], struct err *e)
{
	struct hash version;
	int rc = 0;

	if (f->size + f->wal_size > max_bytes) {
		rc = err_set(e, ERR_TOO_LARGE, PHASE_DESCRIBE,
		    "%s has a -wal that no process has open, and is too large for a private copy",
		    f->given);
		err_fix(e, "open it once with a program that may write, or raise snapshot_max");
		return rc;
	}
	for (int i = 0; i < TRIES; i++) {
		rc = copy_all(f, base, e);
		if (rc != 0)
			break;
		rc = source_file_version(f, &version, e);
		if (rc == 0 && !has_shm(f)) {
			part_path(ret_path, base, getpid(), parts[0]);
			return 0;
		}
	}
	snapshot_remove(base, getpid());
	if (rc == 0)
		rc = err_set(e, ERR_SOURCE_CHANGED, PHASE_DESCRIBE,
		    "%s was opened by a writer while it was copied", f->given);
	return rc;
}

void snapshot_remove(const char *base, pid_t pid)
{
	char path[PATH_MAX];

	if (base == NULL)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		part_path(path, base, pid, parts[i]);
		unlink(path);
	}
	part_path(path, base, pid, "");
	rmdir(path);
	rmdir(base); /* fails while another copy is there */
}
