/*
 * claim: append over the methods of another object file: the section is learned
 * build: -O0
 * build: -O1
 * build: -O2
 * object: text.c
 * sections: learn
 * expect: atomicity-violation on text->length at LENGTH and SHORTEN and CHARS [read write read]
 * fixed: yes
 */
#include "../parts/text.h"

#include "meet.h"

static struct text source = {.chars = "hello"};

static void *appends(void *arg)
{
    char chars[16];
    int length;
#ifdef FIXED
    pthread_mutex_lock(&source.lock);
#endif
    length = text_length(&source);
    linger();
    length = text_get_chars(&source, length, chars);
#ifdef FIXED
    pthread_mutex_unlock(&source.lock);
#endif
    (void)arg;
    return (void *)(long)(length < 0);
}

static void *shortens(void *arg)
{
    come_later((long)arg);
    text_set_length(&source, 0);
    return NULL;
}

int main(void)
{
    long wrong = 0;
    pthread_mutexattr_t recursive;
    pthread_mutexattr_init(&recursive);
    pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&source.lock, &recursive);
    for (long i = 0; i < MEETINGS; i++) {
        text_set_length(&source, 5);
        wrong += meet_once(appends, shortens, i) != NULL;
    }
    return IS_FIXED && wrong != 0;
}
