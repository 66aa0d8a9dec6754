/* nlq up: a private stack in the foreground. Daemons that die are started again,
 * with a growing pause when they die young. */
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "orchestrator/cli/cli.h"
#include "orchestrator/cli/interrupt.h"
#include "orchestrator/cli/link.h"
#include "orchestrator/cli/options.h"
#include "orchestrator/cli/output.h"
#include "orchestrator/cli/paths.h"
#include "orchestrator/cli/pb_client.h"

#define START_MS 15000
#define LOOK_MS 100
#define GIVE_UP 10 /* early deaths of one daemon in a row */

static const char usage[] =
    "Usage: nlq up [OPTIONS]\n"
    "Starts a private stack (all five daemons) and keeps it running until Ctrl-C.\n"
    "Other shells of the same user then need no --db: nlq ask \"...\"\n"
    "\n"
    "Examples:\n"
    "  nlq up --db shop.sqlite\n"
    "  nlq up --db shop.sqlite --semantic shop/semantic --verbose\n";

struct database {
	bool is_given;
	char path[4096], semantic[4096], name[64];
};

static int add_database(const struct stack *s, const struct database *db, struct err *e)
{
	struct rpc_client *c = NULL;
	char url[128];
	int rc;

	if (!db->is_given)
		return 0;
	snprintf(url, sizeof(url), "ipc://%s/client/sock", s->run_dir);
	rc = rpc_client_open(url, START_MS, getuid(), &c, e);
	if (!rc)
		rc = client_add_source(c, db->name, db->path, db->semantic, e);
	rpc_client_close(c);
	return rc;
}

static void tell_end(const struct stack *s, int daemon, int status)
{
	if (WIFSIGNALED(status))
		fprintf(stderr, "nlq: %s was ended by signal %d; starting it again\n",
		    stack_name(daemon), WTERMSIG(status));
	else
		fprintf(stderr, "nlq: %s ended with code %d; starting it again\n",
		    stack_name(daemon), WEXITSTATUS(status));
	(void)s;
}

/* Until a signal comes, or a daemon cannot be kept alive. */
static int keep(struct stack *s, const struct database *db, struct err *e)
{
	bool needs_database = false;

	while (!interrupt_happened()) {
		struct pollfd p = {s->notify_fd, POLLIN, 0};
		int status, ended = stack_reap(s, &status);

		if (ended >= 0) {
			tell_end(s, ended, status);
			needs_database |= ended == STACK_ORCHESTRATOR;
			if (s->n_fails[ended] >= GIVE_UP)
				return err_set(e, ERR_UNAVAILABLE, PHASE_CONFIG,
				    "%s does not stay up", stack_name(ended));
			continue;
		}
		if (stack_start(s, e))
			return e->code;
		if (needs_database && s->ready[STACK_ORCHESTRATOR]) {
			struct err ignored = ERR_INIT;

			needs_database = add_database(s, db, &ignored) != 0;
		}
		poll(&p, 1, LOOK_MS);
	}
	return 0;
}

/* For scripts that start a stack and wait: the file is there once it is ready. */
static int write_ready_file(const char *path, struct err *e)
{
	FILE *file = path ? fopen(path, "w") : NULL;

	if (path && (!file || fclose(file)))
		return err_set(e, ERR_IO, PHASE_CONFIG, "cannot write \"%.300s\"", path);
	return 0;
}

static int run(struct stack *s, const struct database *db, const char *ready_file, struct err *e)
{
	uint64_t start_ms = clock_mono_ms();
	char dir[80];
	int rc = paths_run_dir(dir, sizeof(dir), e);

	if (!rc)
		rc = stack_init(s, dir, e);
	if (!rc)
		rc = stack_start(s, e);
	if (!rc)
		rc = stack_wait_ready(s, START_MS, interrupt_flag(), e);
	if (!rc)
		rc = add_database(s, db, e);
	if (!rc)
		rc = write_ready_file(ready_file, e);
	if (rc)
		return rc;
	printf("ready in %llu ms; ask with: nlq ask \"...\"   (Ctrl-C stops)\n",
	    (unsigned long long)(clock_mono_ms() - start_ms));
	fflush(stdout);
	return keep(s, db, e);
}

int cmd_up(int argc, char **argv)
{
	struct link_options link = {0};
	struct database db = {0};
	struct stack s = {.lock_fd = -1, .notify_fd = -1};
	const char *ready_file = NULL;
	bool verbose = false, help;
	struct output output = {0};
	const struct option_row rows[] = {
	    {"db", 'd', OPTION_STRING, &link.db, "FILE", "the SQLite database to serve"},
	    {"semantic", 's', OPTION_STRING, &link.semantic, "DIR", "folder of its semantic model"},
	    {"verbose", 'v', OPTION_FLAG, &verbose, NULL, "show what the daemons log"},
	    {"ready-file", 0, OPTION_STRING, &ready_file, "FILE",
	        "make this file once it is ready"},
	};
	const char *words[OPTIONS_ARGS_MAX];
	struct err e = ERR_INIT;
	size_t n = 0;
	int rc = options_parse(argc, argv, rows, ARRAY_SIZE(rows), words, &n, &help, &e);

	if (!rc && help) {
		fputs(usage, stdout);
		options_help(rows, ARRAY_SIZE(rows));
		return 0;
	}
	if (!rc && n)
		rc = err_set(&e, ERR_USAGE, PHASE_REQUEST, "up takes no argument");
	if (!rc && link.semantic && !link.db)
		rc = err_set(&e, ERR_USAGE, PHASE_REQUEST, "--semantic goes with --db");
	if (!rc && link.db) {
		db.is_given = true;
		rc = link_check_db(link.db, db.path, sizeof(db.path), db.name, sizeof(db.name), &e);
	}
	if (!rc && link.semantic)
		rc = link_check_folder(link.semantic, db.semantic, sizeof(db.semantic), &e);
	if (!rc) {
		s.is_verbose = verbose;
		rc = run(&s, &db, ready_file, &e);
		stack_stop(&s);
	}
	if (!rc || interrupt_happened())
		return 0;
	return output_error(&output, &e);
}
