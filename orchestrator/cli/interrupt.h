/* Ctrl-C and the like: a thread waits for the signal, tells the orchestrator to
 * cancel what this process asked, and the main thread ends as the reply comes
 * in. A second signal ends the process at once. */
#ifndef NLQ_CLI_INTERRUPT_H
#define NLQ_CLI_INTERRUPT_H

#include "common/base/base.h"

/* Before any other thread is made. */
void interrupt_init(void);
/* What to cancel; url NULL: nothing. Both are copied. */
void interrupt_target(const char *url, const uint8_t key[16]);
bool interrupt_happened(void);
const volatile bool *interrupt_flag(void);

#endif
