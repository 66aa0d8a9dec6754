/*
 * Private copies: a database whose -wal lies alone (its writer crashed) is read
 * from a copy of both, so that nothing is recovered in the user's folder. A copy
 * lives in <base>/<pid of its worker>/ and is removed as soon as the worker has it
 * open, at the latest when the worker is reaped; base is there only while a copy is.
 */
#ifndef NLQ_EXECUTOR_SNAPSHOT_H
#define NLQ_EXECUTOR_SNAPSHOT_H

#include <sys/types.h>

#include "executor/source_file.h"

#define SNAPSHOT_BASE_MAX 256

/* Name of a folder of this process under RUNTIME_DIRECTORY, XDG_RUNTIME_DIR, TMPDIR or
 * /tmp; nothing is made yet. */
int snapshot_base_name(char ret_base[SNAPSHOT_BASE_MAX], struct err *e);

/* Copies in the worker, before the sandbox. Up to three tries until the original
 * stood still during the copy; ERR_SOURCE_CHANGED after that or if a -shm came,
 * ERR_TOO_LARGE above max_bytes. */
int snapshot_copy(const struct source_file *f, const char *base, uint64_t max_bytes,
    char ret_path[PATH_MAX], struct err *e);
void snapshot_remove(const char *base, pid_t pid);

#endif
