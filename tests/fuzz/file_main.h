/* main() of a fuzz target where libFuzzer is not linked: every file named on
 * the command line, or in the folders named there, is one input. */
#ifndef NLQ_TESTS_FILE_MAIN_H
#define NLQ_TESTS_FILE_MAIN_H

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t fuzz_one(const char *path)
{
	FILE *f = fopen(path, "rb");
	if (!f)
		return 0;
	uint8_t *data = malloc(1 << 20);
	size_t size = data ? fread(data, 1, 1 << 20, f) : 0;
	fclose(f);
	/* A buffer of exactly that size, so that reading past it is seen. */
	uint8_t *exact = malloc(size ? size : 1);
	if (exact) {
		memcpy(exact, data, size);
		LLVMFuzzerTestOneInput(exact, size);
	}
	free(exact);
	free(data);
	return 1;
}

static size_t fuzz_path(const char *path)
{
	struct stat st;
	size_t n = 0;
	if (stat(path, &st) != 0)
		return 0;
	if (!S_ISDIR(st.st_mode))
		return fuzz_one(path);
	DIR *d = opendir(path);
	for (struct dirent *e; d && (e = readdir(d)) != NULL;) {
		char name[4096];
		snprintf(name, sizeof(name), "%s/%s", path, e->d_name);
		if (e->d_name[0] != '.')
			n += fuzz_path(name);
	}
	if (d)
		closedir(d);
	return n;
}

int main(int argc, char **argv)
{
	size_t n = 0;
	for (int i = 1; i < argc; i++)
		n += fuzz_path(argv[i]);
	printf("%zu inputs\n", n);
	return n > 0 ? 0 : 2;
}

#endif
