/* Addresses of listeners: only ipc:// for now, checked before nng sees them. */
#ifndef NLQ_RPC_ADDRESS_H
#define NLQ_RPC_ADDRESS_H

#include "common/base/err.h"

#define ADDRESS_PATH_MAX 107 /* of a Unix socket, without the NUL */

/* Points *ret_path into url at its path. ERR_CONFIG for another scheme, a
 * relative path or one that is too long. */
int address_path(const char *url, const char **ret_path, struct err *e);
/*
 * Makes the path free for a new listener: its folder must be ours (or root's)
 * and not writable by all, nothing but a socket may lie there, and the lock file
 * beside it (path.lock) must not be held by another process. A socket that is
 * left over is removed. nng's own test for that would connect to a living
 * listener and close, which ends it in nng 1.5.2.
 */
int address_claim(const char *path, int *ret_lock_fd, struct err *e);
/* Removes socket and lock file; -1 is fine. */
void address_release(const char *path, int lock_fd);

#endif
