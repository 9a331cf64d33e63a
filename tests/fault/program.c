/*
 * The program in which calls fail. What it prints and returns depends on nothing but its argument,
 * so any difference is darn's doing:
 *
 *   fine     two threads count, one counter under a lock and one without: a data race, harmless
 * here bug      the same, and a lost update makes the status 3; only a few schedules have one
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { TIMES = 20 };

static pthread_barrier_t start; /* so that nothing orders their first accesses */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long counter, plain;
static const char *mode;

static void count_up(void)
{
    long seen = plain;

    plain = seen + 1;
    pthread_mutex_lock(&lock);
    counter++;
    pthread_mutex_unlock(&lock);
}

static void *work(void *name)
{
    int times = strcmp(mode, "bug") == 0 ? 1 : TIMES;

    pthread_barrier_wait(&start);
    for (int i = 0; i < times; i++)
        count_up();
    return name;
}

int main(int argc, char **argv)
{
    pthread_t threads[2];

    mode = argc > 1 ? argv[1] : "fine";
    pthread_barrier_init(&start, NULL, 2);
    for (int i = 0; i < 2; i++) {
        if (pthread_create(&threads[i], NULL, work, NULL))
            return 4;
    }
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("counted to %ld\n", counter);
    return strcmp(mode, "bug") == 0 && plain != 2 ? 3 : 0;
}
