/*
 * The client of memcached: stores, reads, adds to and deletes keys, and ends the server.
 *
 * usage: visit PORTS SERVER [PERCENT]
 *
 * PORTS is the file in which the server tells its port (MEMCACHED_PORT_FILENAME), SERVER its
 * process. There are four connections of two threads, each with keys of its own, so that every
 * answer is known; many requests go in one packet: the server, not the client, has the work. The
 * checksum is taken over all answers. Nothing is waited for longer than a minute.
 */
#include "../programs/bench.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

enum {
    THREADS = 2,
    CONNECTIONS = 4,
    KEYS = 2000,
    ASKED = 4, /* keys of one request */
    BATCH = 32,
    BATCHES = 4800,
    PATIENCE = 60
};

struct connection {
    int fd;
    uint64_t seed, digest;
    char out[1 << 16], in[1 << 16];
    size_t length, from, to;
};

static unsigned short port;
static size_t batches;
static struct connection connections[CONNECTIONS];

static _Noreturn void fail(const char *what)
{
    fprintf(stderr, "visit: %s\n", what);
    exit(1);
}

/* The line `TCP INET: 12345` comes with a rename: the file is whole. */
static unsigned short read_port(const char *path, pid_t server)
{
    for (int i = 0; i < PATIENCE * 100 && kill(server, 0) == 0; i++) {
        FILE *file = fopen(path, "r");
        unsigned number = 0;
        if (file != NULL) {
            int found = fscanf(file, "TCP INET: %u", &number);
            fclose(file);
            if (found == 1)
                return (unsigned short)number;
        }
        usleep(10000);
    }
    fail("the server has told no port");
}

static void open_connection(struct connection *to)
{
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr = {htonl(INADDR_LOOPBACK)}};
    struct timeval patience = {.tv_sec = PATIENCE};
    int yes = 1;

    to->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (to->fd < 0 || connect(to->fd, (struct sockaddr *)&address, sizeof address) != 0)
        fail("no connection");
    setsockopt(to->fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    setsockopt(to->fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    setsockopt(to->fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
}

static void add(struct connection *to, const char *text)
{
    size_t length = strlen(text);

    if (to->length + length > sizeof to->out)
        fail("a batch is too long");
    memcpy(to->out + to->length, text, length);
    to->length += length;
}

static void flush_requests(struct connection *to)
{
    for (size_t sent = 0; sent < to->length;) {
        ssize_t part = write(to->fd, to->out + sent, to->length - sent);
        if (part <= 0)
            fail("the server does not read");
        sent += (size_t)part;
    }
    to->length = 0;
}

/* One line of the answers, without its end; it counts. */
static void read_line(struct connection *from, char *line, size_t size)
{
    size_t length = 0;

    for (;;) {
        if (from->from == from->to) {
            ssize_t part = read(from->fd, from->in, sizeof from->in);
            if (part <= 0)
                fail("the server does not answer");
            from->from = 0;
            from->to = (size_t)part;
        }
        line[length] = from->in[from->from++];
        if (line[length] == '\n')
            break;
        if (++length == size)
            fail("an answer is too long");
    }
    line[length] = '\0';
    for (size_t i = 0; i < length; i++)
        from->digest = (from->digest ^ (unsigned char)line[i]) * UINT64_C(1099511628211);
}

/* One request. The answer of `get` ends with END, those of the others are one line. */
static void ask(struct connection *to, uint64_t random, unsigned self, bool *ends_with_end)
{
    static const char letters[] = "the quick brown fox jumps over the lazy dog and back again, "
                                  "and again, and again, and once more, and then it is done";
    unsigned key = (unsigned)(random % KEYS), size = 10 + (unsigned)(random >> 32) % 80;
    char text[512];
    int length;

    *ends_with_end = false;
    switch (random >> 60) {
    case 0:
    case 1:
        snprintf(text, sizeof text, "set c%u:%u 7 0 %u\r\n%.*s\r\n", self, key, size, (int)size,
                 letters);
        break;
    case 2:
        snprintf(text, sizeof text, "delete c%u:%u\r\n", self, key);
        break;
    case 3:
        snprintf(text, sizeof text, "append c%u:%u 0 0 1\r\n+\r\n", self, key);
        break;
    default:
        length = snprintf(text, sizeof text, "get");
        for (unsigned i = 0; i < ASKED; i++)
            length += snprintf(text + length, sizeof text - (size_t)length, " c%u:%u", self,
                               (key + 77 * i) % KEYS);
        snprintf(text + length, sizeof text - (size_t)length, "\r\n");
        *ends_with_end = true;
        break;
    }
    add(to, text);
}

static void visit(struct connection *to, unsigned self)
{
    bool ends_with_end[BATCH];
    char line[1024];

    for (int i = 0; i < BATCH; i++)
        ask(to, bench_random(&to->seed), self, &ends_with_end[i]);
    flush_requests(to);
    for (int i = 0; i < BATCH; i++) {
        do {
            read_line(to, line, sizeof line);
        } while (ends_with_end[i] && strcmp(line, "END\r") != 0);
    }
}

static void *work(void *self)
{
    for (size_t i = 0; i < batches; i++) {
        for (unsigned k = (unsigned)(uintptr_t)self; k < CONNECTIONS; k += THREADS)
            visit(&connections[k], k);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    uint64_t sum = 0;

    if (argc < 3)
        fail("usage: visit PORTS SERVER [PERCENT]");
    port = read_port(argv[1], (pid_t)atol(argv[2]));
    batches = bench_scaled(argc - 2, argv + 2, BATCHES);
    for (unsigned i = 0; i < CONNECTIONS; i++) {
        open_connection(&connections[i]);
        connections[i].seed = bench_mix(i);
    }
    bench_threads(THREADS, work);
    for (int i = 0; i < CONNECTIONS; i++)
        sum = bench_mix(sum ^ connections[i].digest);
    bench_print(sum);
    fflush(stdout);
    add(&connections[0], "shutdown\r\n");
    flush_requests(&connections[0]);
    return 0;
}
