/*
 * claim: windows keep every register: integers, doubles, long doubles and vectors come out right
 * build: -O1
 * build: -O2
 * build: -O3 -march=native
 * run: --budget=max --noise=random:300/20 x 3
 * run: x 3
 * expect: none
 */
#include <pthread.h>

enum { CELLS = 32, ROUNDS = 20 };

typedef int vector __attribute__((vector_size(32)));

struct work {
    long integers[CELLS];
    double doubles[CELLS];
    long double longs[CELLS];
    vector vectors[CELLS / 8];
    unsigned check;
};

/* Many values are alive across many accesses, so that most registers hold something. */
static void *compute(void *arg)
{
    struct work *work = arg;
    long a = 1, b = 2, c = 3, d = 4;
    double x = 1, y = 2, z = 3;
    long double p = 1;
    vector v = {1, 2, 3, 4, 5, 6, 7, 8};
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < CELLS; i++) {
            a += work->integers[i] ^ d;
            x += work->doubles[i] + z;
            p += work->longs[i];
            b ^= a << (i % 7);
            work->integers[i] = a + c;
            c += b & 0xff;
            work->doubles[i] = y;
            y = x / 2;
            d = c - a;
            v += work->vectors[i / 8];
            work->longs[i] = p - (long double)(i * round);
            z = i;
            work->vectors[i / 8] = v ^ (int)i;
        }
    }
    work->check = (unsigned)(a ^ b ^ c ^ d) + (unsigned)(long)(x + y + z) + (unsigned)(long)p +
                  (unsigned)(v[0] ^ v[3] ^ v[7]);
    return NULL;
}

int main(void)
{
    static struct work works[3];
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, compute, &works[i]);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return works[0].check != works[1].check || works[1].check != works[2].check ||
           works[0].check == 0;
}
