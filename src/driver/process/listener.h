/*
 * Who hears what the driver has to say: the command that has called it, which alone prints. The
 * driver writes files, but never to stdout or stderr.
 *
 * What can go wrong is told as it happens, in words, and returned as DARN_REFUSED: whoever gets
 * that needs not say anything himself.
 */
#ifndef DARN_DRIVER_LISTENER_H
#define DARN_DRIVER_LISTENER_H

#include <stddef.h>

enum darn_news {
    DARN_NEWS_REFUSAL, /* why it does not go on */
    DARN_NEWS_WARNING,
    DARN_NEWS_LOSS,     /* something that was asked for is not there: it is no success any more */
    DARN_NEWS_NOTE,     /* what was done or seen */
    DARN_NEWS_FAULT,    /* in a file: FILE:LINE:COLUMN: … */
    DARN_NEWS_PROGRESS, /* what a terminal may show until other news come; empty: nothing */
};

struct darn_explored;  /* driver/explore/explored.h */
struct darn_confirmed; /* driver/hunt/confirmed.h */

struct darn_listener {
    /* One line, without its end. */
    void (*say)(struct darn_listener *listener, enum darn_news news, const char *line);
    /* A piece of what a run of the program prints, as it comes (struct darn_server_options). */
    void (*output)(struct darn_listener *listener, const char *bytes, size_t length);
    /* An exploration has found something. */
    void (*explored)(struct darn_listener *listener, const struct darn_explored *explored);
    /* A hunt has confirmed something; or what it had told of before leads to something worse. */
    void (*confirmed)(struct darn_listener *listener, const struct darn_confirmed *confirmed);
};

/* A result of the driver: it was not possible, and the listener knows why. Others are negative
 * errnos, where that is said. */
#define DARN_REFUSED (-1)

/* Another one: the time was over before it could begin, and the listener knows. */
#define DARN_LATE (-2)

#define DARN_TELLS __attribute__((format(printf, 2, 3)))

/* Nobody listens when `listener` is NULL. The first returns DARN_REFUSED. */
DARN_TELLS int darn_tell_refusal(struct darn_listener *listener, const char *format, ...);
DARN_TELLS void darn_tell_warning(struct darn_listener *listener, const char *format, ...);
DARN_TELLS void darn_tell_loss(struct darn_listener *listener, const char *format, ...);
DARN_TELLS void darn_tell_note(struct darn_listener *listener, const char *format, ...);
DARN_TELLS void darn_tell_fault(struct darn_listener *listener, const char *format, ...);
DARN_TELLS void darn_tell_progress(struct darn_listener *listener, const char *format, ...);

#endif
