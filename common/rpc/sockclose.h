/* Closing an nng socket, with an end to the waiting: nng_close of 1.5.2 can hang for
 * ever when a message is under way on a connection that closes. */
#ifndef NLQ_RPC_SOCKCLOSE_H
#define NLQ_RPC_SOCKCLOSE_H

#include <stdbool.h>

#include <nng/nng.h>

/* False: it did not end in time and goes on by itself. Then callbacks of the socket
 * may still come, and what they use must be kept for ever. */
bool sockclose(nng_socket sock);

#endif
