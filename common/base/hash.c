#include "common/base/hash.h"

#include <errno.h>
#include <openssl/evp.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

/* Fetched once: EVP_sha256() is looked up anew by every digest. */
static pthread_once_t sha256_once = PTHREAD_ONCE_INIT;
static EVP_MD *sha256;

static void fetch_sha256(void)
{
	sha256 = EVP_MD_fetch(NULL, "SHA256", NULL);
	if (!sha256)
		abort();
}

static const EVP_MD *digest(void)
{
	pthread_once(&sha256_once, fetch_sha256);
	return sha256;
}

void hash_bytes(const void *p, size_t len, struct hash *ret_hash)
{
	if (EVP_Digest(p, len, ret_hash->bytes, NULL, digest(), NULL) != 1)
		abort();
}

void hash_begin(struct hash_ctx *c)
{
	c->md = EVP_MD_CTX_new();
	if (!c->md || EVP_DigestInit_ex(c->md, digest(), NULL) != 1)
		abort();
}

void hash_field(struct hash_ctx *c, const void *p, size_t len)
{
	uint8_t prefix[8];

	for (size_t i = 0; i < sizeof(prefix); i++)
		prefix[i] = (uint8_t)((uint64_t)len >> (8 * i));
	if (EVP_DigestUpdate(c->md, prefix, sizeof(prefix)) != 1 ||
	    EVP_DigestUpdate(c->md, p, len) != 1)
		abort();
}

void hash_end(struct hash_ctx *c, struct hash *ret_hash)
{
	if (EVP_DigestFinal_ex(c->md, ret_hash->bytes, NULL) != 1)
		abort();
	EVP_MD_CTX_free(c->md);
	c->md = NULL;
}

bool hash_equal(const struct hash *a, const struct hash *b)
{
	return memcmp(a->bytes, b->bytes, HASH_LEN) == 0;
}

void hash_hex(const struct hash *h, char out[2 * HASH_LEN + 1])
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < HASH_LEN; i++) {
		out[2 * i] = digits[h->bytes[i] >> 4];
		out[2 * i + 1] = digits[h->bytes[i] & 15];
	}
	out[2 * HASH_LEN] = '\0';
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

int hash_from_hex(const char *hex, struct hash *ret_hash)
{
	struct hash h;

	if (strlen(hex) != 2 * HASH_LEN)
		return -1;
	for (size_t i = 0; i < HASH_LEN; i++) {
		int high = hex_digit(hex[2 * i]), low = hex_digit(hex[2 * i + 1]);

		if (high < 0 || low < 0)
			return -1;
		h.bytes[i] = (uint8_t)(high << 4 | low);
	}
	*ret_hash = h;
	return 0;
}

uint64_t hash64(const void *p, size_t len, uint64_t seed)
{
	const uint8_t *bytes = p;
	uint64_t h = 0xcbf29ce484222325u ^ seed;

	for (size_t i = 0; i < len; i++)
		h = (h ^ bytes[i]) * 0x100000001b3u;
	/* FNV's high bits depend little on the last bytes; tables use any bits. */
	h ^= h >> 32;
	h *= 0xd6e8feb86659fd93u;
	h ^= h >> 32;
	h *= 0xd6e8feb86659fd93u;
	return h ^ (h >> 32);
}

void random_bytes(void *p, size_t len)
{
	uint8_t *to = p;

	while (len) {
		ssize_t n = getrandom(to, len, 0);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			abort();
		to += n;
		len -= (size_t)n;
	}
}
