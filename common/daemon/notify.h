/* The service manager's datagram protocol (NOTIFY_SOCKET): READY, STOPPING,
 * STATUS, WATCHDOG. Small enough to write without libsystemd. */
#ifndef NLQ_NOTIFY_H
#define NLQ_NOTIFY_H

#include "common/base/base.h"

/* Sends the state string ("READY=1"); 0 also when there is no manager, -1 when
 * the manager's socket does not take it (errno is set). */
int notify_send(const char *state);
/* Period at which WATCHDOG=1 is due, in ms (half of the manager's limit, so
 * that one late turn is forgiven); 0 = not asked for. */
uint32_t notify_watchdog_ms(void);

#endif
