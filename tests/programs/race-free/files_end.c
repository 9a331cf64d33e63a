/*
 * claim: files and streams that are closed when nobody can use them any more are never reported, whoever gets the number next
 * build: -O0
 * build: -O2
 * run: x 5
 * run: --budget=max x 5
 * predict: hb x 1
 * expect: none
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROUNDS = 200 };

static void check(int right)
{
    if (!right)
        abort();
}

/* Numbers go to and fro between the threads, and so do the files. */
static void *open_and_close(void *arg)
{
    char byte;
    for (int i = 0; i < ROUNDS; i++) {
        int fd = open("/dev/null", O_RDWR), pair[2];
        FILE *stream;
        check(fd >= 0 && write(fd, "x", 1) == 1);
        stream = fdopen(fd, "w");
        check(stream && fputs("text", stream) >= 0);
        fclose(stream);
        stream = fopen("/dev/zero", "r");
        check(stream && fgetc(stream) == 0 && fread(&byte, 1, 1, stream) == 1);
        fclose(stream);
        check(pipe(pair) == 0 && write(pair[1], "x", 1) == 1 && read(pair[0], &byte, 1) == 1);
        check(dup2(pair[1], pair[0]) == pair[0]);
        close(pair[0]);
        close(pair[1]);
    }
    return arg;
}

/* One thread serves, the other ends it by shutdown, and closes it afterwards. */
static void *serve(void *arg)
{
    int fd = *(int *)arg;
    char byte;
    while (read(fd, &byte, 1) == 1)
        check(write(fd, &byte, 1) == 1);
    return NULL;
}

static void end_by_shutdown(void)
{
    int pair[2];
    char byte;
    pthread_t server;
    check(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
    pthread_create(&server, NULL, serve, &pair[0]);
    check(write(pair[1], "x", 1) == 1 && read(pair[1], &byte, 1) == 1);
    shutdown(pair[0], SHUT_RDWR);
    pthread_join(server, NULL);
    close(pair[0]);
    close(pair[1]);
}

/* What was written to another process is known by its answer, and by its end. */
static int to_child[2], from_child[2];

static void *ask(void *arg)
{
    check(write(to_child[1], "x", 1) == 1);
    return arg;
}

static void *await(void *arg)
{
    char byte;
    check(read(from_child[0], &byte, 1) == 1);
    close(to_child[1]);
    return arg;
}

static void end_by_process(void)
{
    pthread_t asks, awaits;
    char byte;
    pid_t child;
    check(pipe(to_child) == 0 && pipe(from_child) == 0);
    child = fork();
    if (!child) {
        check(read(to_child[0], &byte, 1) == 1 && write(from_child[1], &byte, 1) == 1);
        _exit(0);
    }
    pthread_create(&asks, NULL, ask, NULL);
    pthread_create(&awaits, NULL, await, NULL);
    check(waitpid(child, NULL, 0) == child);
    close(to_child[0]);
    pthread_join(asks, NULL);
    pthread_join(awaits, NULL);
    close(from_child[0]);
    close(from_child[1]);
}

/* The last one of two closes the stream that both write to. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static FILE *shared;
static int users;

static void *print(void *arg)
{
    for (int i = 0; i < 20; i++)
        fprintf(shared, "%d\n", i);
    pthread_mutex_lock(&lock);
    int last = --users == 0;
    pthread_mutex_unlock(&lock);
    if (last)
        fclose(shared);
    return arg;
}

int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, open_and_close, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < 5; i++) {
        end_by_shutdown();
        end_by_process();
        shared = fopen("/dev/null", "w");
        users = 2;
        for (int j = 0; j < 2; j++)
            pthread_create(&threads[j], NULL, print, NULL);
        for (int j = 0; j < 2; j++)
            pthread_join(threads[j], NULL);
    }
    return 0;
}
