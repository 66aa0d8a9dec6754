/*
 * After the role pass: the entity, default outputs, grouping, what tables named
 * in passing mean, set operations. Nothing here looks at words any more.
 */
#ifndef NLQ_COMPOSE_FINISH_H
#define NLQ_COMPOSE_FINISH_H

#include "sql_agent/compose/roles.h"

void finish_ir(struct roles *r);
/* The second half (settle.c): what the rows are, once outputs and groups are known. */
void settle_rows(struct roles *r);

#endif
