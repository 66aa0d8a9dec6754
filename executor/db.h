/*
 * One read-only connection with everything switched off that a query does not
 * need, a hard limit on memory, and a clock: every thousand opcodes the deadline
 * and the opcode budget are looked at.
 */
#ifndef NLQ_EXECUTOR_DB_H
#define NLQ_EXECUTOR_DB_H

#include <sqlite3.h>

#include "common/base/err.h"
#include "executor/authz.h"
#include "executor/source_file.h"

struct db {
	sqlite3 *h;
	struct authz authz;
	uint64_t deadline_ms;   /* CLOCK_MONOTONIC */
	uint64_t opcodes;       /* since db_arm, in thousands rounded down */
	uint64_t opcodes_max;   /* 0: no limit */
	bool is_out_of_opcodes; /* that was why it stopped */
};

enum db_check { DB_CHECK_PASSED, DB_CHECK_CUT, DB_CHECK_SKIPPED };

/* Once in the process, before the sandbox: everything that the engine and the C
 * library open or ask for on first use. */
int db_warm_up(uint64_t heap_bytes);

/* Opens, configures, and installs the authorizer in internal mode. */
int db_open(
    struct db *d, const char *path, enum source_mode mode, uint32_t cache_kib, struct err *e);
void db_close(struct db *d);

/* Sets the clock for what follows. */
void db_arm(struct db *d, uint64_t deadline_ms, uint64_t opcodes_max);

/* quick_check until the deadline; ERR_SOURCE_CORRUPT if it finds something. */
int db_quick_check(struct db *d, uint64_t deadline_ms, enum db_check *ret_check, struct err *e);

/* Number of columns that a result may have: twice the widest table, 100 to 2000. */
void db_set_columns(struct db *d, size_t widest);

#endif
