/* Estimates and water-filling. */
#include "executor/fit.h"

#include <string.h>

#define PER_VALUE 6 /* tags and lengths around a value */
#define PER_COLUMN 32
#define PER_TABLE 24

static size_t value_bytes(const struct value *v)
{
	return PER_VALUE + (v->type == VALUE_TEXT || v->type == VALUE_BLOB ? v->len : 10);
}

size_t fit_values_bytes(const struct value *v, size_t n)
{
	size_t bytes = 0;

	for (size_t i = 0; i < n; i++)
		bytes += value_bytes(&v[i]);
	return bytes;
}

static void cut_domain(struct catalog *c, struct catalog_column *col, size_t max_bytes)
{
	size_t bytes = 0, n = 0;

	while (n < col->n_domain && (bytes += value_bytes(&col->domain[n])) <= max_bytes)
		n++;
	if (n == col->n_domain)
		return;
	col->n_domain = n;
	col->domain_complete = false;
	c->profile_cut = true;
}

static size_t total_domains(const struct catalog *c, size_t per_column)
{
	size_t total = 0;

	for (size_t t = 0; t < c->n_tables; t++)
		for (size_t i = 0; i < c->tables[t].n_columns; i++) {
			const struct catalog_column *col = &c->tables[t].columns[i];
			size_t bytes = fit_values_bytes(col->domain, col->n_domain);

			total += bytes < per_column ? bytes : per_column;
		}
	return total;
}

/* The largest share per column with which all fit: small domains stay whole, large
 * ones are cut to the same size. */
size_t fit_domains(struct catalog *c, size_t max_bytes)
{
	size_t low = 0, high = max_bytes;

	while (low < high) {
		size_t mid = low + (high - low + 1) / 2;

		if (total_domains(c, mid) <= max_bytes)
			low = mid;
		else
			high = mid - 1;
	}
	for (size_t t = 0; t < c->n_tables; t++)
		for (size_t i = 0; i < c->tables[t].n_columns; i++)
			cut_domain(c, &c->tables[t].columns[i], low);
	return low;
}

static size_t column_bytes(const struct catalog_column *col)
{
	return PER_COLUMN + strlen(col->name) + strlen(col->decl_type) +
	    fit_values_bytes(col->domain, col->n_domain) +
	    fit_values_bytes(col->samples, col->n_samples) +
	    (col->has_range ? value_bytes(&col->min) + value_bytes(&col->max) : 0);
}

static size_t catalog_bytes(const struct catalog *c)
{
	size_t bytes = 0;

	for (size_t t = 0; t < c->n_tables; t++) {
		bytes += PER_TABLE + strlen(c->tables[t].name);
		for (size_t i = 0; i < c->tables[t].n_columns; i++)
			bytes += column_bytes(&c->tables[t].columns[i]);
	}
	for (size_t r = 0; r < c->n_relations; r++)
		bytes += PER_TABLE + strlen(c->relations[r].evidence) +
		    8 * c->relations[r].n_columns;
	return bytes;
}

static void drop(struct catalog *c, bool samples, bool ranges)
{
	for (size_t t = 0; t < c->n_tables; t++)
		for (size_t i = 0; i < c->tables[t].n_columns; i++) {
			struct catalog_column *col = &c->tables[t].columns[i];

			col->n_samples = samples ? 0 : col->n_samples;
			col->has_range &= !ranges;
		}
	c->profile_cut = true;
}

int fit_catalog(struct catalog *c, struct err *e)
{
	fit_domains(c, FIT_DOMAIN_BYTES);
	if (catalog_bytes(c) > FIT_CATALOG_BYTES)
		drop(c, true, false);
	if (catalog_bytes(c) > FIT_CATALOG_BYTES)
		drop(c, false, true);
	if (catalog_bytes(c) > FIT_CATALOG_BYTES)
		fit_domains(c, 0);
	if (catalog_bytes(c) <= FIT_CATALOG_BYTES)
		return 0;
	return err_set(e, ERR_TOO_LARGE, PHASE_DESCRIBE,
	    "the schema's names take more than a message may hold");
}
