/*
 * claim: a page is unmapped between the look at a flag, under a lock, and the only use of it
 * build: -O0
 * build: -O2
 * bug: crash
 * within: 100
 * fixed: yes
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/mman.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int *block;
static int gone;

static void *use(void *arg)
{
    int *mine;
    pthread_mutex_lock(&lock);
    mine = gone ? NULL : block;
#ifndef FIXED
    pthread_mutex_unlock(&lock);
#endif
    if (mine)
        assert(*mine == 7);
#ifdef FIXED
    pthread_mutex_unlock(&lock);
#endif
    return arg;
}

int main(void)
{
    pthread_t thread;
    block = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert(block != MAP_FAILED);
    *block = 7;
    pthread_create(&thread, NULL, use, NULL);
    pthread_mutex_lock(&lock);
    gone = 1;
    pthread_mutex_unlock(&lock);
    munmap(block, 4096);
    pthread_join(thread, NULL);
    return 0;
}
