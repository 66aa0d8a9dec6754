/* stat, 100 bytes of header, and the neighbours. No SQL, no engine. */
#include "executor/source_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define HEADER_BYTES 100

static const char magic[16] = "SQLite format 3";

static uint32_t be32(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static int open_regular(const char *path, struct stat *ret_st)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);

	if (fd >= 0 && (fstat(fd, ret_st) != 0 || !S_ISREG(ret_st->st_mode))) {
		close(fd);
		errno = EINVAL;
		fd = -1;
	}
	return fd;
}

static int open_failed(struct err *e, const char *path, int error)
{
	int rc;

	switch (error) {
	case ENOENT:
	case ENOTDIR:
		rc = err_set(e, ERR_SOURCE_MISSING, PHASE_DESCRIBE, "there is no file %s", path);
		err_fix(e, "check the path");
		return rc;
	case EACCES:
	case EPERM:
		rc = err_set(e, ERR_DENIED, PHASE_DESCRIBE, "no permission to read %s", path);
		err_fix(e, "let the executor's user read the file");
		return rc;
	case EINVAL:
	case ENXIO:
	case EISDIR:
		rc = err_set(
		    e, ERR_SOURCE_NOT_DB, PHASE_DESCRIBE, "%s is not a regular file", path);
		err_fix(e, "name a SQLite database file");
		return rc;
	case ELOOP:
	case ENAMETOOLONG:
		return err_set(e, ERR_SOURCE_MISSING, PHASE_DESCRIBE, "%s cannot be followed: %s",
		    path, strerror(error));
	default:
		return err_set(
		    e, ERR_IO, PHASE_DESCRIBE, "cannot open %s: %s", path, strerror(error));
	}
}

static int open_database(struct source_file *f, struct err *e)
{
	struct stat st;

	if (realpath(f->given, f->path) == NULL)
		return open_failed(e, f->given, errno);
	/* stat first: opening a FIFO or a device may already have an effect. */
	if (stat(f->path, &st) != 0)
		return open_failed(e, f->given, errno);
	if (!S_ISREG(st.st_mode))
		return open_failed(e, f->given, EINVAL);
	f->fds[SOURCE_DB] = open_regular(f->path, &st);
	if (f->fds[SOURCE_DB] < 0)
		return open_failed(e, f->given, errno);
	f->size = (uint64_t)st.st_size;
	f->dev = st.st_dev;
	f->ino = st.st_ino;
	return 0;
}

/* Size against the header's own count of pages: a file that was cut off can still
 * be opened by the engine and gives wrong rows without an error. */
static int check_size(const struct source_file *f, const uint8_t *h, struct err *e)
{
	uint32_t page = (uint32_t)h[16] << 8 | h[17];
	uint64_t pages = be32(h + 28);
	int rc;

	if (page == 1)
		page = 65536;
	if (page < 512 || (page & (page - 1)) != 0)
		return err_set(e, ERR_SOURCE_CORRUPT, PHASE_DESCRIBE,
		    "%s is damaged: its header has no valid page size", f->given);
	/* The count is only good if the last writer kept it up (bytes 24 and 92). */
	if (pages == 0 || be32(h + 24) != be32(h + 92))
		pages = (f->size + page - 1) / page;
	if (f->fds[SOURCE_WAL] >= 0 || f->size >= pages * page)
		return 0;
	rc = err_set(e, ERR_SOURCE_CORRUPT, PHASE_DESCRIBE,
	    "%s is cut off: %llu bytes of %llu are there", f->given, (unsigned long long)f->size,
	    (unsigned long long)(pages * page));
	err_fix(e, "copy the file again, or restore it from a backup");
	return rc;
}

static int check_header(struct source_file *f, uint8_t h[HEADER_BYTES], struct err *e)
{
	ssize_t n = pread(f->fds[SOURCE_DB], h, HEADER_BYTES, 0);
	int rc;

	if (n < 0)
		return err_set(
		    e, ERR_IO, PHASE_DESCRIBE, "cannot read %s: %s", f->given, strerror(errno));
	if (n == 0) {
		rc = err_set(e, ERR_SOURCE_EMPTY, PHASE_DESCRIBE, "%s is an empty file", f->given);
		err_fix(e, "name a database that holds tables");
		return rc;
	}
	if (n < HEADER_BYTES || memcmp(h, magic, sizeof(magic)) != 0) {
		rc = err_set(e, ERR_SOURCE_NOT_DB, PHASE_DESCRIBE,
		    "%s is not a SQLite database (or is encrypted)", f->given);
		err_fix(e, "name a SQLite 3 database file");
		return rc;
	}
	if (h[18] > 2 || h[19] > 2 || h[18] == 0 || h[19] == 0)
		return err_set(e, ERR_SOURCE_NOT_DB, PHASE_DESCRIBE,
		    "%s is in a file format of a newer SQLite", f->given);
	return check_size(f, h, e);
}

static int neighbour(const struct source_file *f, const char *suffix, struct stat *ret_st)
{
	char path[PATH_MAX + 16];

	snprintf(path, sizeof(path), "%s%s", f->path, suffix);
	return stat(path, ret_st);
}

