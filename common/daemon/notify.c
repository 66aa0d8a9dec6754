#include "common/daemon/notify.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

int notify_send(const char *state)
{
	const char *path = getenv("NOTIFY_SOCKET");
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	socklen_t len;
	ssize_t n;
	int fd;

	if (!path || !*path)
		return 0;
	if ((path[0] != '/' && path[0] != '@') || strlen(path) >= sizeof(addr.sun_path)) {
		errno = EINVAL;
		return -1;
	}
	memcpy(addr.sun_path, path, strlen(path) + 1);
	len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(path));
	if (path[0] == '@')
		addr.sun_path[0] = '\0'; /* a name in the abstract space has no closing NUL */
	else
		len++;
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -1;
	n = sendto(fd, state, strlen(state), MSG_NOSIGNAL, (struct sockaddr *)&addr, len);
	close(fd);
	return n < 0 ? -1 : 0;
}

static bool read_env_u64(const char *name, uint64_t *ret_value)
{
	const char *text = getenv(name);
	char *end = NULL;
	unsigned long long v;

	if (!text || *text < '0' || *text > '9')
		return false;
	errno = 0;
	v = strtoull(text, &end, 10);
	if (errno || *end)
		return false;
	*ret_value = v;
	return true;
}

uint32_t notify_watchdog_ms(void)
{
	uint64_t usec, pid, ms;

	/* A child inherits the variables; they are meant for the pid named there. */
	if (read_env_u64("WATCHDOG_PID", &pid) && pid != (uint64_t)getpid())
		return 0;
	if (!read_env_u64("WATCHDOG_USEC", &usec) || usec == 0)
		return 0;
	ms = usec / 2000;
	if (ms == 0)
		return 1;
	return ms > UINT32_MAX ? UINT32_MAX : (uint32_t)ms;
}
