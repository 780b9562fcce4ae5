/* The load generator for percentiles: one thread, keep-alive connections, every answer checked.
 *
 * Closed loop (no --rate): each connection sends, waits for the whole answer, sends again. Latency
 * counts from the send.
 * Open loop (--rate N): request k is due at start + k/N, whatever the server does. The next free
 * connection takes it; if none is free it waits. Latency counts from when it was due, so that a
 * stall is not hidden. The loop spins instead of sleeping, so that its own wake-ups don't show.
 *
 *   load --port P --request FILE --body FILE [--status 200] [--connections 64] [--rate 0]
 *        [--warmup 0.5] [--seconds 2] [--timeout 5]
 *
 * Prints one JSON object. A wrong answer, socket error or timeout ends the run and is counted.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "histogram.h"
#include "response.h"

enum { MAX_CONNECTIONS = 4096, MAX_EVENTS = 64, READ_SIZE = 1 << 18 };

static const uint64_t SECOND = 1000000000;

struct connection {
    int fd;
    uint64_t begun; /* when the request was sent (closed) or due (open); 0: free */
    struct response response;
};

static struct {
    int port, connections, status;
    double rate, warmup, seconds, timeout;
    const char *request, *body;
} options = {.connections = 64, .status = 200, .warmup = 0.5, .seconds = 2, .timeout = 5};

static struct {
    uint64_t wrong, socket_errors, timeouts, answered;
    uint64_t from, until, last; /* the measured interval; when the last measured answer came */
    double cpu_from;
    struct histogram latency, lag; /* lag: our own lateness in sending what was due */
} run;

static struct connection connections[MAX_CONNECTIONS];
static int ring[MAX_CONNECTIONS], ring_head, ring_count; /* free connections, open loop */
static uint64_t due_index;                               /* the next request, open loop */
static char *request;
static size_t request_length;
static struct expectation expected;
static int epoll;

static void die(const char *what) {
    perror(what);
    exit(1);
}

static uint64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * SECOND + (uint64_t)time.tv_nsec;
}

static double cpu_seconds(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

static char *read_file(const char *path, size_t *length) {
    FILE *file = path ? fopen(path, "rb") : NULL;
    if (!file) die(path ? path : "--request and --body are needed");
    fseek(file, 0, SEEK_END);
    *length = (size_t)ftell(file);
    rewind(file);
    char *bytes = malloc(*length + 1);
    if (!bytes || fread(bytes, 1, *length, file) != *length) die(path);
    fclose(file);
    return bytes;
}

static int failed(void) { return run.wrong || run.socket_errors || run.timeouts; }

static void connect_one(struct connection *connection) {
    int on = 1;
    struct sockaddr_in address = {
        .sin_family = AF_INET,
        .sin_port = htons((unsigned short)options.port),
        .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
    };
    connection->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connection->fd < 0) die("socket");
    if (connect(connection->fd, (struct sockaddr *)&address, sizeof address)) die("connect");
    setsockopt(connection->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    fcntl(connection->fd, F_SETFL, O_NONBLOCK);
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = connection};
    if (epoll_ctl(epoll, EPOLL_CTL_ADD, connection->fd, &event)) die("epoll_ctl");
}

/* Sends the request; a free socket takes it whole, or something is wrong. */
static void send_request(struct connection *connection, uint64_t begun) {
    ssize_t sent = send(connection->fd, request, request_length, MSG_NOSIGNAL);
    if (sent != (ssize_t)request_length) run.socket_errors++;
    connection->begun = begun;
}

static void release(struct connection *connection) {
    ring[(ring_head + ring_count++) % options.connections] = (int)(connection - connections);
    connection->begun = 0;
}

static void answered(struct connection *connection, uint64_t at) {
    run.answered++;
    if (connection->begun >= run.from && connection->begun < run.until) {
        histogram_add(&run.latency, at - connection->begun);
        run.last = at;
    }
    if (options.rate > 0)
        release(connection);
    else if (at < run.until)
        send_request(connection, at);
    else
        connection->begun = 0;
}

static void receive(struct connection *connection) {
    static char buffer[READ_SIZE];
    ssize_t got = recv(connection->fd, buffer, sizeof buffer, 0);
    if (got < 0 && errno == EAGAIN) return;
    if (got <= 0) {
        run.socket_errors++;
        return;
    }
    enum verdict verdict = WRONG; /* as are bytes that nobody asked for */
    if (connection->begun)
        verdict = receive_response(&connection->response, buffer, (size_t)got, &expected);
    if (verdict == WRONG) run.wrong++;
    if (verdict == COMPLETE) answered(connection, now());
}

static uint64_t due_at(uint64_t start, uint64_t index) {
    return start + (uint64_t)((double)index * 1e9 / options.rate);
}

/* Open loop: sends all that is due, as far as there are free connections. */
static void send_due(uint64_t start) {
    uint64_t due;
    while (ring_count && (due = due_at(start, due_index)) < run.until) {
        uint64_t at = now();
        if (due > at) return;
        struct connection *connection = &connections[ring[ring_head]];
        ring_head = (ring_head + 1) % options.connections;
        ring_count--;
        due_index++;
        /* Late though it had a free connection: the generator's own fault. */
        if (ring_count && due >= run.from) histogram_add(&run.lag, at - due);
        send_request(connection, due);
    }
}

