/* From a command's options to a connection: the user's own stack where it runs,
 * a stack for this one call where a file is given and none runs, else the
 * system's. */
#ifndef NLQ_CLI_LINK_H
#define NLQ_CLI_LINK_H

#include "common/rpc/client.h"
#include "orchestrator/cli/supervise.h"

struct link_options {
	const char *db, *semantic; /* NULL: not given */
	const char *source;
	const char *run_dir; /* NULL: look in the usual places */
};

struct link {
	struct rpc_client *client;
	char url[128];
	struct stack stack;
	bool has_stack;
	char source[80]; /* "" : the first one */
};

/* Rows of these options, for every command that connects. */
#define LINK_OPTION_ROWS(o)                                                                        \
	{"db", 'd', OPTION_STRING, &(o).db, "FILE", "the SQLite database to ask"},                 \
	    {"semantic", 's', OPTION_STRING, &(o).semantic, "DIR",                                 \
	        "folder of its semantic model"},                                                   \
	    {"source", 0, OPTION_STRING, &(o).source, "NAME", "a database that the server knows"}, \
	{                                                                                          \
		"run-dir", 0, OPTION_STRING, &(o).run_dir, "DIR", "folder of the server's sockets" \
	}

/* Fills ret_link even on failure: link_close it always. */
int link_open(struct link *ret_link, const struct link_options *o, struct err *e);
void link_close(struct link *l);

/* A database file as given by a person: absolute path and a name for it, or why
 * it cannot be one (missing, folder, FIFO, no permission). */
int link_check_db(const char *file, char *ret_path, size_t path_size, char *ret_name,
    size_t name_size, struct err *e);
int link_check_folder(const char *folder, char *ret_path, size_t size, struct err *e);

#endif
