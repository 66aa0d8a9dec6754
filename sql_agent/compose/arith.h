/* Arithmetic in SQL: difference, ratio, share and spread of one measure. */
#ifndef NLQ_COMPOSE_ARITH_H
#define NLQ_COMPOSE_ARITH_H

#include "sql_agent/compose/emit.h"

/* The select for an IR whose `arithmetic` is set. */
int arith_emit(struct emit *em, struct sql_select **ret_select, struct err *e);

#endif
