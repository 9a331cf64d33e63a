/*
 * claim: the buffer of a call that blocks is touched when it returns, and no further than it says
 * build: -O0
 * build: -O2
 * run: x 3
 * run: --budget=max x 2
 * predict: hb x 2
 * expect: none
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int there[2], back[2];
static char message[64], rest[64], line[64], name[64];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Waits in `read` while the other one still writes what it will get, and what is behind that. */
static void *answer(void *unused)
{
    char one;

    for (int i = 0; i < 50; i++) {
        if (read(there[0], message, sizeof(message)) != 8)
            return unused;
        message[0]++;
        if (write(back[1], message, 8) != 8)
            return unused;
        if (read(there[0], rest, 1) != 1 || read(there[0], &one, 1) != 1)
            return unused;
    }
    return unused;
}

static void *print(void *unused)
{
    for (int i = 0; i < 100; i++) {
        pthread_mutex_lock(&lock);
        snprintf(name, sizeof(name), "%d", i);
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void)
{
    pthread_t thread, printer;
    FILE *status = fopen("/proc/self/status", "r");

    if (!status || pipe(there) || pipe(back))
        return 1;
    pthread_create(&thread, NULL, answer, NULL);
    pthread_create(&printer, NULL, print, NULL);
    for (int i = 0; i < 50; i++) {
        memset(message, 'a', sizeof(message)); /* the other one waits for it, in its read */
        rest[1] = 'b';                         /* it reads one byte */
        if (write(there[1], message, 8) != 8)
            return 1;
        if (read(back[0], message, sizeof(message)) != 8)
            return 1;
        if (write(there[1], "cd", 2) != 2)
            return 1;
        rest[2] = 'c';
        pthread_mutex_lock(&lock);
        puts(name);
        pthread_mutex_unlock(&lock);
        if (!fgets(line, sizeof(line), status))
            rewind(status);
    }
    pthread_join(thread, NULL);
    pthread_join(printer, NULL);
    return 0;
}
