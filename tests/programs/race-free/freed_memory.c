/*
 * claim: memory that was freed and is given to another thread, by whichever call, belongs to that one
 * build: -O0
 * build: -O2
 * run: x 5
 * run: --budget=max x 5
 * predict: hb x 1
 * expect: none
 */
#define _GNU_SOURCE
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROUNDS = 300, SIZES = 12 };

static const size_t sizes[SIZES] = {16, 24, 40, 64, 100, 128, 200, 500, 1000, 5000, 40000, 200000};

static void fill(char *block, size_t size)
{
    for (size_t i = 0; block && i < size; i += 8)
        block[i] = (char)i;
}

static char *get(unsigned way, size_t size)
{
    void *block = NULL;

    switch (way % 8) {
    case 0:
        return calloc(1, size);
    case 1:
        return aligned_alloc(64, (size + 63) / 64 * 64);
    case 2:
        return posix_memalign(&block, 32, size) ? NULL : block;
    case 3:
        return memalign(32, size);
    case 4:
        return valloc(size);
    case 5:
        block = malloc(8);
        return realloc(block, size);
    case 6:
        block = malloc(size / 2);
        return reallocarray(block, size, 1);
    default:
        return malloc(size);
    }
}

/* Blocks go to and fro between the threads by libc alone. */
static void *churn(void *arg)
{
    unsigned way = (unsigned)(uintptr_t)arg;
    for (int i = 0; i < ROUNDS; i++) {
        size_t size = sizes[way % SIZES];
        char *block = get(way, size), *text, *same;
        fill(block, size);
        same = realloc(block, SIZE_MAX / 4); /* there is no memory: the block stays */
        if (same)
            abort();
        fill(block, size);
        free(block);
        if (asprintf(&text, "%d %u", i, way) < 0)
            abort();
        text[0]++;
        free(text);
        text = strdup("some text that is copied");
        text[3] = 'E';
        free(text);
        way = way * 5 + 3;
    }
    return NULL;
}

/* A thread's stack may lie where a block was. */
static void *stand(void *arg)
{
    char local[2000];
    fill(local, sizeof(local));
    __asm__ volatile("" : : "r"(local) : "memory");
    return arg;
}

int main(void)
{
    pthread_t threads[3], other;
    for (uintptr_t i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, churn, (void *)(i * 7));
    for (int i = 0; i < 30; i++) {
        pthread_create(&other, NULL, stand, NULL);
        pthread_join(other, NULL);
    }
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
