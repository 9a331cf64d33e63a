/*
 * Two counters sell the tickets for a show. Each access to the number of seats holds the lock, so
 * there is no data race; but a seat that was free when it was asked for may be sold meanwhile.
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int seats = 11;

static int left(void)
{
    int number;

    pthread_mutex_lock(&lock);
    number = seats;
    pthread_mutex_unlock(&lock);
    return number;
}

static void sell(void)
{
    pthread_mutex_lock(&lock);
    seats = seats - 1;
    pthread_mutex_unlock(&lock);
}

static void *counter(void *name)
{
    int sold = 0;

    while (left() > 0) {
        sell();
        sold++;
        usleep(100); /* the next customer */
    }
    printf("%s sold %d\n", (const char *)name, sold);
    return NULL;
}

int main(void)
{
    pthread_t first, second;

    pthread_create(&first, NULL, counter, "first");
    pthread_create(&second, NULL, counter, "second");
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    assert(seats >= 0);
    return 0;
}
