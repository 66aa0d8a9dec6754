/*
 * The line between the daemon and its zygote: one seqpacket socketpair, fixed
 * messages, descriptors by SCM_RIGHTS. Both ends are our own code, forked from one
 * image; sizes and types are checked all the same.
 */
#ifndef NLQ_EXECUTOR_ZLINK_H
#define NLQ_EXECUTOR_ZLINK_H

#include <sys/types.h>

#include "common/base/base.h"

#define ZLINK_PATH_MAX 4096

enum zlink_type {
	ZLINK_SPAWN = 1, /* daemon: serial, flags, path */
	ZLINK_SPAWNED,   /* zygote: serial, pid, and two descriptors: socket, pidfd */
	ZLINK_REFUSED,   /* zygote: serial, errno in status */
	ZLINK_EXITED,    /* zygote: pid, wait status */
};

struct zlink_message {
	uint32_t type;
	uint32_t serial;
	int32_t pid;
	int32_t status;
	char path[ZLINK_PATH_MAX]; /* SPAWN: NUL-terminated; otherwise empty */
};

/* fds: two descriptors to pass, or NULL. 0, or -1 with errno. */
int zlink_send(int fd, const struct zlink_message *m, const int fds[2]);
/* 1 a message; 0 the other end is gone; -1 with errno. fds get -1 where none came. */
int zlink_recv(int fd, struct zlink_message *ret_message, int ret_fds[2]);

#endif
