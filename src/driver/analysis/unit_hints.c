#include "driver/analysis/unit_hints.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver/process/listener.h"
#include "engine/atomicity/transactions.h"
#include "site/site.h"

/* Puts blanks over the words that name the function. */
static void strike(char *list, const char *function)
{
    while (list && *(list += strspn(list, " "))) {
        size_t length = strcspn(list, " ");

        if (darn_unit_name_matches(list, length, function))
            memset(list, ' ', length);
        list += length;
    }
}

void darn_unit_hints_trace(struct darn_unit_hints *hints, const struct darn_unit_names *names,
                           const struct darn_trace *trace, bool has_functions)
{
    const char *lists[2] = {names->include, names->exclude};
    uint32_t count = darn_trace_site_count(trace);

    hints->has_functions |= has_functions;
    for (int i = 0; i < 2; i++) {
        if (!hints->unknown[i] && lists[i])
            hints->unknown[i] = strdup(lists[i]);
        for (uint32_t id = 1; hints->unknown[i] && id <= count; id++) {
            const struct darn_trace_site *site = darn_trace_site(trace, id);

            if (site && site->kind == DARN_SITE_FUNCTION && site->function)
                strike(hints->unknown[i], site->function);
        }
    }
}

/* `'a', 'b'`; NULL when there is nothing in the lists. The caller frees it. */
static char *quote(char *const *lists)
{
    char *text = NULL;
    size_t size = 0, words = 0;
    FILE *file = open_memstream(&text, &size);

    for (int i = 0; file && i < 2; i++) {
        const char *word = lists[i];

        while (word && *(word += strspn(word, " "))) {
            size_t length = strcspn(word, " ");

            fprintf(file, "%s'%.*s'", words++ ? ", " : "", (int)length, word);
            word += length;
        }
    }
    if (file)
        fclose(file);
    if (words)
        return text;
    free(text);
    return NULL;
}

void darn_unit_hints_tell(const struct darn_unit_hints *hints, struct darn_listener *listener)
{
    char *names;

    if (!hints->has_functions) {
        darn_tell_warning(listener,
                          "atomicity: no functions were recorded, so only critical sections are "
                          "expected to be atomic; compile with 'darn cc --darn-functions'");
        return;
    }
    names = quote(hints->unknown);
    if (names)
        darn_tell_warning(listener, "transactions: no function that was recorded is called %s",
                          names);
    free(names);
}

void darn_unit_hints_free(struct darn_unit_hints *hints)
{
    free(hints->unknown[0]);
    free(hints->unknown[1]);
    *hints = (struct darn_unit_hints){0};
}
