/*
 * claim: data ordered by writing to and reading from a pipe is never reported
 * build: -O0
 * build: -O2
 * run: --budget=max --noise=random:100/30 x 10
 * run: x 5
 * predict: hb
 * expect: none
 */
#include <pthread.h>
#include <unistd.h>

enum { ROUNDS = 400 };

static int there[2], back[2];
static long ball;

static void *partner(void *arg)
{
    char token;
    (void)arg;
    while (read(there[0], &token, 1) == 1) {
        ball += 2;
        if (write(back[1], &token, 1) != 1)
            break;
    }
    return NULL;
}

int main(void)
{
    pthread_t thread;
    char token = 'x';
    if (pipe(there) != 0 || pipe(back) != 0)
        return 2;
    pthread_create(&thread, NULL, partner, NULL);
    for (int i = 0; i < ROUNDS; i++) {
        ball++;
        if (write(there[1], &token, 1) != 1 || read(back[0], &token, 1) != 1)
            return 3;
    }
    close(there[1]);
    pthread_join(thread, NULL);
    return ball != 3 * ROUNDS;
}
