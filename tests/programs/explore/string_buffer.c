/*
 * claim: append asks a string for its length, then for so many characters; meanwhile it got shorter
 * build: -O1
 * bug: assert
 * within: 20
 * fixed: yes
 */
#include <assert.h>
#include <pthread.h>
#include <string.h>

/* Java's StringBuffer, as in Wang & Stoller: each method is locked, append is not atomic. */
struct text {
    pthread_mutex_t lock;
    int length;
    char chars[16];
};

static struct text source = {PTHREAD_MUTEX_INITIALIZER, 5, "hello"};
static struct text target = {PTHREAD_MUTEX_INITIALIZER, 0, ""};

static void get_chars(struct text *from, int length, char *to)
{
    assert(length <= from->length); /* where Java throws an exception */
    memcpy(to, from->chars, (size_t)length);
}

static void set_length(struct text *text, int length)
{
    pthread_mutex_lock(&text->lock);
    text->length = length;
    pthread_mutex_unlock(&text->lock);
}

static void append(struct text *to, struct text *from)
{
    int length;
    pthread_mutex_lock(&to->lock);
    pthread_mutex_lock(&from->lock);
    length = from->length;
#ifndef FIXED
    pthread_mutex_unlock(&from->lock);
    pthread_mutex_lock(&from->lock);
#endif
    get_chars(from, length, to->chars + to->length);
    pthread_mutex_unlock(&from->lock);
    to->length += length;
    pthread_mutex_unlock(&to->lock);
}

static void *appends(void *arg)
{
    append(&target, &source);
    return arg;
}

static void *shortens(void *arg)
{
    set_length(&source, 0);
    return arg;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, appends, NULL);
    pthread_create(&threads[1], NULL, shortens, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return target.length != 0 && target.length != 5;
}
