/* Short lines from the runtime itself, to the log; each line in one write. */
#ifndef DARN_RUNTIME_TELL_H
#define DARN_RUNTIME_TELL_H

#include "base/text.h"

struct darn_say {
    struct darn_text text;
    char line[1024];
};

void darn_say_start(struct darn_say *say);
void darn_say_text(struct darn_say *say, const char *text);
void darn_say_number(struct darn_say *say, uint64_t number);
void darn_say_end(struct darn_say *say);

/* A whole line of one piece; with the text of a negative errno. */
void darn_say_line(const char *text);
void darn_say_failed(const char *text, int error);

#endif
