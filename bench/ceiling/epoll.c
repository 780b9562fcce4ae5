/* The ceiling of readiness by epoll: answers every REQUEST_LENGTH bytes with the same bytes.
 *
 *   epoll PORT REQUEST_LENGTH RESPONSE_FILE
 */
#define _GNU_SOURCE
#include <sys/epoll.h>

#include "constant.h"

enum { MAX_EVENTS = 64 };

static void watch(int epoll, int operation, int fd, unsigned events) {
    struct epoll_event event = {.events = events, .data.fd = fd};
    if (epoll_ctl(epoll, operation, fd, &event)) die("epoll_ctl");
}

/* Sends what is owed; watches for room only while the socket is full. */
static int flush_owed(int epoll, int fd, int was_full) {
    int full = send_owed(fd);
    if (full < 0) return -1;
    if (full && !was_full) watch(epoll, EPOLL_CTL_MOD, fd, EPOLLIN | EPOLLOUT);
    if (!full && was_full) watch(epoll, EPOLL_CTL_MOD, fd, EPOLLIN);
    return 0;
}

static int serve(int epoll, int fd, unsigned events) {
    if (events & EPOLLIN) {
        if (read_once(fd)) return -1;
    } else if (!(events & EPOLLOUT)) {
        return -1;
    }
    return flush_owed(epoll, fd, (events & EPOLLOUT) != 0);
}

int main(int argc, char **argv) {
    int listener = begin(argc, argv);
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    if (epoll < 0) die("epoll_create1");
    watch(epoll, EPOLL_CTL_ADD, listener, EPOLLIN);
    for (;;) {
        struct epoll_event events[MAX_EVENTS];
        int count = epoll_wait(epoll, events, MAX_EVENTS, -1);
        for (int i = 0; i < count; i++) {
            int fd = events[i].data.fd;
            if (fd != listener) {
                if (serve(epoll, fd, events[i].events)) close(fd);
                continue;
            }
            while ((fd = accept_one(listener)) >= 0) watch(epoll, EPOLL_CTL_ADD, fd, EPOLLIN);
        }
    }
}
