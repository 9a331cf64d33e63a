#include "base/options.h"

/* The order is that of the help. */
const struct darn_option darn_run_options[] = {
    {
        .name = "budget",
        .type = DARN_OPTION_BUDGET,
        .offset = offsetof(struct darn_options, budget),
        .initial = "10%",
        .min = 0,
        .max = 100,
        .value = "P%|max",
        .help = "how much of the time accesses are watched: more finds\n"
                "more and costs more; max: every access at first,\n"
                "then half of the time at most; 0: none at all",
    },
    {
        .name = "window_us",
        .type = DARN_OPTION_NUMBER,
        .offset = offsetof(struct darn_options, window_us),
        .initial = "50",
        .min = 1,
        .max = 1000000,
        .value = "N",
        .help = "how long a thread waits before an access that is\n"
                "watched, in microseconds",
    },
    {
        .name = "max_windows",
        .type = DARN_OPTION_NUMBER,
        .offset = offsetof(struct darn_options, max_windows),
        .initial = "0",
        .min = 0,
        .max = 64,
        .value = "N",
        .help = "how many accesses may be watched at once;\n"
                "0: automatic",
    },
    {
        .name = "noise",
        .type = DARN_OPTION_NOISE,
        .offset = offsetof(struct darn_options, noise),
        .initial = "",
        .value = "SPEC",
        .help = "delay threads before accesses: random:F/S (any),\n"
                "var:NAME:F/S (of a variable), site:FILE:LINE:F/S (of\n"
                "a line), section:F/S (inside sections), F times in\n"
                "1000, by S microseconds. May be repeated, or be a\n"
                "list with commas; an empty one drops those given\n"
                "before",
    },
    {
        .name = "noise_kind",
        .type = DARN_OPTION_CHOICE,
        .offset = offsetof(struct darn_options, noise_kind),
        .initial = "sleep",
        .value = "sleep|yield|busy",
        .help = "how noise delays a thread",
    },
    {
        .name = "noise_limit",
        .type = DARN_OPTION_NUMBER,
        .offset = offsetof(struct darn_options, noise_limit),
        .initial = "0",
        .max = 1000000,
        .value = "MS",
        .help = "no more noise when its delays have taken MS\n"
                "milliseconds in all threads together (0: no limit)",
    },
    {
        .name = "seed",
        .type = DARN_OPTION_WIDE,
        .offset = offsetof(struct darn_options, seed),
        .initial = "0",
        .min = 0,
        .max = UINT64_MAX,
        .value = "N",
        .help = "makes the random choices repeatable;\n"
                "0: different in each run",
    },
    {
        .name = "json",
        .type = DARN_OPTION_PATH,
        .offset = offsetof(struct darn_options, json),
        .initial = "",
        .value = "FILE",
        .help = "write the findings to FILE, too, as JSON Lines",
    },
    {
        .name = "sarif",
        .type = DARN_OPTION_PATH,
        .offset = offsetof(struct darn_options, sarif),
        .initial = "",
        .value = "FILE",
        .help = "put the findings into FILE, too, as SARIF 2.1.0",
    },
    {
        .name = "baseline",
        .type = DARN_OPTION_PATH,
        .offset = offsetof(struct darn_options, baseline),
        .initial = "",
        .value = "FILE",
        .help = "findings of an earlier time, as JSON Lines: what is\n"
                "among them is not reported, and does not count",
    },
    {
        .name = "log_path",
        .type = DARN_OPTION_OUTPUT,
        .offset = offsetof(struct darn_options, log_path),
        .initial = "stderr",
        .value = "FILE|stderr|stdout",
        .help = "where reports are printed; a file gets the process\n"
                "id appended: FILE.PID",
    },
    {
        .name = "exitcode",
        .type = DARN_OPTION_NUMBER,
        .offset = offsetof(struct darn_options, exitcode),
        .initial = "66",
        .min = 0,
        .max = 255,
        .value = "N",
        .help = "the exit status when there are findings and the\n"
                "program itself succeeded; 0: the program's own",
    },
    {
        .name = "all",
        .type = DARN_OPTION_BOOL,
        .offset = offsetof(struct darn_options, all),
        .initial = "0",
        .value = "0|1",
        .help = "print at length also what has the same cause as another\n"
                "finding: a side, a variable or two locks in common",
    },
    {
        .name = "halt_on_error",
        .type = DARN_OPTION_BOOL,
        .offset = offsetof(struct darn_options, halt_on_error),
        .initial = "0",
        .value = "0|1",
        .help = "end the program after the first finding",
    },
    {
        .name = "suppressions",
        .type = DARN_OPTION_PATH,
        .offset = offsetof(struct darn_options, suppressions),
        .initial = "",
        .value = "FILE",
        .help = "do not report what FILE names, in TSan's format:\n"
                "race:PATTERN",
    },
    {
        .name = "report_volatile",
        .type = DARN_OPTION_BOOL,
        .offset = offsetof(struct darn_options, report_volatile),
        .initial = "1",
        .value = "0|1",
        .help = "volatile accesses race like plain ones;\n"
                "0: they count as atomic",
    },
    {
        .name = "report_unknown_origin",
        .type = DARN_OPTION_BOOL,
        .offset = offsetof(struct darn_options, report_unknown_origin),
        .initial = "1",
        .value = "0|1",
        .help = "report a value that changed although no thread was\n"
                "seen to write it",
    },
    {
        .name = "report",
        .type = DARN_OPTION_CHOICE,
        .offset = offsetof(struct darn_options, report),
        .initial = "all",
        .value = "all|observed",
        .help = "which races are reported: all that nothing in the run\n"
                "orders, or those alone that were caught in the act",
    },
    {
        .name = "report_spins",
        .type = DARN_OPTION_BOOL,
        .offset = offsetof(struct darn_options, report_spins),
        .initial = "0",
        .value = "0|1",
        .help = "report a loop that waits for a plain variable and the\n"
                "store that ends it; 0: they are synchronization",
    },
    {
        .name = "spin_threshold",
        .type = DARN_OPTION_NUMBER,
        .offset = offsetof(struct darn_options, spin_threshold),
        .initial = "10",
        .min = 1,
        .max = 1000000,
        .value = "N",
        .help = "how often a loop must read the same value to count\n"
                "as waiting for another one",
    },
    {
        .name = "detect_deadlocks",
        .type = DARN_OPTION_BOOL,
        .offset = offsetof(struct darn_options, detect_deadlocks),
        .initial = "0",
        .value = "0|1",
        .help = "also report locks that are taken in different orders,\n"
                "at the end of the program",
    },
    {
        .name = "trace",
        .type = DARN_OPTION_PATH,
        .offset = offsetof(struct darn_options, trace),
        .initial = "",
        .value = "FILE",
        .help = "record the events of the run in FILE, and watch for\n"
                "nothing; see darn record",
    },
    {
        .name = "trace_what",
        .type = DARN_OPTION_CHOICE,
        .offset = offsetof(struct darn_options, trace_what),
        .initial = "shared",
        .value = "shared|all|sync",
        .help = "which accesses to record: of the sites that the\n"
                "profile says share memory (without a profile: all),\n"
                "all, or none, only synchronization",
    },
    {
        .name = "max_size",
        .type = DARN_OPTION_NUMBER,
        .offset = offsetof(struct darn_options, max_size),
        .initial = "1024",
        .min = 1,
        .max = DARN_MOST_SIZE,
        .value = "N",
        .help = "the most megabytes of a trace; what comes after is\n"
                "counted, but not recorded",
    },
    {
        .name = "profile",
        .type = DARN_OPTION_PATH,
        .offset = offsetof(struct darn_options, profile),
        .initial = "",
        .value = "FILE",
        .help = "what earlier runs have learned: sites that share\n"
                "memory, spins and the stores that end them",
    },
    {
        .name = "learn",
        .type = DARN_OPTION_PATH,
        .offset = offsetof(struct darn_options, learn),
        .initial = "",
        .value = "FILE",
        .help = "learn such a profile, and merge it into FILE at the\n"
                "end; nothing is watched meanwhile",
    },
    {
        .name = "coverage",
        .type = DARN_OPTION_PATH,
        .offset = offsetof(struct darn_options, coverage),
        .initial = "",
        .value = "FILE",
        .help = "append to FILE what threads were seen to do to each\n"
                "other; see darn coverage",
    },
    {
        .name = "control",
        .type = DARN_OPTION_PATH,
        .offset = offsetof(struct darn_options, control),
        .initial = "",
        .value = "FILE",
        .help = "a darn command controls the threads by way of FILE;\n"
                "see darn explore",
    },
    {
        .name = "sections",
        .type = DARN_OPTION_PATH,
        .offset = offsetof(struct darn_options, sections),
        .initial = "",
        .value = "FILE",
        .help = "the atomic sections that the program should obey;\n"
                "violations are reported; see darn sections",
    },
    {
        .name = "sections_out",
        .type = DARN_OPTION_PATH,
        .offset = offsetof(struct darn_options, sections_out),
        .initial = "",
        .value = "FILE",
        .help = "count violations in FILE instead of reporting them;\n"
                "see darn sections refine",
    },
    {
        .name = "heal",
        .type = DARN_OPTION_PATH,
        .offset = offsetof(struct darn_options, heal),
        .initial = "",
        .value = "FILE",
        .help = "keep the sections of this repository atomic, and look\n"
                "for nothing; see darn heal",
    },
    {
        .name = "heal_with",
        .type = DARN_OPTION_CHOICE,
        .offset = offsetof(struct darn_options, heal_with),
        .initial = "block",
        .value = "block|lock|yield|priority",
        .help = "how others are kept out of a section: block: who would\n"
                "harm it waits; lock: everybody waits; yield, priority:\n"
                "nobody waits, harm becomes less likely",
    },
    {
        .name = "heal_bound",
        .type = DARN_OPTION_NUMBER,
        .offset = offsetof(struct darn_options, heal_bound),
        .initial = "100",
        .min = 1,
        .max = 60000,
        .value = "N",
        .help = "how long a thread waits at most before a section that\n"
                "another is in, in milliseconds",
    },
    {
        .name = "heal_out",
        .type = DARN_OPTION_PATH,
        .offset = offsetof(struct darn_options, heal_out),
        .initial = "",
        .value = "FILE",
        .help = "write what was healed, and what was not, to FILE as\n"
                "JSON Lines",
    },
    {
        .name = "heal_signal",
        .type = DARN_OPTION_NUMBER,
        .offset = offsetof(struct darn_options, heal_signal),
        .initial = "0",
        .min = 0,
        .max = 64,
        .value = "N",
        .help = "on this signal the repository is read again, and what\n"
                "was healed so far is written to the file of heal_out\n"
                "with .now at its end; 0: none",
    },
    {
        .name = "heal_trust",
        .type = DARN_OPTION_BOOL,
        .offset = offsetof(struct darn_options, heal_elides),
        .initial = "1",
        .value = "0|1",
        .help = "with darn cc --only: leave sections that were always\n"
                "under the same lock of the program to that lock",
    },
    {
        .name = "heal_learn",
        .type = DARN_OPTION_PATH,
        .offset = offsetof(struct darn_options, heal_learn),
        .initial = "",
        .value = "FILE",
        .help = "look for races as well; heal what is found from then\n"
                "on, and write it to FILE, a repository",
    },
    {
        .name = "verbosity",
        .type = DARN_OPTION_NUMBER,
        .offset = offsetof(struct darn_options, verbosity),
        .initial = "0",
        .min = 0,
        .max = 3,
        .value = "N",
        .help = "1: print the counters at the end (2 and 3 are the same)",
    },
    {
        .name = "strip_path_prefix",
        .type = DARN_OPTION_TEXT,
        .offset = offsetof(struct darn_options, strip_path_prefix),
        .initial = "",
        .value = "PREFIX",
        .help = "leave PREFIX out of the file names in reports",
    },
    {
        .name = "color",
        .type = DARN_OPTION_CHOICE,
        .offset = offsetof(struct darn_options, color),
        .initial = "auto",
        .value = "auto|always|never",
        .help = "colour in reports; auto: on a terminal",
    },
    {
        .name = "help",
        .type = DARN_OPTION_BOOL,
        .offset = offsetof(struct darn_options, help),
        .initial = "0",
        .value = "0|1",
        .help = "print this list",
    },
    {.name = NULL},
};
