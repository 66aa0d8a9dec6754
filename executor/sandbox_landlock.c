/*
 * Landlock: the worker may read the few files of its source and nothing else.
 * Debian's header stops at ABI 2, so the newer rights stand here by number; the
 * kernel's ABI says which of them it knows.
 */
#include <errno.h>
#include <linux/types.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "executor/sandbox.h"

struct ruleset_attr { /* of ABI 6; older kernels get a shorter prefix */
	__u64 handled_access_fs;
	__u64 handled_access_net;
	__u64 scoped;
};

struct path_beneath_attr {
	__u64 allowed_access;
	__s32 parent_fd;
} __attribute__((packed));

#define CREATE_RULESET_VERSION 1u
#define RULE_PATH_BENEATH 1
#define FS_READ_FILE (1ull << 2)

/* X(ABI that brought it, file system rights, network rights, scopes) */
static const struct {
	int abi;
	__u64 fs, net, scoped;
} abi_rights[] = {
    {1, (1ull << 13) - 1, 0, 0}, /* execute, write, read, directories, make and remove */
    {2, 1ull << 13, 0, 0},       /* refer */
    {3, 1ull << 14, 0, 0},       /* truncate */
    {4, 0, 3, 0},                /* bind and connect TCP */
    {5, 1ull << 15, 0, 0},       /* ioctl on devices */
    {6, 0, 0, 3},                /* abstract unix sockets, signals */
};

int landlock_abi(void)
{
	long abi = syscall(SYS_landlock_create_ruleset, NULL, 0, CREATE_RULESET_VERSION);

	return abi < 0 ? 0 : (int)abi;
}

static size_t attr_size(int abi)
{
	if (abi >= 6)
		return sizeof(struct ruleset_attr);
	if (abi >= 4)
		return offsetof(struct ruleset_attr, scoped);
	return offsetof(struct ruleset_attr, handled_access_net);
}

int landlock_enter(int abi, const int *fds, size_t n_fds)
{
	struct ruleset_attr attr = {0};
	int ruleset, rc = 0;

	for (size_t i = 0; i < ARRAY_SIZE(abi_rights); i++) {
		if (abi_rights[i].abi > abi)
			break;
		attr.handled_access_fs |= abi_rights[i].fs;
		attr.handled_access_net |= abi_rights[i].net;
		attr.scoped |= abi_rights[i].scoped;
	}
	ruleset = (int)syscall(SYS_landlock_create_ruleset, &attr, attr_size(abi), 0);
	if (ruleset < 0)
		return -1;
	for (size_t i = 0; i < n_fds && rc == 0; i++) {
		struct path_beneath_attr rule = {FS_READ_FILE, fds[i]};

		if (fds[i] >= 0)
			rc = (int)syscall(
			    SYS_landlock_add_rule, ruleset, RULE_PATH_BENEATH, &rule, 0);
	}
	if (rc == 0)
		rc = (int)syscall(SYS_landlock_restrict_self, ruleset, 0);
	close(ruleset);
	return rc == 0 ? 0 : -1;
}
