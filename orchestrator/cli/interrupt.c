/* See interrupt.h. */
#include "orchestrator/cli/interrupt.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "orchestrator/cli/pb_client.h"

#define DIAL_MS 1000
#define EXIT_INTERRUPTED 130

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static char target_url[128];
static uint8_t target_key[16];
static volatile bool happened;

static void cancel_target(void)
{
	struct rpc_client *c = NULL;
	char url[sizeof(target_url)];
	uint8_t key[16];
	struct err e = ERR_INIT;

	pthread_mutex_lock(&mutex);
	memcpy(url, target_url, sizeof(url));
	memcpy(key, target_key, sizeof(key));
	pthread_mutex_unlock(&mutex);
	if (!*url || rpc_client_open(url, DIAL_MS, UINT64_MAX, &c, &e))
		return;
	client_cancel(c, key, &e);
	rpc_client_close(c);
}

static void *wait_for_signal(void *arg)
{
	sigset_t *set = arg;
	int sig;

	if (sigwait(set, &sig) == 0) {
		happened = true;
		cancel_target();
	}
	if (sigwait(set, &sig) == 0)
		_exit(EXIT_INTERRUPTED);
	return NULL;
}

void interrupt_init(void)
{
	static sigset_t set;
	pthread_t thread;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
	if (pthread_create(&thread, NULL, wait_for_signal, &set) == 0)
		pthread_detach(thread);
}

void interrupt_target(const char *url, const uint8_t key[16])
{
	pthread_mutex_lock(&mutex);
	snprintf(target_url, sizeof(target_url), "%s", url ? url : "");
	if (key)
		memcpy(target_key, key, sizeof(target_key));
	pthread_mutex_unlock(&mutex);
}

bool interrupt_happened(void)
{
	return happened;
}

const volatile bool *interrupt_flag(void)
{
	return &happened;
}