static int open_neighbour(const struct source_file *f, const char *suffix, uint64_t *ret_size)
{
	char path[PATH_MAX + 16];
	struct stat st;
	int fd;

	if (neighbour(f, suffix, &st) != 0 || !S_ISREG(st.st_mode))
		return -1;
	snprintf(path, sizeof(path), "%s%s", f->path, suffix);
	fd = open_regular(path, &st);
	*ret_size = fd >= 0 ? (uint64_t)st.st_size : 0;
	return fd;
}

/* A -journal whose first byte is set was left by a write that did not end. */
static bool has_hot_journal(const struct source_file *f)
{
	uint8_t first = 0;

	return f->fds[SOURCE_JOURNAL] >= 0 && pread(f->fds[SOURCE_JOURNAL], &first, 1, 0) == 1 &&
	    first != 0;
}

static int choose_mode(struct source_file *f, const uint8_t *h, struct err *e)
{
	int rc;

	if (f->fds[SOURCE_WAL] >= 0)
		f->mode = f->fds[SOURCE_SHM] >= 0 ? SOURCE_LOCKED
		    : f->wal_size == 0            ? SOURCE_IMMUTABLE
		                                  : SOURCE_COPY;
	else
		f->mode = h[18] == 2 || h[19] == 2 ? SOURCE_IMMUTABLE : SOURCE_LOCKED;
	/* LOCKED: the engine itself tells a writer at work from a crashed one. */
	if (f->mode == SOURCE_LOCKED || !has_hot_journal(f))
		return 0;
	rc = err_set(e, ERR_SOURCE_CORRUPT, PHASE_DESCRIBE,
	    "%s was left in the middle of a write: a -journal lies beside it", f->given);
	err_fix(e, "open it once with a program that may write, so that the write is undone");
	return rc;
}

static void put(struct hash_ctx *c, uint64_t v)
{
	hash_field(c, &v, sizeof(v));
}

static void hash_state(
    const struct source_file *f, const struct stat *db, uint64_t wal_size, struct hash *ret_version)
{
	uint8_t counter[4] = {0}, salt[8] = {0};
	struct hash_ctx c;

	if (pread(f->fds[SOURCE_DB], counter, sizeof(counter), 24) < 0)
		memset(counter, 0, sizeof(counter));
	if (f->fds[SOURCE_WAL] >= 0 && pread(f->fds[SOURCE_WAL], salt, sizeof(salt), 16) < 0)
		memset(salt, 0, sizeof(salt));
	hash_begin(&c);
	put(&c, (uint64_t)db->st_dev);
	put(&c, (uint64_t)db->st_ino);
	put(&c, (uint64_t)db->st_size);
	put(&c, (uint64_t)db->st_mtim.tv_sec * 1000000000u + (uint64_t)db->st_mtim.tv_nsec);
	hash_field(&c, counter, sizeof(counter));
	put(&c, wal_size);
	hash_field(&c, salt, sizeof(salt));
	hash_end(&c, ret_version);
}

int source_file_open(struct source_file *f, const char *given, struct err *e)
{
	uint8_t header[HEADER_BYTES];
	uint64_t ignored;
	struct stat st;
	int rc;

	memset(f, 0, sizeof(*f));
	f->given = given;
	for (int i = 0; i < SOURCE_N_FDS; i++)
		f->fds[i] = -1;
	rc = open_database(f, e);
	if (rc != 0)
		return rc;
	f->fds[SOURCE_WAL] = open_neighbour(f, "-wal", &f->wal_size);
	f->fds[SOURCE_SHM] = open_neighbour(f, "-shm", &ignored);
	f->fds[SOURCE_JOURNAL] = open_neighbour(f, "-journal", &ignored);
	rc = check_header(f, header, e);
	if (rc == 0)
		rc = choose_mode(f, header, e);
	if (rc == 0 && fstat(f->fds[SOURCE_DB], &st) == 0)
		hash_state(f, &st, f->wal_size, &f->version);
	return rc;
}

static int changed(const struct source_file *f, struct err *e, const char *how)
{
	int rc = err_set(
	    e, ERR_SOURCE_CHANGED, PHASE_RUN, "%s changed while it was read (%s)", f->given, how);

	if (e != NULL)
		e->retry = true;
	return rc;
}

bool source_file_has_new_journal(const struct source_file *f)
{
	struct stat now, opened;

	if (neighbour(f, "-journal", &now) != 0)
		return false;
	return f->fds[SOURCE_JOURNAL] < 0 || fstat(f->fds[SOURCE_JOURNAL], &opened) != 0 ||
	    opened.st_ino != now.st_ino;
}

int source_file_version(const struct source_file *f, struct hash *ret_version, struct err *e)
{
	struct stat st, wal;
	struct hash now;
	bool has_wal;

	if (stat(f->given, &st) != 0 || st.st_dev != f->dev || st.st_ino != f->ino)
		return changed(f, e, "another file is in its place");
	has_wal = neighbour(f, "-wal", &wal) == 0;
	if (has_wal != (f->fds[SOURCE_WAL] >= 0))
		return changed(f, e, has_wal ? "a -wal came" : "its -wal went");
	if (has_wal) {
		struct stat opened;

		if (fstat(f->fds[SOURCE_WAL], &opened) != 0 || opened.st_ino != wal.st_ino)
			return changed(f, e, "its -wal was replaced");
	}
	hash_state(f, &st, has_wal ? (uint64_t)wal.st_size : 0, &now);
	if (f->mode != SOURCE_LOCKED && !hash_equal(&now, &f->version))
		return changed(f, e, "it was written");
	*ret_version = now;
	return 0;
}
