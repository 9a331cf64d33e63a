#include "cli/cc_options.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define PREFIX "--darn-"

/* The one that has a name without the prefix; with it, it is understood, too. */
#define ONLY_PREFIXED "--darn-only"

enum { ONLY, HEAL, IGNORELIST, FUNCTIONS, NO_SECTIONS, NO_WARNINGS, HELP };

const struct darn_cli_option darn_cc_options[] = {
    [ONLY] = {"--only", "FILE",
              "for production: instrument only what is needed to\n"
              "heal the sections of the repository FILE"},
    [HEAL] = {"--darn-heal", "PATH",
              "with --only: the program heals itself by the repository\n"
              "PATH, which is absolute and there where it runs"},
    [IGNORELIST] = {"--darn-ignorelist", "FILE",
                    "do not watch the functions and files that FILE names,\n"
                    "in the sanitizers' format: fun:PATTERN, src:PATTERN"},
    [FUNCTIONS] = {"--darn-functions", NULL, "also record where functions begin and end"},
    [NO_SECTIONS] = {"--darn-no-sections", NULL, "do not look for code that should be atomic"},
    [NO_WARNINGS] = {"--darn-no-warnings", NULL, "print no warnings of darn's own; nor does -w"},
    [HELP] = {"--darn-help", NULL, "print this page (--help is clang's)"},
    {NULL, NULL, NULL},
};

const struct darn_cli_option darn_cc_environment[] = {
    {"DARN_CLANG", "PATH", "the clang to use, instead of clang-19"},
    {"DARN_CLANGXX", "PATH", "the clang++ to use, instead of clang++-19"},
    {"DARN_ONLY", "FILE", "as --only, for every compilation"},
    {"DARN_HEAL", "PATH", "as --darn-heal, for every compilation"},
    {"DARN_IGNORELIST", "FILE", "as --darn-ignorelist, for every compilation"},
    {"DARN_FUNCTIONS", "1", "as --darn-functions, for every compilation"},
    {"DARN_SECTIONS", "0", "as --darn-no-sections, for every compilation"},
    {"DARN_WARNINGS", "0", "as --darn-no-warnings, for every compilation"},
    {NULL, NULL, NULL},
};

/* The value of the option if the word is that option with a value, otherwise NULL. */
static const char *value_of(const char *word, const char *name)
{
    size_t length = strlen(name);

    if (strncmp(word, name, length) != 0 || word[length] != '=' || !word[length + 1])
        return NULL;
    return word + length + 1;
}

/* Whether the word is an option without a value; it is then set. */
static bool take_switch(struct darn_cc_own *own, const char *word)
{
    bool *switches[] = {
        [FUNCTIONS] = &own->functions,
        [NO_SECTIONS] = &own->no_sections,
        [NO_WARNINGS] = &own->no_warnings,
        [HELP] = &own->help,
    };

    for (size_t i = 0; i < sizeof(switches) / sizeof(switches[0]); i++) {
        if (switches[i] && strcmp(word, darn_cc_options[i].name) == 0) {
            *switches[i] = true;
            return true;
        }
    }
    return false;
}

static int take(struct darn_cc_own *own, const char *word, char *error, size_t error_size)
{
    const char *list = value_of(word, darn_cc_options[IGNORELIST].name);
    const char *only = value_of(word, darn_cc_options[ONLY].name);
    const char *heal = value_of(word, darn_cc_options[HEAL].name);

    if (!only)
        only = value_of(word, ONLY_PREFIXED);
    if (list)
        own->ignorelist = list;
    if (only)
        own->only = only;
    if (heal)
        own->heal = heal;
    if (list || only || heal)
        return 0;
    if (take_switch(own, word))
        return 0;
    for (const struct darn_cli_option *option = darn_cc_options; option->name; option++) {
        size_t length = strlen(option->name);

        if (strncmp(word, option->name, length) != 0 || (word[length] && word[length] != '='))
            continue;
        if (option->value)
            snprintf(error, error_size, "%s needs a value: %s=%s", option->name, option->name,
                     option->value);
        else
            snprintf(error, error_size, "%s takes no value", option->name);
        return -EINVAL;
    }
    snprintf(error, error_size, "there is no option %s; 'darn help cc' lists them", word);
    return -EINVAL;
}

static bool is_own(const char *word)
{
    const char *only = darn_cc_options[ONLY].name;
    size_t length = strlen(only);

    return strncmp(word, PREFIX, strlen(PREFIX)) == 0 ||
           (strncmp(word, only, length) == 0 && (!word[length] || word[length] == '='));
}

int darn_cc_options_take(struct darn_cc_own *own, struct darn_words *clang, int argc, char **argv,
                         char *error, size_t error_size)
{
    bool only_inputs = false;

    for (int i = 0; i < argc; i++) {
        if (!only_inputs && is_own(argv[i])) {
            if (take(own, argv[i], error, error_size))
                return -EINVAL;
            continue;
        }
        if (strcmp(argv[i], "--") == 0)
            only_inputs = true;
        darn_words_add(clang, argv[i]);
    }
    return 0;
}
