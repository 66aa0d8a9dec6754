/* Trusts nothing that it finds in the file system; never follows a link. */
#include "common/rpc/address.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define SCHEME "ipc://"

int address_path(const char *url, const char **ret_path, struct err *e)
{
	const char *path;

	if (strncmp(url, SCHEME, strlen(SCHEME)) != 0) {
		err_set(
		    e, ERR_CONFIG, PHASE_RPC, "address %.200s is not an " SCHEME " address", url);
		err_fix(e, "write " SCHEME "/absolute/path");
		return ERR_CONFIG;
	}
	path = url + strlen(SCHEME);
	if (path[0] != '/')
		return err_set(e, ERR_CONFIG, PHASE_RPC, "the path of %.200s is not absolute", url);
	if (strlen(path) > ADDRESS_PATH_MAX) {
		err_set(e, ERR_CONFIG, PHASE_RPC,
		    "the socket path %.200s has %zu bytes, the limit is %d", path, strlen(path),
		    ADDRESS_PATH_MAX);
		err_fix(e, "use a folder with a shorter name");
		return ERR_CONFIG;
	}
	*ret_path = path;
	return 0;
}

static int check_folder(const char *path, struct err *e)
{
	char copy[ADDRESS_PATH_MAX + 1];
	const char *folder;
	struct stat st;

	snprintf(copy, sizeof(copy), "%s", path);
	folder = dirname(copy);
	if (lstat(folder, &st) || !S_ISDIR(st.st_mode)) {
		err_set(e, ERR_CONFIG, PHASE_RPC,
		    "the socket's folder %s is missing or not a folder", folder);
		err_fix(e, "make it: mkdir -m 0700 %s", folder);
		return ERR_CONFIG;
	}
	if (st.st_uid != geteuid() && st.st_uid != 0)
		return err_set(e, ERR_CONFIG, PHASE_RPC, "the socket's folder %s belongs to uid %u",
		    folder, st.st_uid);
	if (st.st_mode & S_IWOTH) {
		err_set(e, ERR_CONFIG, PHASE_RPC,
		    "the socket's folder %s can be written by everyone", folder);
		err_fix(e, "use a folder of its own, or: chmod o-w %s", folder);
		return ERR_CONFIG;
	}
	return 0;
}

static bool is_same_file(int fd, const char *path)
{
	struct stat a, b;

	return fstat(fd, &a) == 0 && lstat(path, &b) == 0 && a.st_dev == b.st_dev &&
	    a.st_ino == b.st_ino;
}

static int take_lock(const char *path, int *ret_fd, struct err *e)
{
	char lock[ADDRESS_PATH_MAX + 8];

	snprintf(lock, sizeof(lock), "%s.lock", path);
	for (;;) {
		int fd = open(lock, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);

		if (fd < 0)
			return err_set(
			    e, ERR_IO, PHASE_RPC, "cannot make %s: %s", lock, strerror(errno));
		if (flock(fd, LOCK_EX | LOCK_NB)) {
			close(fd);
			return err_set(e, ERR_BUSY, PHASE_RPC, "another process serves %s", path);
		}
		/* Its last holder may have removed it between open and lock. */
		if (is_same_file(fd, lock)) {
			*ret_fd = fd;
			return 0;
		}
		close(fd);
	}
}

int address_claim(const char *path, int *ret_lock_fd, struct err *e)
{
	struct stat st;
	int fd = -1;
	int rc = check_folder(path, e);

	if (!rc)
		rc = take_lock(path, &fd, e);
	if (rc)
		return rc;
	if (lstat(path, &st) == 0) {
		if (!S_ISSOCK(st.st_mode)) {
			rc = err_set(
			    e, ERR_CONFIG, PHASE_RPC, "%s exists and is not a socket", path);
			err_fix(e, "move it away, or choose another address");
		} else if (unlink(path)) {
			rc = err_set(e, ERR_IO, PHASE_RPC, "cannot remove the old socket %s: %s",
			    path, strerror(errno));
		}
	} else if (errno != ENOENT) {
		rc = err_set(e, ERR_IO, PHASE_RPC, "cannot look at %s: %s", path, strerror(errno));
	}
	if (rc)
		address_release(NULL, fd);
	else
		*ret_lock_fd = fd;
	return rc;
}

void address_release(const char *path, int lock_fd)
{
	char lock[ADDRESS_PATH_MAX + 8];

	if (lock_fd < 0)
		return;
	if (path) {
		snprintf(lock, sizeof(lock), "%s.lock", path);
		(void)unlink(path);
		(void)unlink(lock);
	}
	close(lock_fd);
}
