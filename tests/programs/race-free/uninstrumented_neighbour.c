/*
 * claim: bytes next to those that unseen code writes are never reported
 * tsan: no
 * plain: plain_writer.c
 * build: -O0
 * build: -O2
 * run: --budget=max --noise=random:200/50 x 8
 * run: x 4
 * predict: hb
 * expect: none
 */
#include <pthread.h>
#include <stdatomic.h>

void plain_fill(char *where, unsigned size, unsigned rounds);

static struct {
    char left[3];
    char mine;
    char right[4];
} bytes;
static atomic_int done;

static void *work(void *arg)
{
    (void)arg;
    while (!atomic_load(&done)) {
        plain_fill(bytes.left, sizeof(bytes.left), 100);
        plain_fill(bytes.right, sizeof(bytes.right), 100);
    }
    return NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    for (int i = 0; i < 200; i++)
        bytes.mine++;
    atomic_store(&done, 1);
    pthread_join(thread, NULL);
    return bytes.mine != (char)200;
}
