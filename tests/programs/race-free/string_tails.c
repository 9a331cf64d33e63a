/*
 * claim: bytes behind the end that a string function reads, or read(2) fills, are never reported
 * build: -O0
 * build: -O2
 * run: --budget=max --noise=random:100/30 x 8
 * run: x 4
 * predict: hb
 * expect: none
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <unistd.h>

enum { ROUNDS = 150 };

static char text[32] = "abc"; /* the first 4 bytes belong to the reader, the rest to the writer */
static char copy[32], input[16];
static int ends[2];

static void *writer(void *arg)
{
    (void)arg;
    for (int i = 0; i < ROUNDS; i++) {
        memset(text + 4, 'A' + i % 26, sizeof(text) - 4);
        memset(copy + 4, 'B', sizeof(copy) - 4);
        memset(input + 2, 'C', sizeof(input) - 2);
    }
    return NULL;
}

/* Sizes that are only limits: what lies behind the terminator is not accessed. */
static long read_head(void)
{
    long wrong = strlen(text) != 3;
    wrong += strnlen(text, sizeof(text)) != 3;
    wrong += strcmp(text, "abd") >= 0;
    wrong += strncmp(text, "abc", sizeof(text)) != 0;
    wrong += strchr(text, 'c') != text + 2;
    wrong += memchr(text, 'b', sizeof(text)) != text + 1;
    strcpy(copy, text);
    wrong += strcmp(copy, "abc") != 0;
    snprintf(copy, sizeof(copy), "%s", text);
    wrong += copy[2] != 'c';
    char *twin = strndup(text, sizeof(text));
    wrong += twin[3] != 0;
    free(twin);
    wrong += atoi(text) != 0;
    return wrong;
}

int main(void)
{
    pthread_t thread;
    long wrong = 0;
    if (pipe(ends) != 0)
        return 2;
    pthread_create(&thread, NULL, writer, NULL);
    for (int i = 0; i < ROUNDS; i++) {
        wrong += read_head();
        wrong += write(ends[1], "xy", 2) != 2;
        wrong += read(ends[0], input, sizeof(input)) != 2; /* asks for 16, gets 2 */
        wrong += input[1] != 'y';
    }
    pthread_join(thread, NULL);
    return wrong != 0;
}
