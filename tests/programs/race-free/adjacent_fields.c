/*
 * claim: adjacent struct fields and bytes written by different threads are never reported
 * tsan: no
 * build: -O0
 * build: -O1
 * build: -O2
 * build: -O3
 * run: --budget=max --noise=random:50/30 x 8
 * run: x 4
 * predict: hb
 * expect: none
 */
#include <pthread.h>

enum { ROUNDS = 500, THREADS = 4 };

static struct __attribute__((packed)) {
    char byte;
    int number; /* not aligned */
    short half;
    char tail;
} packed;
static struct {
    char a, b;
    short c;
    int d;
} natural;
static unsigned char bytes[THREADS];

static void *work(void *arg)
{
    int me = (int)(long)arg;
    for (int i = 0; i < ROUNDS; i++) {
        bytes[me]++;
        switch (me) {
        case 0:
            packed.byte++;
            natural.a++;
            break;
        case 1:
            packed.number++;
            natural.b++;
            break;
        case 2:
            packed.half++;
            natural.c++;
            break;
        default:
            packed.tail++;
            natural.d++;
        }
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    char low = (char)ROUNDS;
    for (int i = 0; i < THREADS; i++)
        if (bytes[i] != (unsigned char)low)
            return 1;
    return packed.byte != low || packed.number != ROUNDS || packed.half != ROUNDS ||
           packed.tail != low || natural.a != low || natural.b != low || natural.c != ROUNDS ||
           natural.d != ROUNDS;
}
