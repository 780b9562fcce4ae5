/* What both ceilings share: the constant answer, and who is owed how much of it.
 *
 * A ceiling parses nothing, calls nobody and is right only for a closed loop of equal requests, so
 * it is no server. It shows what the kernel and the load generator leave for one.
 */
#ifndef CONSTANT_H
#define CONSTANT_H

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

enum { READ_SIZE = 65536, MAX_FDS = 65536 };

/* Of one connection: unanswered request bytes, and response bytes still to be sent. */
struct connection {
    size_t received;
    size_t owed;
};

static struct connection connections[MAX_FDS];
static char *response;
static size_t response_length, request_length;

static inline void die(const char *what) {
    perror(what);
    exit(1);
}

static inline void load_response(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file) die(path);
    fseek(file, 0, SEEK_END);
    response_length = (size_t)ftell(file);
    rewind(file);
    response = malloc(response_length);
    if (!response || fread(response, 1, response_length, file) != response_length) die(path);
    fclose(file);
}

static inline int listen_on(int port) {
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

/* Reads the arguments PORT REQUEST_LENGTH RESPONSE_FILE; returns the listening socket. */
static inline int begin(int argc, char **argv) {
    if (argc != 4) {
        fprintf(stderr, "usage: %s PORT REQUEST_LENGTH RESPONSE_FILE\n", argv[0]);
        exit(2);
    }
    request_length = (size_t)atol(argv[2]);
    if (request_length == 0) {
        fprintf(stderr, "REQUEST_LENGTH %s: a number above 0 is accepted\n", argv[2]);
        exit(2);
    }
    load_response(argv[3]);
    return listen_on(atoi(argv[1]));
}

/* The next connection that waits, or -1. */
static inline int accept_one(int listener) {
    int on = 1;
    int fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd < 0) return -1;
    if (fd >= MAX_FDS) {
        fprintf(stderr, "more than %d connections\n", MAX_FDS);
        exit(1);
    }
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    connections[fd] = (struct connection){0, 0};
    return fd;
}

/* Reads once and books what is owed; -1 if the connection is over. */
static inline int read_once(int fd) {
    static char buffer[READ_SIZE];
    struct connection *connection = &connections[fd];
    ssize_t got = recv(fd, buffer, sizeof buffer, 0);
    if (got == 0 || (got < 0 && errno != EAGAIN)) return -1;
    if (got > 0) connection->received += (size_t)got;
    for (; connection->received >= request_length; connection->received -= request_length)
        connection->owed += response_length;
    return 0;
}

/* Sends what is owed; 1 if the socket is full, -1 if the connection is over. */
static inline int send_owed(int fd) {
    struct connection *connection = &connections[fd];
    while (connection->owed) {
        size_t rest = connection->owed % response_length;
        if (rest == 0) rest = response_length;
        ssize_t sent = send(fd, response + response_length - rest, rest, MSG_NOSIGNAL);
        if (sent < 0) return errno == EAGAIN ? 1 : -1;
        connection->owed -= (size_t)sent;
    }
    return 0;
}

#endif
