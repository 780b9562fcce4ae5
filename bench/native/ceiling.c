/* The ceiling: an epoll loop that answers every REQUEST_LENGTH bytes with the same bytes.
 *
 * It parses nothing, calls nobody and is right only for a closed loop of equal requests, so it is
 * no server. It shows what the kernel and the load generator leave for one.
 *
 *   ceiling PORT REQUEST_LENGTH RESPONSE_FILE
 */
#define _GNU_SOURCE
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MAX_EVENTS = 64, READ_SIZE = 65536, MAX_FDS = 65536 };

/* Of one connection: unanswered request bytes, and response bytes still to be sent. */
struct connection {
    size_t received;
    size_t owed;
};

static struct connection connections[MAX_FDS];
static char *response;
static size_t response_length;

static void die(const char *what) {
    perror(what);
    exit(1);
}

static void load_response(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file) die(path);
    fseek(file, 0, SEEK_END);
    response_length = (size_t)ftell(file);
    rewind(file);
    response = malloc(response_length);
    if (!response || fread(response, 1, response_length, file) != response_length) die(path);
    fclose(file);
}

static int listen_on(int port) {
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    int on = 1;
    struct sockaddr_in address = {
        .sin_family = AF_INET,
        .sin_port = htons((unsigned short)port),
        .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
    };
    if (fd < 0) die("socket");
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(fd, (struct sockaddr *)&address, sizeof address)) die("bind");
    if (listen(fd, 4096)) die("listen");
    return fd;
}

static void watch(int epoll, int operation, int fd, unsigned events) {
    struct epoll_event event = {.events = events, .data.fd = fd};
    if (epoll_ctl(epoll, operation, fd, &event)) die("epoll_ctl");
}

static void accept_all(int epoll, int listener) {
    for (;;) {
        int on = 1;
        int fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd < 0) return;
        if (fd >= MAX_FDS) {
            close(fd);
            continue;
        }
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        connections[fd] = (struct connection){0, 0};
        watch(epoll, EPOLL_CTL_ADD, fd, EPOLLIN);
    }
}

/* Sends what is owed; watches for room only while the socket is full. */
static int flush_owed(int epoll, int fd, int was_full) {
    struct connection *connection = &connections[fd];
    while (connection->owed) {
        size_t rest = connection->owed % response_length;
        if (rest == 0) rest = response_length;
        ssize_t sent = send(fd, response + response_length - rest, rest, MSG_NOSIGNAL);
        if (sent < 0) {
            if (errno != EAGAIN) return -1;
            if (!was_full) watch(epoll, EPOLL_CTL_MOD, fd, EPOLLIN | EPOLLOUT);
            return 0;
        }
        connection->owed -= (size_t)sent;
    }
    if (was_full) watch(epoll, EPOLL_CTL_MOD, fd, EPOLLIN);
    return 0;
}

static int serve(int epoll, int fd, unsigned events, size_t request_length) {
    static char buffer[READ_SIZE];
    struct connection *connection = &connections[fd];
    if (events & EPOLLIN) {
        ssize_t got = recv(fd, buffer, sizeof buffer, 0);
        if (got == 0 || (got < 0 && errno != EAGAIN)) return -1;
        if (got > 0) connection->received += (size_t)got;
        for (; connection->received >= request_length; connection->received -= request_length)
            connection->owed += response_length;
    } else if (!(events & EPOLLOUT)) {
        return -1;
    }
    return flush_owed(epoll, fd, (events & EPOLLOUT) != 0);
}

int main(int argc, char **argv) {
    if (argc != 4) {
        fprintf(stderr, "usage: ceiling PORT REQUEST_LENGTH RESPONSE_FILE\n");
        return 2;
    }
    size_t request_length = (size_t)atol(argv[2]);
    load_response(argv[3]);
    int listener = listen_on(atoi(argv[1]));
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    if (epoll < 0) die("epoll_create1");
    watch(epoll, EPOLL_CTL_ADD, listener, EPOLLIN);
    for (;;) {
        struct epoll_event events[MAX_EVENTS];
        int count = epoll_wait(epoll, events, MAX_EVENTS, -1);
        for (int i = 0; i < count; i++) {
            int fd = events[i].data.fd;
            if (fd == listener)
                accept_all(epoll, listener);
            else if (serve(epoll, fd, events[i].events, request_length))
                close(fd);
        }
    }
}
