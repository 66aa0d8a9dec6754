/* See link.h. */
#include "orchestrator/cli/link.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/hash.h"
#include "common/base/utf8.h"
#include "orchestrator/cli/interrupt.h"
#include "orchestrator/cli/paths.h"
#include "orchestrator/cli/pb_client.h"

#define START_MS 15000
#define DIAL_MS 2000

static int no_file(const char *file, struct err *e)
{
	bool missing = errno == ENOENT || errno == ENOTDIR;

	err_set(e, ERR_SOURCE_MISSING, PHASE_REQUEST,
	    missing ? "there is no file \"%.300s\"" : "the file \"%.300s\" cannot be read", file);
	err_fix(e, missing ? "check the name after --db" : "check its permissions: %s",
	    strerror(errno));
	return ERR_SOURCE_MISSING;
}

/* The name of a source made of the file's: letters and digits stay. */
static void name_of(const char *path, char *out, size_t size)
{
	const char *base = strrchr(path, '/') + 1;
	size_t n = 0;

	for (; base[n] && n + 1 < size && n < 48 && (n == 0 || base[n] != '.'); n++) {
		char ch = base[n];
		bool ok = (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') ||
		    (ch >= '0' && ch <= '9') || ch == '_' || (ch == '-' && n > 0);

		out[n] = ok ? ch : '_';
	}
	out[n] = '\0';
	if (!n)
		snprintf(out, size, "db");
}

int link_check_db(const char *file, char *ret_path, size_t path_size, char *ret_name,
    size_t name_size, struct err *e)
{
	char path[PATH_MAX];
	struct stat st;
	const char *what;

	if (!*file) {
		err_set(e, ERR_USAGE, PHASE_REQUEST, "--db needs the name of a file");
		return ERR_USAGE;
	}
	if (!utf8_valid(file, strlen(file)))
		return err_set(
		    e, ERR_BAD_INPUT, PHASE_REQUEST, "the file's name is not valid UTF-8");
	if (!realpath(file, path) || stat(path, &st))
		return no_file(file, e);
	what = S_ISDIR(st.st_mode) ? "a folder"
	    : S_ISFIFO(st.st_mode) ? "a pipe"
	    : S_ISSOCK(st.st_mode) ? "a socket"
	    : !S_ISREG(st.st_mode) ? "a device"
	                           : NULL;
	if (what) {
		err_set(e, ERR_SOURCE_NOT_DB, PHASE_REQUEST, "\"%.300s\" is %s, not a database",
		    file, what);
		err_fix(e, "give the name of an SQLite file");
		return ERR_SOURCE_NOT_DB;
	}
	if (access(path, R_OK))
		return no_file(file, e);
	if (strlen(path) >= path_size || strlen(path) > 4000 || !utf8_valid(path, strlen(path)))
		return err_set(e, ERR_BAD_INPUT, PHASE_REQUEST, "the file's name is too long");
	snprintf(ret_path, path_size, "%s", path);
	name_of(path, ret_name, name_size);
	return 0;
}

int link_check_folder(const char *folder, char *ret_path, size_t size, struct err *e)
{
	char path[PATH_MAX];
	struct stat st;

	if (!realpath(folder, path) || stat(path, &st) || !S_ISDIR(st.st_mode) ||
	    access(path, R_OK | X_OK)) {
		err_set(e, ERR_CONFIG, PHASE_REQUEST, "\"%.300s\" is not a folder that can be read",
		    folder);
		err_fix(e, "give the folder of the semantic model's YAML files");
		return ERR_CONFIG;
	}
	if (strlen(path) >= size || !utf8_valid(path, strlen(path)))
		return err_set(e, ERR_BAD_INPUT, PHASE_REQUEST, "the folder's name is too long");
	snprintf(ret_path, size, "%s", path);
	return 0;
}

/* A client of the stack in run_dir, if its socket is there and answers. */
static int dial(struct link *l, const char *run_dir, uint64_t owner, struct err *e)
{
	char path[112];
	struct stat st;

	if (snprintf(path, sizeof(path), "%s/client/sock", run_dir) >= (int)sizeof(path) - 4)
		return err_set(e, ERR_CONFIG, PHASE_RPC, "the run folder's name is too long");
	snprintf(l->url, sizeof(l->url), "ipc://%s", path);
	if (stat(path, &st) || !S_ISSOCK(st.st_mode)) {
		err_set(
		    e, ERR_UNAVAILABLE, PHASE_RPC, "no orchestrator listens in \"%s\"", run_dir);
		return ERR_UNAVAILABLE;
	}
	return rpc_client_open(l->url, DIAL_MS, owner, &l->client, e);
}

static int dial_own(struct link *l, struct err *e)
{
	char dir[80];
	int rc = paths_run_dir(dir, sizeof(dir), e);

	if (!rc && !paths_is_private(dir))
		rc = err_set(e, ERR_UNAVAILABLE, PHASE_RPC, "you have no private stack running");
	return rc ? rc : dial(l, dir, getuid(), e);
}

static int start_own(struct link *l, struct err *e)
{
	int rc = stack_init(&l->stack, NULL, e);

	l->has_stack = true;
	if (!rc)
		rc = stack_start(&l->stack, e);
	if (!rc)
		rc = stack_wait_ready(&l->stack, START_MS, interrupt_flag(), e);
	return rc ? rc : dial(l, l->stack.run_dir, getuid(), e);
}

static int add_db(
    struct link *l, const char *path, const char *name, const char *semantic, struct err *e)
{
	int rc;

	snprintf(l->source, sizeof(l->source), "%s", name);
	rc = client_add_source(l->client, l->source, path, semantic, e);
	if (rc != ERR_DUPLICATE)
		return rc;
	/* Another file of the same name: the path tells them apart. */
	snprintf(l->source, sizeof(l->source), "%.40s-%08llx", name,
	    (unsigned long long)hash64(path, strlen(path), 0) & 0xffffffff);
	return client_add_source(l->client, l->source, path, semantic, e);
}

static int open_db(struct link *l, const struct link_options *o, struct err *e)
{
	char path[PATH_MAX], name[64], semantic[PATH_MAX] = "";
	struct err ignored = ERR_INIT;
	int rc = link_check_db(o->db, path, sizeof(path), name, sizeof(name), e);

	if (!rc && o->semantic)
		rc = link_check_folder(o->semantic, semantic, sizeof(semantic), e);
	if (rc)
		return rc;
	if (o->run_dir)
		rc = dial(l, o->run_dir, UINT64_MAX, e);
	else if (dial_own(l, &ignored))
		rc = start_own(l, e);
	return rc ? rc : add_db(l, path, name, semantic, e);
}

int link_open(struct link *ret_link, const struct link_options *o, struct err *e)
{
	struct link *l = ret_link;
	struct err ignored = ERR_INIT;
	int rc;

	memset(l, 0, sizeof(*l));
	l->stack.lock_fd = l->stack.notify_fd = -1;
	if (o->db && o->source)
		return err_set(e, ERR_USAGE, PHASE_REQUEST, "give either --db or --source");
	if (o->semantic && !o->db)
		return err_set(e, ERR_USAGE, PHASE_REQUEST, "--semantic goes with --db");
	if (o->source)
		snprintf(l->source, sizeof(l->source), "%s", o->source);
	if (o->db)
		return open_db(l, o, e);
	if (o->run_dir)
		return dial(l, o->run_dir, UINT64_MAX, e);
	if (dial_own(l, &ignored) == 0)
		return 0;
	rc = dial(l, PATHS_SYSTEM_RUN, UINT64_MAX, e);
	if (rc == ERR_UNAVAILABLE) {
		err_set(e, ERR_UNAVAILABLE, PHASE_RPC, "no orchestrator is running");
		err_fix(e, "ask a file with --db FILE, or start a stack with nlq up --db FILE");
	}
	return rc;
}

void link_close(struct link *l)
{
	rpc_client_close(l->client);
	l->client = NULL;
	if (l->has_stack)
		stack_stop(&l->stack);
	l->has_stack = false;
}
