#include "cli/option_word.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

int darn_option_word(struct darn_option_word *word, const char *text)
{
    size_t length = strcspn(text, "=");

    if (strncmp(text, "--", 2) != 0 || length - 2 >= sizeof(word->name))
        return -EINVAL;
    for (size_t i = 2; i < length; i++)
        word->name[i - 2] = text[i] == '-' ? '_' : text[i];
    word->name[length - 2] = '\0';
    word->value = text[length] ? text + length + 1 : NULL;
    return 0;
}

int darn_option_value(struct darn_option_word *word, int *at, int argc, char **argv, char *error,
                      size_t size)
{
    if (word->value)
        return 0;
    if (*at + 1 >= argc) {
        snprintf(error, size, "%s needs a value", argv[*at]);
        return -EINVAL;
    }
    word->value = argv[++*at];
    return 0;
}
