/* The ceiling of readiness by poll: answers every REQUEST_LENGTH bytes with the same bytes.
 *
 * One call tells of all that is ready, at the price of handing over all that is watched: in some
 * virtual machines that is the cheaper way up to some hundred connections.
 *
 *   poll PORT REQUEST_LENGTH RESPONSE_FILE
 */
#define _GNU_SOURCE
#include <poll.h>

#include "constant.h"

/* The listener is the first of them. */
static struct pollfd watched[MAX_FDS];
static nfds_t count;

/* The last one takes the place of one that is over. */
static void forget(nfds_t index) {
    close(watched[index].fd);
    watched[index] = watched[--count];
}

/* Sends what is owed; watches for room only while the socket is full. */
static int serve(struct pollfd *one) {
    if (one->revents & POLLIN) {
        if (read_once(one->fd)) return -1;
    } else if (!(one->revents & POLLOUT)) {
        return -1;
    }
    int full = send_owed(one->fd);
    one->events = (short)(full > 0 ? POLLIN | POLLOUT : POLLIN);
    return full < 0 ? -1 : 0;
}

int main(int argc, char **argv) {
    int listener = begin(argc, argv);
    watched[count++] = (struct pollfd){.fd = listener, .events = POLLIN};
    for (;;) {
        int ready = poll(watched, count, -1);
        /* From the back, so that what takes a place has been served already. */
        for (nfds_t i = count; ready > 0 && i-- > 1;) {
            if (!watched[i].revents) continue;
            ready--;
            if (serve(&watched[i])) forget(i);
        }
        if (ready <= 0) continue;
        for (int fd; count < MAX_FDS && (fd = accept_one(listener)) >= 0;)
            watched[count++] = (struct pollfd){.fd = fd, .events = POLLIN};
    }
}
