/* nlq: the command line client. A table of commands. */
#include <stdio.h>
#include <string.h>

#include "orchestrator/cli/cli.h"
#include "orchestrator/cli/interrupt.h"
#include "orchestrator/cli/output.h"

static const struct {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *help;
} commands[] = {
    {"ask", cmd_ask, "ask a question in plain language"},
    {"up", cmd_up, "run a private stack until Ctrl-C"},
    {"sql", cmd_sql, "run: one SELECT behind the same walls"},
    {"schema", cmd_schema, "list, show, search: what a database holds"},
    {"trace", cmd_trace, "list, show, verify: what was asked and how it went"},
    {"status", cmd_status, "the daemons and the databases"},
};

static int help(void)
{
	printf("nlq answers questions about a database, with the SQL and the evidence, and\n"
	       "declines where it cannot vouch for an answer.\n\n"
	       "Usage: nlq COMMAND [OPTIONS]\n\nCommands:\n");
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		printf("  %-8s %s\n", commands[i].name, commands[i].help);
	printf("\nExamples:\n"
	       "  nlq ask --db shop.sqlite \"How many orders were there in 2023?\"\n"
	       "  nlq up --db shop.sqlite          then, in another shell: nlq ask \"...\"\n"
	       "  nlq sql run --db shop.sqlite \"SELECT count(*) FROM orders\"\n\n"
	       "nlq COMMAND --help tells more; nlq --version prints the version.\n");
	return 0;
}

int main(int argc, char **argv)
{
	const char *names[ARRAY_SIZE(commands)];
	struct output output = {0};
	struct err e = ERR_INIT;
	int i;

	if (argc < 2) {
		help();
		return 2;
	}
	if (strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "--help") == 0 ||
	    strcmp(argv[1], "help") == 0)
		return help();
	if (strcmp(argv[1], "--version") == 0) {
		printf("nlq %s\n", NLQ_VERSION);
		return 0;
	}
	for (size_t k = 0; k < ARRAY_SIZE(commands); k++)
		names[k] = commands[k].name;
	i = cli_pick(argv[1], names, ARRAY_SIZE(names), &e);
	if (i < 0)
		return output_error(&output, &e);
	interrupt_init();
	return commands[i].run(argc - 2, argv + 2);
}
