/*
 * Options: tables of names, types, defaults, ranges and help; and the table of the options of a
 * run.
 *
 * A row is enough to read an option, to set its default, to complain of a wrong value and to
 * explain it: the commands have tables, too (cli/command.h). That of a run is read by the command
 * line (`darn run --name=value`), by the runtime inside the program under test and by `darn report`
 * (both through DARN_OPTIONS=name=value:name=value). Because the runtime does, nothing here
 * allocates, uses stdio or depends on the locale, and the values of a run lie in buffers of fixed
 * size.
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
#define DARN_PROCESS_VARIABLE "DARN_PROCESS" /* that `darn run` has become: its number */
#define DARN_OPTIONS_PATH     4096           /* bytes of a path or another text, with the NUL */
#define DARN_OPTIONS_ERROR    512            /* bytes that hold a usual error message */
#define DARN_BUDGET_MAX       101            /* `budget=max`: more than every percentage */

enum darn_noise_how { DARN_NOISE_SLEEP, DARN_NOISE_YIELD, DARN_NOISE_BUSY };

enum darn_trace_what { DARN_TRACE_SHARED, DARN_TRACE_ALL, DARN_TRACE_SYNC };

/* How threads are kept out of a section that another one is in. */
enum darn_heal_with { DARN_HEAL_BLOCK, DARN_HEAL_LOCK, DARN_HEAL_YIELD, DARN_HEAL_PRIORITY };

/* Which races of a run are reported. */
enum darn_report_what { DARN_REPORT_ALL, DARN_REPORT_OBSERVED };

enum darn_color { DARN_COLOR_AUTO, DARN_COLOR_ALWAYS, DARN_COLOR_NEVER };

#define DARN_MOST_SIZE 1048576 /* megabytes of a trace */

struct darn_options {
    uint64_t seed;        /* 0: different in each run */
    uint32_t budget;      /* percent of the time with attention raised, or DARN_BUDGET_MAX */
    uint32_t window_us;   /* how long a window stays open */
    uint32_t max_windows; /* how many may be open at once; 0: automatic */
    uint32_t noise_kind;  /* enum darn_noise_how */
    uint32_t noise_limit; /* milliseconds, of all delays together; 0: none */
    uint32_t noise_count;
    uint32_t exitcode;
    uint32_t verbosity;
    uint32_t color;          /* enum darn_color */
    uint32_t trace_what;     /* enum darn_trace_what */
    uint32_t max_size;       /* of a trace, in megabytes, up to DARN_MOST_SIZE */
    uint32_t spin_threshold; /* Tian's: how often a read sees the same value until it spins */
    uint32_t report;         /* enum darn_report_what */
    bool report_spins;
    bool detect_deadlocks;
    bool all;
    bool halt_on_error;
    bool report_volatile;
    bool report_unknown_origin;
    bool help;
    char json[DARN_OPTIONS_PATH];     /* empty: none */
    char sarif[DARN_OPTIONS_PATH];    /* the same */
    char baseline[DARN_OPTIONS_PATH]; /* the same */
    char log_path[DARN_OPTIONS_PATH]; /* "stderr", "stdout", or a path */
    char suppressions[DARN_OPTIONS_PATH];
    char strip_path_prefix[DARN_OPTIONS_PATH];
    char trace[DARN_OPTIONS_PATH];        /* empty: nothing is recorded */
    char profile[DARN_OPTIONS_PATH];      /* empty: nothing is known */
    char learn[DARN_OPTIONS_PATH];        /* empty: nothing is learned */
    char coverage[DARN_OPTIONS_PATH];     /* empty: nobody asks what was covered */
    char control[DARN_OPTIONS_PATH];      /* empty: threads run as they like */
    char sections[DARN_OPTIONS_PATH];     /* a repository; empty: none */
    char sections_out[DARN_OPTIONS_PATH]; /* what became of them; empty: violations are reported */
    char heal[DARN_OPTIONS_PATH];         /* a repository of what is healed; empty: nothing is */
    char heal_out[DARN_OPTIONS_PATH];     /* what became of that */
    char heal_learn[DARN_OPTIONS_PATH];   /* what is found is healed, and written here */
    uint32_t heal_with;                   /* enum darn_heal_with */
    uint32_t heal_bound;                  /* milliseconds that a thread waits at most */
    uint32_t heal_signal;                 /* on which the repository is read again; 0: none */
    bool heal_elides; /* `heal_trust`: the program's own locks are enough where they are held */
    struct darn_noise noise[DARN_NOISE_SPECS];
};

