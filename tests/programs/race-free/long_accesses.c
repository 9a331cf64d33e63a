/*
 * claim: long accesses side by side, under a lock, and to memory that became other memory are never reported
 * build: -O0
 * build: -O2
 * run: x 5
 * run: --budget=max x 5
 * expect: none
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "../unseen.h"

enum { PART = (1 << 20) + 3, MAPPED = 16 << 20, PAGE = 4096 };

static char parts[2 * PART], shared[PART];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *mapped;
static void *volatile block;

static void *work(void *arg)
{
    char *part = arg;

    memset(part, 1, PART);
    for (int i = 0; i < 20; i++) {
        pthread_mutex_lock(&lock);
        memset(shared, i, PART);
        shared[i]++;
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

/* What lies between the pieces of a long access is given back, and is another thread's then. */
static void *give_back(void *arg)
{
    char *page = mapped + MAPPED / 2 + 5 * PAGE;

    memset(mapped, 1, MAPPED);
    block = malloc(100000);
    if (!block)
        abort();
    memset(block, 1, 100000);
    free(block);
    munmap(page, PAGE);
    unseen_tell();
    return arg;
}

static void use_again(void)
{
    char *page = mapped + MAPPED / 2 + 5 * PAGE, *again;

    again = mmap(page, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    if (again != page)
        abort();
    page[77] = 2;
    again = malloc(100000);
    if (!again)
        abort();
    again[50001] = 3;
    free(again);
}

int main(void)
{
    pthread_t first, second;

    if (pthread_create(&first, NULL, work, parts) || pthread_create(&second, NULL, work, parts + PART))
        return 2;
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    mapped = mmap(NULL, MAPPED, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED || pthread_create(&first, NULL, give_back, NULL))
        return 2;
    unseen_wait();
    use_again();
    pthread_join(first, NULL);
    return parts[PART] != 1;
}
