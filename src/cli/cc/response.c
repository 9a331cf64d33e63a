#include "cli/cc/cc_line.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define MAX_DEPTH 8 /* files that name files, possibly themselves */

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v';
}

/* Copies one word without its quotes; `to` has room for the whole text. Returns where it ends. */
static const char *copy_word(const char *text, char *to)
{
    char quote = '\0';

    for (; *text && (quote || !is_space(*text)); text++) {
        if (*text == '\\' && quote != '\'' && text[1])
            *to++ = *++text;
        else if (quote && *text == quote)
            quote = '\0';
        else if (!quote && (*text == '\'' || *text == '"'))
            quote = *text;
        else
            *to++ = *text;
    }
    *to = '\0';
    return text;
}

void darn_response_split(struct darn_words *words, const char *text)
{
    char *word = malloc(strlen(text) + 1);

    while (word) {
        while (is_space(*text))
            text++;
        if (!*text)
            break;
        text = copy_word(text, word);
        darn_words_add(words, word);
    }
    free(word);
}

/* The whole file, or NULL. Only a regular one: a pipe can be read but once, and clang has to. */
static char *read_file(const char *path)
{
    FILE *file = fopen(path, "r");
    char *content = NULL;
    size_t room = 0;
    struct stat about;

    if (!file)
        return NULL;
    if (fstat(fileno(file), &about) == 0 && S_ISREG(about.st_mode) &&
        getdelim(&content, &room, '\0', file) < 0 && content)
        content[0] = '\0'; /* an empty file */
    fclose(file);
    return content;
}

static void expand(struct darn_words *words, size_t count, char **items, int depth)
{
    for (size_t i = 0; i < count; i++) {
        struct darn_words inner = {0};
        char *content = items[i][0] == '@' && depth < MAX_DEPTH ? read_file(items[i] + 1) : NULL;

        if (!content) {
            darn_words_add(words, items[i]);
            continue;
        }
        darn_response_split(&inner, content);
        free(content);
        expand(words, inner.count, inner.items, depth + 1);
        darn_words_free(&inner);
    }
}

void darn_response_expand(struct darn_words *words, int argc, char **argv)
{
    expand(words, (size_t)argc, argv, 0);
}