enum darn_option_type {
    DARN_OPTION_BUDGET, /* uint32_t */
    DARN_OPTION_NUMBER, /* uint32_t */
    DARN_OPTION_WIDE,   /* uint64_t */
    DARN_OPTION_BOOL,   /* bool; on a command line the bare name means 1 */
    DARN_OPTION_CHOICE, /* uint32_t: the index of a word in `words` */
    DARN_OPTION_PATH,   /* char[DARN_OPTIONS_PATH], a file name */
    DARN_OPTION_OUTPUT, /* a path, or one of the words stderr and stdout */
    DARN_OPTION_TEXT,   /* char[DARN_OPTIONS_PATH], anything */
    DARN_OPTION_NOISE,  /* noise[] and noise_count of struct darn_options */
    /* Of command lines alone (cli/line.c): */
    DARN_OPTION_FLAG,    /* bool; takes no value */
    DARN_OPTION_HELP,    /* prints the page of the command; takes no value */
    DARN_OPTION_SECONDS, /* uint32_t, in milliseconds */
    DARN_OPTION_JOBS,    /* uint64_t; the default is one for each core */
    DARN_OPTION_STRING,  /* const char *, into the line; never empty */
    DARN_OPTION_MAYBE,   /* the same, but the value may be left out; then it is NULL */
    DARN_OPTION_WORD,    /* the same, one of the `words` of a choice */
    DARN_OPTION_OWN,     /* as `set` likes */
};

struct darn_option {
    const char *name; /* without dashes before it */
    enum darn_option_type type;
    size_t offset;       /* of the field in the struct that the table fills */
    const char *initial; /* the default, as text; empty or NULL: none, the field stays as it is */
    uint64_t min, max;   /* of numbers */
    const char *value;   /* what help shows as the value; NULL: it takes none */
    const char *help;    /* lines without indentation, separated by \n; NULL: it is not listed */
    const char *words;   /* of a choice: "a|b|c"; NULL: `value` has them */
    size_t given;        /* the offset of a bool: that it was given; 0: nobody asks */
    const char *needs;   /* another option, without which this one means nothing; or NULL */
    /* 0, or -EINVAL with one line in `error`. The value is NULL for an option that takes none. */
    int (*set)(void *field, const char *value, char *error, size_t error_size);
};

enum darn_options_style {
    DARN_STYLE_VARIABLE, /* name=VALUE, as in DARN_OPTIONS */
    DARN_STYLE_COMMAND,  /* --na-me=VALUE, as on the command line; -o VALUE */
};

/* The options of a run, in options_table.c. It ends with a name that is NULL, as every table. */
extern const struct darn_option darn_run_options[];

/* "--window-us", "-o" or "window_us". */
void darn_option_spell(struct darn_text *text, const struct darn_option *option,
                       enum darn_options_style style);

/* Whether the option is written so, without the dashes before it and with '_' or '-' inside. */
bool darn_option_is(const struct darn_option *option, const char *name, size_t length);

/* The words of a choice. */
static inline const char *darn_option_words(const struct darn_option *option)
{
    return option->words ? option->words : option->value;
}

/* Sets the field of `to` that the row names; not one of the types of command lines alone. 0, or
 * -EINVAL with one line in `error` that says which option, what was given and what is allowed; the
 * field is unchanged then. */
int darn_option_set(void *to, const struct darn_option *option, enum darn_options_style style,
                    const char *value, char *error, size_t error_size);

void darn_options_default(struct darn_options *options);

/* Sets one option of a run; a noise is added to those already given, an empty noise drops them. 0,
 * or -EINVAL as above. */
int darn_options_set(struct darn_options *options, const char *name, const char *value, char *error,
                     size_t error_size);

/* Reads a text as DARN_OPTIONS has it. Pairs name=value are separated by ':', ',' or white space; a
 * value that contains one of these stands in '…' or "…". 0, or -EINVAL as above; the options
 * before the wrong one are set. */
int darn_options_parse(struct darn_options *options, const char *text, char *error,
                       size_t error_size);

#endif
