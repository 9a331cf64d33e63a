/*
 * claim: two threads that wait for each other at two pipes
 * build: -O1
 * ends: exit 0
 */
#include <pthread.h>
#include <unistd.h>

enum { ROUNDS = 5 };

static int there[2], back[2];

static void *answer(void *arg)
{
    int number;
    while (read(there[0], &number, sizeof number) == sizeof number) {
        number *= 2;
        if (write(back[1], &number, sizeof number) != sizeof number)
            return &there;
    }
    return arg;
}

int main(void)
{
    pthread_t thread;
    void *result;
    if (pipe(there) != 0 || pipe(back) != 0)
        return 1;
    pthread_create(&thread, NULL, answer, NULL);
    for (int i = 0; i < ROUNDS; i++) {
        int number = i;
        if (write(there[1], &number, sizeof number) != sizeof number ||
            read(back[0], &number, sizeof number) != sizeof number || number != 2 * i)
            return 2;
    }
    close(there[1]);
    pthread_join(thread, &result);
    return result != NULL;
}
