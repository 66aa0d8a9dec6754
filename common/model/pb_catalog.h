/* struct catalog <-> protobuf. pb_* files alone see both worlds. */
#ifndef NLQ_PB_CATALOG_H
#define NLQ_PB_CATALOG_H
#include "common/base/err.h"
#include "common/base/strbuf.h"
#include "common/model/catalog.h"
#include "snapshot.pb-c.h"

/* Builds a message whose parts live in the arena (borrowing c's strings). */
Nlq__Catalog *pb_catalog_message(struct arena *a, const struct catalog *c);
/* Checks every index and range; caller frees with catalog_free. */
int pb_catalog_read(const Nlq__Catalog *m, struct catalog **ret_catalog, struct err *e);
/* The same through bytes. */
int pb_catalog_pack(struct strbuf *out, const struct catalog *c, struct err *e);
int pb_catalog_unpack(const void *bytes, size_t len, struct catalog **ret_catalog, struct err *e);

Nlq__Value *pb_value_message(struct arena *a, const struct value *v);
/* NULL message is a NULL value; text is checked to be UTF-8. */
int pb_value_read(struct arena *a, const Nlq__Value *m, struct value *ret_value, struct err *e);
#endif