static int busy(void) {
    int count = 0;
    for (int i = 0; i < options.connections; i++) count += connections[i].begun != 0;
    return count;
}

static void find_timeouts(uint64_t at) {
    uint64_t limit = (uint64_t)(options.timeout * 1e9);
    for (int i = 0; i < options.connections; i++)
        if (connections[i].begun && at > connections[i].begun + limit) run.timeouts++;
}

static int finished(uint64_t start, uint64_t at) {
    if (at < run.until) return 0;
    if (options.rate > 0 && due_at(start, due_index) < run.until) return 0;
    return !busy();
}

static void drive(void) {
    struct epoll_event events[MAX_EVENTS];
    uint64_t start = now(), checked = start, at = start;
    run.from = start + (uint64_t)(options.warmup * 1e9);
    run.until = run.from + (uint64_t)(options.seconds * 1e9);
    run.cpu_from = -1;
    for (int i = 0; i < options.connections; i++) {
        if (options.rate > 0)
            release(&connections[i]);
        else
            send_request(&connections[i], start);
    }
    while (!failed() && !finished(start, at)) {
        int count = epoll_wait(epoll, events, MAX_EVENTS, options.rate > 0 ? 0 : 100);
        for (int i = 0; i < count; i++) {
            receive(events[i].data.ptr);
            if (options.rate > 0) send_due(start);
        }
        if (options.rate > 0) send_due(start);
        at = now();
        if (run.cpu_from < 0 && at >= run.from) run.cpu_from = cpu_seconds();
        if (at - checked > SECOND / 10) find_timeouts(checked = at);
    }
}

static void report(double cpu_used, double elapsed) {
    const struct histogram *latency = &run.latency;
    double seconds = run.last > run.from ? (double)(run.last - run.from) / 1e9 : 0;
    printf("{\"connections\": %d, \"rate\": %.0f, \"answered\": %llu, \"measured\": %llu, ",
           options.connections, options.rate, (unsigned long long)run.answered,
           (unsigned long long)latency->total);
    printf("\"wrong\": %llu, \"socket_errors\": %llu, \"timeouts\": %llu, ",
           (unsigned long long)run.wrong, (unsigned long long)run.socket_errors,
           (unsigned long long)run.timeouts);
    printf("\"seconds\": %.6f, \"requests_per_second\": %.1f, \"cpu_share\": %.4f, ", seconds,
           seconds > 0 ? (double)latency->total / seconds : 0,
           elapsed > 0 ? cpu_used / elapsed : 0);
    printf("\"lag_p99_us\": %.1f, \"latency_us\": {", (double)histogram_quantile(&run.lag, .99) / 1e3);
    static const struct {
        const char *name;
        double share;
    } quantiles[] = {{"p50", .5}, {"p90", .9}, {"p99", .99}, {"p99.9", .999}};
    for (size_t i = 0; i < sizeof quantiles / sizeof *quantiles; i++)
        printf("\"%s\": %.1f, ", quantiles[i].name,
               (double)histogram_quantile(latency, quantiles[i].share) / 1e3);
    printf("\"max\": %.1f, \"mean\": %.1f}}\n", (double)latency->max / 1e3,
           latency->total ? (double)latency->sum / (double)latency->total / 1e3 : 0);
}

static void parse_options(int argc, char **argv) {
    static const struct option names[] = {
        {"port", 1, 0, 'p'},    {"request", 1, 0, 'q'}, {"body", 1, 0, 'b'},
        {"status", 1, 0, 's'},  {"rate", 1, 0, 'r'},    {"connections", 1, 0, 'c'},
        {"warmup", 1, 0, 'w'},  {"seconds", 1, 0, 'd'}, {"timeout", 1, 0, 't'},
        {0, 0, 0, 0},
    };
    for (int option; (option = getopt_long(argc, argv, "", names, NULL)) != -1;) {
        switch (option) {
        case 'p': options.port = atoi(optarg); break;
        case 'q': options.request = optarg; break;
        case 'b': options.body = optarg; break;
        case 's': options.status = atoi(optarg); break;
        case 'r': options.rate = atof(optarg); break;
        case 'c': options.connections = atoi(optarg); break;
        case 'w': options.warmup = atof(optarg); break;
        case 'd': options.seconds = atof(optarg); break;
        case 't': options.timeout = atof(optarg); break;
        default: exit(2);
        }
    }
    if (options.connections < 1 || options.connections > MAX_CONNECTIONS) {
        fprintf(stderr, "--connections must be 1 to %d\n", MAX_CONNECTIONS);
        exit(2);
    }
}

int main(int argc, char **argv) {
    parse_options(argc, argv);
    request = read_file(options.request, &request_length);
    expected.body = read_file(options.body, &expected.length);
    expected.status = options.status;
    epoll = epoll_create1(EPOLL_CLOEXEC);
    if (epoll < 0) die("epoll_create1");
    for (int i = 0; i < options.connections; i++) connect_one(&connections[i]);
    drive();
    uint64_t end = now();
    double used = run.cpu_from < 0 ? 0 : cpu_seconds() - run.cpu_from;
    report(used, end > run.from ? (double)(end - run.from) / 1e9 : 0);
    return 0;
}
