/*
 * claim: order that the C library and the kernel bring about without a word: files, full pipes, memory in two places, their locks
 * tsan: no
 * build: -O1
 * run: x 10
 * run: --budget=max x 5
 * predict: hb
 * expect: none
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ROUNDS = 5, FULL = 1 << 20, LOCKED = 100 };

static long box[32][8]; /* a cache line each: plain, ordered by what is told alone */
static char name[64];
static int tube[2], sockets[2];
static char block[FULL];
static sem_t *told, *heard; /* one semaphore, in two places */
static _Atomic int *flag, *flag_again;

/* Who writes to a full pipe waits for who reads, whether it has to stand still or not. */
static void tell_by_reading(void)
{
    size_t all = 0;

    while (all < sizeof(block))
        all += (size_t)read(tube[0], block, sizeof(block) - all);
}

static void hear_by_writing(void)
{
    if (write(tube[1], block, sizeof(block)) != sizeof(block))
        abort();
}

static void tell_by_receiving(void)
{
    size_t all = 0;

    while (all < sizeof(block))
        all += (size_t)recv(sockets[0], block, sizeof(block) - all, 0);
}

static void hear_by_sending(void)
{
    if (send(sockets[1], block, sizeof(block), 0) != sizeof(block))
        abort();
}

/* An ordinary file has text, or is there, or is not. */
static void tell_by_file(void)
{
    int fd = open(name, O_WRONLY | O_CREAT, 0600);

    if (write(fd, "x", 1) != 1)
        abort();
    close(fd);
}

static void hear_by_reading(void)
{
    char byte;
    int fd;

    while ((fd = open(name, O_RDONLY)) < 0)
        usleep(100);
    while (read(fd, &byte, 1) != 1)
        usleep(100);
    close(fd);
}

static void hear_by_offset(void)
{
    char byte;
    int fd;

    while ((fd = open(name, O_RDONLY)) < 0)
        usleep(100);
    while (pread(fd, &byte, 1, 0) != 1)
        usleep(100);
    close(fd);
}

static void hear_by_opening(void)
{
    FILE *file;

    while (!(file = fopen(name, "r")))
        usleep(100);
    fclose(file);
}

static void hear_by_access(void)
{
    while (access(name, F_OK))
        usleep(100);
}

static void hear_by_status(void)
{
    struct stat status;

    while (stat(name, &status))
        usleep(100);
}

static void tell_by_stream(void)
{
    FILE *file = fopen(name, "w");

    fprintf(file, "line\n");
    fclose(file);
}

static void hear_by_line(void)
{
    char line[16] = "";
    FILE *file;

    while (!(file = fopen(name, "r")))
        usleep(100);
    while (!fgets(line, sizeof(line), file)) {
        clearerr(file);
        usleep(100);
    }
    fclose(file);
}

/* The same semaphore and the same variable, at two addresses. */
static void tell_by_mapping(void)
{
    sem_post(told);
}

static void hear_by_mapping(void)
{
    sem_wait(heard);
}

static void tell_by_variable(void)
{
    atomic_store_explicit(flag, 1, memory_order_release);
}

static int is_set(void)
{
    return atomic_load_explicit(flag_again, memory_order_acquire);
}

static int (*volatile asks)(void) = is_set; /* no loop of which anybody could know */

static void hear_by_variable(void)
{
    while (!asks())
        usleep(100);
    *flag = 0;
}

static const struct {
    void (*tell)(void), (*hear)(void);
} ways[] = {
    {tell_by_file, hear_by_reading},      {tell_by_file, hear_by_offset},
    {tell_by_file, hear_by_opening},      {tell_by_file, hear_by_access},
    {tell_by_file, hear_by_status},       {tell_by_stream, hear_by_line},
    {tell_by_stream, hear_by_reading},    {tell_by_reading, hear_by_writing},
    {tell_by_receiving, hear_by_sending}, {tell_by_mapping, hear_by_mapping},
    {tell_by_variable, hear_by_variable},
};
enum { WAYS = sizeof(ways) / sizeof(ways[0]) };

static void *hear(void *way)
{
    ways[(intptr_t)way].hear();
    box[(intptr_t)way][0]++;
    return NULL;
}

/* Locks of the C library: of a stream, of the loader. */
static long under_stream, under_loader;

static ssize_t take(void *cookie, const char *text, size_t size)
{
    (void)text;
    ++*(long *)cookie;
    return (ssize_t)size;
}

static int visit(struct dl_phdr_info *info, size_t size, void *count)
{
    (void)info;
    (void)size;
    ++*(long *)count;
    return 1;
}

static void *use_locks(void *stream)
{
    for (int i = 0; i < LOCKED; i++) {
        fprintf(stream, "line\n");
        dl_iterate_phdr(visit, &under_loader);
    }
    return NULL;
}

static void under_locks(void)
{
    cookie_io_functions_t functions = {.write = take};
    FILE *stream = fopencookie(&under_stream, "w", functions);
    pthread_t thread;

    setvbuf(stream, NULL, _IONBF, 0);
    pthread_create(&thread, NULL, use_locks, stream);
    use_locks(stream);
    pthread_join(thread, NULL);
    fclose(stream);
    if (under_stream < 2 * LOCKED || under_loader != 2 * LOCKED)
        abort();
}

static void *map(int fd)
{
    void *block = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

    if (block == MAP_FAILED)
        abort();
    return block;
}

static void prepare(void)
{
    int memory = memfd_create("twice", 0);

    snprintf(name, sizeof(name), "told.%d", (int)getpid());
    if (pipe(tube) || socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) || ftruncate(memory, 4096))
        abort();
    told = map(memory);
    heard = map(memory);
    flag = (_Atomic int *)(told + 1);
    flag_again = (_Atomic int *)(heard + 1);
    sem_init(told, 1, 0);
}

int main(void)
{
    pthread_t thread;

    prepare();
    under_locks();
    for (int i = 0; i < ROUNDS; i++)
        for (intptr_t way = 0; way < WAYS; way++) {
            unlink(name);
            pthread_create(&thread, NULL, hear, (void *)way);
            box[way][0]++;
            ways[way].tell();
            pthread_join(thread, NULL);
        }
    unlink(name);
    return 0;
}
