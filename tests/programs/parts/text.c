/* The methods of the text: each is right by itself. */
#include "text.h"

#include <string.h>

int text_length(struct text *text)
{
    pthread_mutex_lock(&text->lock);
    int length = text->length; /* access: LENGTH */
    pthread_mutex_unlock(&text->lock);
    return length;
}

int text_get_chars(struct text *text, int length, char *to)
{
    pthread_mutex_lock(&text->lock);
    int fits = length <= text->length; /* access: CHARS */
    if (fits)
        memcpy(to, text->chars, (size_t)length);
    pthread_mutex_unlock(&text->lock);
    return fits ? length : -1;
}

void text_set_length(struct text *text, int length)
{
    pthread_mutex_lock(&text->lock);
    text->length = length; /* access: SHORTEN */
    pthread_mutex_unlock(&text->lock);
}
