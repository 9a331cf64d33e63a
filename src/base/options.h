/*
 * The options of a run: one table of names, types, defaults, ranges and help.
 *
 * The command line (`darn run --name=value`), the runtime inside the program under test and
 * `darn report` (both through DARN_OPTIONS=name=value:name=value) read the same table. Because the
 * runtime does, nothing here allocates, uses stdio or depends on the locale, and every value lies
 * in a buffer of fixed size.
 *
 * The sources that a runtime needs are in the CMake variable DARN_BASE_IN_PROCESS.
 */
#ifndef DARN_BASE_OPTIONS_H
#define DARN_BASE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/noise.h"

#define DARN_OPTIONS_VARIABLE "DARN_OPTIONS"
#define DARN_COMMAND_VARIABLE "DARN_COMMAND" /* the darn that started the program, absolute */
#define DARN_OPTIONS_PATH     4096           /* bytes of a path or another text, with the NUL */
#define DARN_OPTIONS_ERROR    512            /* bytes that hold a usual error message */
#define DARN_BUDGET_MAX       101            /* `budget=max`: more than every percentage */

enum darn_noise_how { DARN_NOISE_SLEEP, DARN_NOISE_YIELD, DARN_NOISE_BUSY };

enum darn_trace_what { DARN_TRACE_SHARED, DARN_TRACE_ALL, DARN_TRACE_SYNC };

/* How threads are kept out of a section that another one is in. */
enum darn_heal_with { DARN_HEAL_BLOCK, DARN_HEAL_LOCK, DARN_HEAL_YIELD, DARN_HEAL_PRIORITY };

enum darn_color { DARN_COLOR_AUTO, DARN_COLOR_ALWAYS, DARN_COLOR_NEVER };

struct darn_options {
    uint64_t seed;        /* 0: different in each run */
    uint32_t budget;      /* percent of the time with attention raised, or DARN_BUDGET_MAX */
    uint32_t window_us;   /* how long a window stays open */
    uint32_t max_windows; /* how many may be open at once; 0: automatic */
    uint32_t noise_kind;  /* enum darn_noise_how */
    uint32_t noise_count;
    uint32_t exitcode;
    uint32_t verbosity;
    uint32_t color;          /* enum darn_color */
    uint32_t trace_what;     /* enum darn_trace_what */
    uint32_t max_size;       /* of a trace, in megabytes */
    uint32_t spin_threshold; /* Tian's: how often a read sees the same value until it spins */
    bool report_spins;
    bool detect_deadlocks;
    bool halt_on_error;
    bool report_volatile;
    bool report_unknown_origin;
    bool help;
    char json[DARN_OPTIONS_PATH];     /* empty: none */
    char log_path[DARN_OPTIONS_PATH]; /* "stderr", "stdout", or a path */
    char suppressions[DARN_OPTIONS_PATH];
    char strip_path_prefix[DARN_OPTIONS_PATH];
    char trace[DARN_OPTIONS_PATH];        /* empty: nothing is recorded */
    char profile[DARN_OPTIONS_PATH];      /* empty: nothing is known */
    char learn[DARN_OPTIONS_PATH];        /* empty: nothing is learned */
    char control[DARN_OPTIONS_PATH];      /* empty: threads run as they like */
    char sections[DARN_OPTIONS_PATH];     /* a repository; empty: none */
    char sections_out[DARN_OPTIONS_PATH]; /* what became of them; empty: violations are reported */
    char heal[DARN_OPTIONS_PATH];         /* a repository of what is healed; empty: nothing is */
    char heal_out[DARN_OPTIONS_PATH];     /* what became of that */
    char heal_learn[DARN_OPTIONS_PATH];   /* what is found is healed, and written here */
    uint32_t heal_with;                   /* enum darn_heal_with */
    uint32_t heal_bound;                  /* milliseconds that a thread waits at most */
    bool heal_trust; /* the program's own locks are enough where they are held */
    struct darn_noise noise[DARN_NOISE_SPECS];
};

enum darn_option_type {
    DARN_OPTION_BUDGET, /* uint32_t */
    DARN_OPTION_NUMBER, /* uint32_t */
    DARN_OPTION_WIDE,   /* uint64_t */
    DARN_OPTION_BOOL,   /* bool */
    DARN_OPTION_CHOICE, /* uint32_t: the index of a word in `value` */
    DARN_OPTION_PATH,   /* char[DARN_OPTIONS_PATH], a file name */
    DARN_OPTION_OUTPUT, /* a path, or one of the words stderr and stdout */
    DARN_OPTION_TEXT,   /* char[DARN_OPTIONS_PATH], anything */
    DARN_OPTION_NOISE,  /* noise[] and noise_count */
};

struct darn_option {
    const char *name;
    enum darn_option_type type;
    size_t offset;       /* of the field in struct darn_options */
    const char *initial; /* the default, as text; empty for none */
    uint64_t min, max;   /* of numbers */
    const char *value;   /* what help shows as the value; for a choice its words: "a|b|c" */
    const char *help;    /* lines without indentation, separated by \n */
};

/* The table, in options_table.c. */
size_t darn_option_count(void);
const struct darn_option *darn_option_at(size_t index);
/* NULL when there is no such option. */
const struct darn_option *darn_option_find(const char *name);

void darn_options_default(struct darn_options *options);

/* Sets one option; a noise is added to those already given, an empty noise drops them.
 * 0, or -EINVAL with one line in `error` that says which option, what was given and what is
 * allowed; the option is unchanged then. */
int darn_options_set(struct darn_options *options, const char *name, const char *value, char *error,
                     size_t error_size);

/* Reads a text as DARN_OPTIONS has it. Pairs name=value are separated by ':', ',' or white space; a
 * value that contains one of these stands in '…' or "…". 0, or -EINVAL as above; the options
 * before the wrong one are set. */
int darn_options_parse(struct darn_options *options, const char *text, char *error,
                       size_t error_size);

#endif
