#include "driver/analysis/unit_names.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char between[] = ", \t\r\n";

/* Where a message goes. */
struct fault {
    char *text;
    size_t size;
};

struct reader {
    FILE *lists[2]; /* what is excluded, what is included */
    struct fault fault;
    bool in_file;
};

static int read_file(struct reader *reader, const char *path, bool included);

/* 0 or -EINVAL. */
static int read_word(struct reader *reader, const char *word, size_t length, bool included)
{
    if (*word == '!') {
        included = !included;
        word++;
        length--;
    }
    if (length && *word == '@' && !reader->in_file) {
        char *path = strndup(word + 1, length - 1);
        int result = path ? read_file(reader, path, included) : -EINVAL;

        free(path);
        return result;
    }
    if (!length || *word == '@' || *word == '!') {
        snprintf(reader->fault.text, reader->fault.size,
                 "'%.*s' is no name of a function; it may have * for any letters, and ! before it",
                 (int)length, word);
        return -EINVAL;
    }
    fprintf(reader->lists[included], "%.*s ", (int)length, word);
    return 0;
}

static int read_words(struct reader *reader, const char *text, bool included)
{
    int result = 0;

    while (!result && text && *(text += strspn(text, between))) {
        size_t length = strcspn(text, between);

        result = read_word(reader, text, length, included);
        text += length;
    }
    return result;
}

/* Puts the place in front of the message. */
static void place(struct fault *fault, const char *path, size_t line)
{
    char *message = strdup(fault->text);

    snprintf(fault->text, fault->size, "%s:%zu: %s", path, line, message ? message : "");
    free(message);
}

static int read_file(struct reader *reader, const char *path, bool included)
{
    FILE *file = fopen(path, "r");
    size_t room = 0, number = 0;
    char *line = NULL;
    int result = 0;

    errno = file ? 0 : errno;
    reader->in_file = true;
    while (file && !result && getline(&line, &room, file) > 0) {
        line[strcspn(line, "#")] = '\0';
        number++;
        result = read_words(reader, line, included);
    }
    reader->in_file = false;
    free(line);
    if (result)
        place(&reader->fault, path, number);
    else if (!file || ferror(file))
        snprintf(reader->fault.text, reader->fault.size, "%s: %s", path, strerror(errno));
    result = result || !file || ferror(file) ? -EINVAL : 0;
    if (file)
        fclose(file);
    return result;
}

int darn_unit_names_read(struct darn_unit_names *names, const char *transactions,
                         const char *no_transactions, char *error, size_t error_size)
{
    struct reader reader = {.fault = {error, error_size}};
    size_t length[2];
    int result;

    *names = (struct darn_unit_names){NULL, NULL};
    reader.lists[0] = open_memstream(&names->exclude, &length[0]);
    reader.lists[1] = open_memstream(&names->include, &length[1]);
    if (reader.lists[0] && reader.lists[1]) {
        result = read_words(&reader, transactions, true);
        if (!result)
            result = read_words(&reader, no_transactions, false);
    } else {
        snprintf(error, error_size, "out of memory");
        result = -EINVAL;
    }
    for (int i = 0; i < 2; i++) {
        if (reader.lists[i])
            fclose(reader.lists[i]);
    }
    return result;
}

void darn_unit_names_free(struct darn_unit_names *names)
{
    free(names->include);
    free(names->exclude);
    *names = (struct darn_unit_names){NULL, NULL};
}

struct darn_unit_rules darn_unit_names_rules(const struct darn_unit_names *names)
{
    return (struct darn_unit_rules){names->include, names->exclude};
}
