/* Checks an HTTP/1.1 response as it arrives: the status, the length and every byte of the body. */
#ifndef RESPONSE_H
#define RESPONSE_H

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { HEAD_MAX = 8192 };

enum verdict { INCOMPLETE, COMPLETE, WRONG };

/* What a right response must have. */
struct expectation {
    int status;
    const char *body;
    size_t length;
};

/* How far the response of one connection has come. */
struct response {
    char head[HEAD_MAX]; /* only of a head that came in pieces */
    size_t head_length;
    size_t body_seen;
    int in_body;
};

/* The value of Content-Length in `head`, or -1: a wrong response, as every app here sends one. */
static inline long content_length(const char *head, const char *end) {
    static const char name[] = "content-length:";
    const char *line = memchr(head, '\n', (size_t)(end - head));
    while (line && ++line < end) {
        if ((size_t)(end - line) > sizeof name && !strncasecmp(line, name, sizeof name - 1))
            return strtol(line + sizeof name - 1, NULL, 10);
        line = memchr(line, '\n', (size_t)(end - line));
    }
    return -1;
}

static inline enum verdict check_head(const char *head, size_t length,
                                      const struct expectation *expected) {
    if (length < 17 || memcmp(head, "HTTP/1.1 ", 9)) return WRONG;
    if (atoi(head + 9) != expected->status) return WRONG;
    if (content_length(head, head + length) != (long)expected->length) return WRONG;
    return COMPLETE;
}

static inline enum verdict check_body(struct response *response, const char *data, size_t length,
                                      const struct expectation *expected) {
    if (length > expected->length - response->body_seen) return WRONG;
    if (memcmp(data, expected->body + response->body_seen, length)) return WRONG;
    response->body_seen += length;
    if (response->body_seen < expected->length) return INCOMPLETE;
    response->head_length = response->body_seen = 0;
    response->in_body = 0;
    return COMPLETE;
}

/* Takes the next bytes of a response; bytes after its end are wrong (nothing is pipelined). */
static inline enum verdict receive_response(struct response *response, const char *data,
                                            size_t length, const struct expectation *expected) {
    if (response->in_body) return check_body(response, data, length, expected);
    const char *head = data;
    size_t before = response->head_length;
    size_t available = length;
    if (before) {
        size_t room = HEAD_MAX - before;
        available = before + (length < room ? length : room);
        memcpy(response->head + before, data, available - before);
        head = response->head;
    }
    const char *blank = memmem(head, available, "\r\n\r\n", 4);
    if (!blank) {
        if (available >= HEAD_MAX) return WRONG;
        if (!before) memcpy(response->head, data, length);
        response->head_length = available;
        return INCOMPLETE;
    }
    size_t head_length = (size_t)(blank + 4 - head);
    if (check_head(head, head_length, expected) == WRONG) return WRONG;
    response->in_body = 1;
    size_t skip = head_length - before;
    return check_body(response, data + skip, length - skip, expected);
}

#endif
