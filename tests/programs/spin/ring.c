/*
 * claim: a ring with an index for each side is ordered by its indices
 * build: -O0 -DVAR=
 * build: -O0 -DVAR=volatile
 * build: -O0 -DVAR=_Atomic
 * build: -O2 -DVAR=
 * build: -O2 -DVAR=volatile
 * build: -O2 -DVAR=_Atomic
 * predict: hb
 * expect: none
 * spin: FULL from TAKEN
 * spin: EMPTY from ADDED
 * tsan: racy without _Atomic
 */
#include <pthread.h>
#include <sched.h>
#include <unistd.h>
#include "order.h"

enum { SLOTS = 4, ITEMS = 120 };

struct item {
    int number;
    char text[12];
};

static struct item ring[SLOTS];
static VAR unsigned head, tail; /* written by the consumer and by the producer only */
static long sum;

static void *producer(void *arg)
{
    for (int i = 1; i <= ITEMS; i++) {
        while (tail - head == SLOTS) { /* spin: FULL */
            sched_yield();
            ORDER();
        }
        ORDER();
        if (i % 30 == 0)
            usleep(300);
        struct item *item = &ring[tail % SLOTS];
        item->number = i;
        for (int c = 0; c < 12; c++)
            item->text[c] = 'a' + i % 26;
        ORDER();
        tail = tail + 1; /* spin: ADDED */
    }
    return arg;
}

static void *consumer(void *arg)
{
    for (int i = 1; i <= ITEMS; i++) {
        while (head == tail) { /* spin: EMPTY */
            sched_yield();
            ORDER();
        }
        ORDER();
        if (i % 30 == 15)
            usleep(300);
        sum += ring[head % SLOTS].number + (ring[head % SLOTS].text[11] == 'a' + i % 26);
        ORDER();
        head = head + 1; /* spin: TAKEN */
    }
    return arg;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, producer, NULL);
    pthread_create(&threads[1], NULL, consumer, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return sum != ITEMS * (ITEMS + 1) / 2 + ITEMS;
}
