/*
 * The file behind a source, looked at before any engine opens it: a regular file,
 * a SQLite header that fits its size, and what lies beside it (-wal, -shm,
 * -journal), from which follows how it may be opened:
 *
 *   rollback header, no -wal      LOCKED     mode=ro, the engine's file locks
 *   WAL header, no -wal           IMMUTABLE  mode=ro would leave -wal and -shm
 *                                            behind; checked after every call
 *   -wal and -shm                 LOCKED     mode=ro beside the writer
 *   -wal alone                    COPY       db and -wal copied privately
 *
 * The descriptors stay open until the process ends: closing one would drop the
 * engine's POSIX locks on the same file.
 */
#ifndef NLQ_EXECUTOR_SOURCE_FILE_H
#define NLQ_EXECUTOR_SOURCE_FILE_H

#include <limits.h>
#include <sys/types.h>

#include "common/base/err.h"
#include "common/base/hash.h"

enum source_mode { SOURCE_LOCKED, SOURCE_IMMUTABLE, SOURCE_COPY };

enum source_fd { SOURCE_DB, SOURCE_WAL, SOURCE_SHM, SOURCE_JOURNAL, SOURCE_N_FDS };

struct source_file {
	const char *given;     /* borrowed; as configured */
	char path[PATH_MAX];   /* symlinks resolved */
	int fds[SOURCE_N_FDS]; /* -1: not there */
	enum source_mode mode;
	uint64_t size; /* of the database file */
	uint64_t wal_size;
	dev_t dev;
	ino_t ino;
	struct hash version; /* when it was opened */
};

/* Never blocks on a FIFO or device. Errors: ERR_SOURCE_MISSING, _NOT_DB, _CORRUPT,
 * _EMPTY, ERR_DENIED, ERR_IO. Keeps `given`. */
int source_file_open(struct source_file *f, const char *given, struct err *e);

/* The version now; needs only the open descriptors and stat, so it works behind
 * the sandbox. ERR_SOURCE_CHANGED if this process cannot go on with the file: it
 * was replaced, a -wal came or went, or an IMMUTABLE file is not what it was. */
int source_file_version(const struct source_file *f, struct hash *ret_version, struct err *e);

/* A -journal has come or was replaced since the file was opened: this process may not
 * read it, and the engine takes what it cannot read for a crashed writer's. */
bool source_file_has_new_journal(const struct source_file *f);

#endif
