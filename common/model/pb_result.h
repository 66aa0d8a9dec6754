/* struct resultset <-> protobuf; see pb_catalog.h. Cells are packed by hand in
 * one bytes field (a message per cell would cost 80 times its size): per cell
 * one type byte (enum value_type), then INT: zigzag varint; REAL: 8 bytes little
 * endian; TEXT, BLOB: varint length and the bytes. */
#ifndef NLQ_PB_RESULT_H
#define NLQ_PB_RESULT_H
#include "common/base/err.h"
#include "common/base/strbuf.h"
#include "common/model/resultset.h"
#include "snapshot.pb-c.h"

void pb_cell_pack(struct strbuf *out, const struct value *v);
/* Reads one cell at *pos, advances it; text is checked to be UTF-8. */
int pb_cell_unpack(struct arena *a, const uint8_t *bytes, size_t len, size_t *pos,
    struct value *ret_value, struct err *e);
/* r->digest must be that of resultset_digest: the reader checks it. */
Nlq__ResultSet *pb_result_message(struct arena *a, const struct resultset *r);
int pb_result_read(const Nlq__ResultSet *m, struct resultset **ret_result, struct err *e);
#endif
