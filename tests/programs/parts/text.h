/* A text whose methods are in another object file: see sections/text_methods.c. */
#ifndef PARTS_TEXT_H
#define PARTS_TEXT_H

#include <pthread.h>

struct text {
    pthread_mutex_t lock;
    int length;
    char chars[16];
};

int text_length(struct text *text);
int text_get_chars(struct text *text, int length, char *to); /* -1: it is not that long */
void text_set_length(struct text *text, int length);

#endif
