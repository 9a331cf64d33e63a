#include "cli/run_options.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "driver/analysis/noise_from.h"
#include "cli/option_word.h"

enum { ANY, PRELOAD, NOISE_FROM };

const struct darn_cli_option darn_run_options[] = {
    [ANY] = {"--any", NULL,
             "run a program that darn did not compile: make, env\n"
             "or a shell, which start programs that it did"},
    [PRELOAD] = {"--preload", NULL,
                 "run a program that darn did not compile, and report\n"
                 "its deadlocks: those that happen, and locks that are\n"
                 "taken in different orders"},
    [NOISE_FROM] = {"--noise-from", "FILE",
                    "aim noise at the findings in FILE, which an earlier\n"
                    "run wrote with --json"},
    {NULL, NULL, NULL},
};

static int is_own(const struct darn_option_word *word, int option)
{
    struct darn_option_word own;

    return darn_option_word(&own, darn_run_options[option].name) == 0 &&
           strcmp(own.name, word->name) == 0;
}

static int read_own(struct darn_run *run, struct darn_option_word *word, int *at, int argc,
                    char **argv, char *error, size_t size)
{
    bool left_out = false;

    if (is_own(word, ANY) || is_own(word, PRELOAD)) {
        if (word->value) {
            snprintf(error, size, "--%s takes no value", word->name);
            return -EINVAL;
        }
        run->any |= is_own(word, ANY);
        run->preload |= is_own(word, PRELOAD);
        return 0;
    }
    if (darn_option_value(word, at, argc, argv, error, size) ||
        darn_noise_from(&run->options, word->value, &left_out, error, size))
        return -EINVAL;
    run->noise_left_out |= left_out;
    return 0;
}

static int read_option(struct darn_run *run, int *at, int argc, char **argv, char *error,
                       size_t size)
{
    const struct darn_option *option;
    struct darn_option_word word;

    if (darn_option_word(&word, argv[*at]) == 0) {
        if (is_own(&word, ANY) || is_own(&word, PRELOAD) || is_own(&word, NOISE_FROM))
            return read_own(run, &word, at, argc, argv, error, size);
        option = darn_option_find(word.name);
        if (option) {
            if (option->type == DARN_OPTION_BOOL && !word.value)
                word.value = "1";
            if (darn_option_value(&word, at, argc, argv, error, size))
                return -EINVAL;
            return darn_options_set(&run->options, word.name, word.value, error, size);
        }
    }
    snprintf(error, size, "there is no option %s; 'darn run --help' lists them", argv[*at]);
    return -EINVAL;
}

int darn_run_options_read(struct darn_run *run, const char *variable, int argc, char **argv,
                          char *error, size_t error_size)
{
    char message[DARN_OPTIONS_ERROR];
    bool program_helps;
    int at = 0;

    run->any = run->preload = run->help = false;
    run->program = NULL;
    run->noise_left_out = false;
    darn_options_default(&run->options);
    if (variable && darn_options_parse(&run->options, variable, message, sizeof(message))) {
        snprintf(error, error_size, DARN_OPTIONS_VARIABLE ": %s", message);
        return -EINVAL;
    }
    /* On the line, help is ours; in the variable it is the program's. */
    program_helps = run->options.help;
    run->options.help = false;
    for (; at < argc && argv[at][0] == '-' && strcmp(argv[at], "--") != 0; at++)
        if (read_option(run, &at, argc, argv, error, error_size))
            return -EINVAL;
    run->help = run->options.help;
    run->options.help = program_helps;
    if (at < argc && strcmp(argv[at], "--") == 0)
        at++;
    if (at < argc)
        run->program = argv + at;
    return 0;
}
