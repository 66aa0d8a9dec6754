/* sendmsg and recvmsg with two descriptors. */
#include "executor/zlink.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define HEAD_BYTES offsetof(struct zlink_message, path)

union control {
	char bytes[CMSG_SPACE(2 * sizeof(int))];
	struct cmsghdr align;
};

int zlink_send(int fd, const struct zlink_message *m, const int fds[2])
{
	union control c;
	struct iovec iov = {(void *)(uintptr_t)m, HEAD_BYTES + strlen(m->path) + 1};
	struct msghdr h = {.msg_iov = &iov, .msg_iovlen = 1};
	ssize_t n;

	if (fds != NULL) {
		memset(&c, 0, sizeof(c));
		h.msg_control = c.bytes;
		h.msg_controllen = sizeof(c.bytes);
		CMSG_FIRSTHDR(&h)->cmsg_level = SOL_SOCKET;
		CMSG_FIRSTHDR(&h)->cmsg_type = SCM_RIGHTS;
		CMSG_FIRSTHDR(&h)->cmsg_len = CMSG_LEN(2 * sizeof(int));
		memcpy(CMSG_DATA(CMSG_FIRSTHDR(&h)), fds, 2 * sizeof(int));
	}
	do
		n = sendmsg(fd, &h, MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	return n == (ssize_t)iov.iov_len ? 0 : -1;
}

static void take_fds(struct msghdr *h, int ret_fds[2])
{
	for (struct cmsghdr *c = CMSG_FIRSTHDR(h); c != NULL; c = CMSG_NXTHDR(h, c))
		if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS &&
		    c->cmsg_len == CMSG_LEN(2 * sizeof(int)))
			memcpy(ret_fds, CMSG_DATA(c), 2 * sizeof(int));
}

int zlink_recv(int fd, struct zlink_message *ret_message, int ret_fds[2])
{
	union control c;
	struct iovec iov = {ret_message, sizeof(*ret_message)};
	struct msghdr h = {.msg_iov = &iov,
	    .msg_iovlen = 1,
	    .msg_control = c.bytes,
	    .msg_controllen = sizeof(c.bytes)};
	ssize_t n;

	ret_fds[0] = ret_fds[1] = -1;
	do
		n = recvmsg(fd, &h, MSG_CMSG_CLOEXEC);
	while (n < 0 && errno == EINTR);
	if (n <= 0)
		return (int)n;
	take_fds(&h, ret_fds);
	if ((size_t)n <= HEAD_BYTES || (h.msg_flags & MSG_TRUNC) != 0 ||
	    memchr(ret_message->path, 0, (size_t)n - HEAD_BYTES) == NULL) {
		errno = EPROTO;
		return -1;
	}
	return 1;
}
