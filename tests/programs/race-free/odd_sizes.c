/*
 * claim: accesses of odd sizes are never confused with the bytes next to them
 * build: -O0
 * build: -O2
 * build: -O3
 * run: --budget=max --noise=random:50/30 x 8
 * run: x 4
 * predict: hb
 * tsan: no
 * expect: none
 */
#include <pthread.h>
#include <stdbool.h>

enum { ROUNDS = 300 };

struct three {
    unsigned char bytes[3];
};

static struct {
    unsigned bits : 24;
    unsigned char behind; /* in the same word, but a memory location of its own */
} mixed;
static struct {
    struct three copied;
    unsigned char behind;
} small;
static struct __attribute__((packed)) {
    _BitInt(40) wide;
    bool behind;
} precise;
static struct {
    long double extended;
    __int128 large;
} big;

static void *in_front(void *arg)
{
    struct three value = {{0, 0, 0}};
    (void)arg;
    for (int i = 0; i < ROUNDS; i++) {
        mixed.bits++;
        value.bytes[i % 3]++;
        small.copied = value;
        pthread_testcancel(); /* a call that the compiler cannot look through */
        precise.wide++;
        big.extended += 1;
    }
    return NULL;
}

static void *behind(void *arg)
{
    (void)arg;
    for (int i = 0; i < ROUNDS; i++) {
        mixed.behind++;
        small.behind++;
        pthread_testcancel();
        precise.behind = !precise.behind;
        big.large += 1;
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, in_front, NULL);
    pthread_create(&threads[1], NULL, behind, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    unsigned char low = (unsigned char)ROUNDS;
    return mixed.bits != ROUNDS || mixed.behind != low || small.copied.bytes[2] != ROUNDS / 3 ||
           small.behind != low || precise.wide != ROUNDS || precise.behind || big.large != ROUNDS;
}
