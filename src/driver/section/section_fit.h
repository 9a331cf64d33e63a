/*
 * Which sections of a repository do not fit a program, and why: the line, the variable or the
 * function is not there. What fits is what would be watched and healed (section_meaning.h): also a
 * section that has moved.
 */
#ifndef DARN_DRIVER_SECTION_FIT_H
#define DARN_DRIVER_SECTION_FIT_H

#include <stddef.h>
#include <stdint.h>

#include "driver/process/listener.h"
#include "report/text_pool.h"
#include "section/section.h"

struct darn_section_fit {
    struct darn_listener *listener; /* is told what does not fit, and where that stands */
    const char *path;               /* of the repository */
    /* Told of each section of the program that one over lines means. */
    void (*meant)(struct darn_section_fit *fit, const struct darn_section *hand,
                  const struct darn_section *section);
    /* Told where a section is now, if that is not where the repository says. */
    void (*moved)(struct darn_section_fit *fit, const struct darn_section *wanted,
                  const struct darn_section *section);
    /* The result: how many there are, how many of them have moved, and do not fit; and what could
     * not be read. */
    size_t count;
    uint32_t moved_count, unfit, unread;
};

/* 0, or DARN_REFUSED when the repository or the program cannot be read. */
int darn_section_fit(struct darn_section_fit *fit, const char *program);

/* `bank.c:12-14 balance`, of a section over lines. */
const char *darn_section_lines_text(struct darn_text_pool *pool,
                                    const struct darn_section *section);

#endif
