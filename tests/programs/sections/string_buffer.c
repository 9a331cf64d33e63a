/*
 * claim: append asks a text for its length, then for so many characters (Wang & Stoller)
 * build: -O0
 * build: -O1
 * build: -O2
 * sections: infer --kind=pair
 * sections: hand
 * sections: learn
 * section: ASK to TAKE on length
 * expect: atomicity-violation on text->length or sources[].length at LENGTH and SHORTEN and CHARS
 * fixed: yes
 */
#include <string.h>

#include "meet.h"

struct text {
    pthread_mutex_t lock;
    int length;
    char chars[16];
};

static struct text sources[MEETINGS]; /* one for each: nothing else comes before or after append */

static int text_length(struct text *text)
{
    pthread_mutex_lock(&text->lock);
    int length = text->length; /* access: LENGTH */
    pthread_mutex_unlock(&text->lock);
    return length;
}

/* -1 where Java throws an exception. */
static int text_get_chars(struct text *text, int length, char *to)
{
    pthread_mutex_lock(&text->lock);
    int fits = length <= text->length; /* access: CHARS */
    if (fits)
        memcpy(to, text->chars, (size_t)length);
    pthread_mutex_unlock(&text->lock);
    return fits ? length : -1;
}

static void text_set_length(struct text *text, int length)
{
    pthread_mutex_lock(&text->lock);
    text->length = length; /* access: SHORTEN */
    pthread_mutex_unlock(&text->lock);
}

static int append(struct text *to, struct text *from)
{
#ifdef FIXED
    pthread_mutex_lock(&from->lock);
#endif
    int length = text_length(from); /* access: ASK */
    linger();
    length = text_get_chars(from, length, to->chars); /* access: TAKE */
#ifdef FIXED
    pthread_mutex_unlock(&from->lock);
#endif
    return length;
}

static void *appends(void *arg)
{
    struct text target = {.length = 0};
    return (void *)(long)(append(&target, &sources[(long)arg]) < 0);
}

static void *shortens(void *arg)
{
    come_later((long)arg);
    text_set_length(&sources[(long)arg], 0);
    return NULL;
}

int main(void)
{
    long wrong = 0;
    pthread_mutexattr_t recursive;
    pthread_mutexattr_init(&recursive);
    pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE); /* as the locks of Java are */
    for (int i = 0; i < MEETINGS; i++) {
        pthread_mutex_init(&sources[i].lock, &recursive);
        strcpy(sources[i].chars, "hello");
        sources[i].length = 5;
    }
    for (long i = 0; i < MEETINGS; i++)
        wrong += meet_once(appends, shortens, i) != NULL;
    return IS_FIXED && wrong != 0;
}
