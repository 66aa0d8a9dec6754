/* SHA-256 (libcrypto) and a fast non-cryptographic 64-bit hash for tables. */
#ifndef NLQ_HASH_H
#define NLQ_HASH_H

#include "common/base/base.h"

#define HASH_LEN 32

struct hash {
	uint8_t bytes[HASH_LEN];
};

void hash_bytes(const void *p, size_t len, struct hash *ret_hash);
/* Incremental form. Fields are length-prefixed (8 bytes, little endian), so
 * that ("ab","c") and ("a","bc") differ. */
struct hash_ctx {
	void *md;
};
void hash_begin(struct hash_ctx *c);
void hash_field(struct hash_ctx *c, const void *p, size_t len);
void hash_end(struct hash_ctx *c, struct hash *ret_hash); /* releases c */
bool hash_equal(const struct hash *a, const struct hash *b);
/* 64 hex digits and a NUL. */
void hash_hex(const struct hash *h, char out[2 * HASH_LEN + 1]);
int hash_from_hex(const char *hex, struct hash *ret_hash); /* 0 / -1 */

/* FNV-1a finished with a 64-bit mixer; seed separates uses. Not for security. */
uint64_t hash64(const void *p, size_t len, uint64_t seed);
/* Bytes from getrandom(); ends the process if there are none. */
void random_bytes(void *p, size_t len);

#endif
