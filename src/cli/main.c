/*
 * The table of the commands, and what belongs to none of them: help and version.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "driver/process/signal_guard.h"
#include "cli/say.h"

static int cmd_help(int argc, char **argv);
static void help_darn(void);

static const struct command {
    const char *name;
    const char *summary;
    int (*run)(int argc, char **argv);
    void (*help)(void); /* NULL: the summary says it all */
    bool guarded;       /* it starts programs and waits for them */
} commands[] = {
    {"cc", "compile and link C, as clang does, and have the accesses watched", darn_cmd_cc,
     darn_help_cc, false},
    {"c++", "the same for C++, as clang++ does", darn_cmd_cxx, darn_help_cc, false},
    {"run", "run a program and report its data races and deadlocks", darn_cmd_run, darn_help_run,
     false},
    {"predict", "say which races and deadlocks could happen, from runs of a program",
     darn_cmd_predict, darn_help_predict, true},
    {"hunt", "predict bugs, make them happen, and keep schedules that show them", darn_cmd_hunt,
     darn_help_hunt, true},
    {"replay", "run a program again as a schedule says: the same bug happens", darn_cmd_replay,
     darn_help_replay, true},
    {"shrink", "find the fewest context switches that still show a bug", darn_cmd_shrink,
     darn_help_shrink, true},
    {"explore", "run a program under many schedules until one fails", darn_cmd_explore,
     darn_help_explore, true},
    {"sections", "say which code should be atomic: infer, show, check, refine, shared",
     darn_cmd_sections, darn_help_sections, true},
    {"heal", "run a program so that thread bugs that are known do not happen", darn_cmd_heal,
     darn_help_heal, true},
    {"record", "run a program and keep a trace of what its threads do", darn_cmd_record,
     darn_help_record, true},
    {"analyze", "say which races and deadlocks could happen, from a trace", darn_cmd_analyze,
     darn_help_analyze, false},
    {"trace", "say what is in a trace: darn trace stat|dump|export-std", darn_cmd_trace,
     darn_help_trace, false},
    {"help", "explain a command: darn help COMMAND", cmd_help, help_darn, false},
    {"report", "print what is in the directory of a hunt: darn report DIRECTORY", darn_cmd_report,
     NULL, false},
};

#define COMMANDS (sizeof(commands) / sizeof(commands[0]))

static const struct command *find(const char *name)
{
    for (size_t i = 0; i < COMMANDS; i++)
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
    return NULL;
}

static void help_darn(void)
{
    printf("darn finds data races and deadlocks in C and C++ programs.\n"
           "\n"
           "usage: darn COMMAND ...\n"
           "\n");
    for (size_t i = 0; i < COMMANDS; i++)
        printf("  %-8s %s\n", commands[i].name, commands[i].summary);
    printf("\n"
           "  darn cc -O1 -g bank.c -o bank -pthread\n"
           "  darn run -- ./bank\n"
           "\n"
           "darn-cc and darn-c++ are darn cc and darn c++ under names that build systems can\n"
           "use: make CC=darn-cc CXX=darn-c++.\n"
           "darn --version prints the version.\n");
}

static int cmd_help(int argc, char **argv)
{
    const struct command *command;

    if (argc < 2) {
        help_darn();
        return darn_finish_output();
    }
    command = find(argv[1]);
    if (!command)
        return darn_refuse("help", "there is no command '%s'; 'darn help' lists them", argv[1]);
    if (command->help)
        command->help();
    else
        printf("darn %s: %s\n", command->name, command->summary);
    return darn_finish_output();
}

/* The command that the name of the executable says: darn-cc is `darn cc`. */
static const struct command *find_by_executable(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;

    return strncmp(name, "darn-", 5) == 0 ? find(name + 5) : NULL;
}

/* `darn report` answers the runtime, which wants to know whether a report was printed: 0 is yes. */
static int run(const struct command *command, int argc, char **argv)
{
    int status;

    argv[0] = (char *)command->name;
    if (command->guarded)
        darn_guard();
    status = command->run(argc, argv);
    return command->run == darn_cmd_report ? status : darn_end_errors(status);
}

static void go_on(int number)
{
    (void)number;
}

/* A file that may not grow (ulimit -f) makes a write fail, which is told; it shall not end us. By a
 * handler: what is ignored would be ignored in the programs that we start, too. */
static void survive_limits(void)
{
    struct sigaction action = {.sa_handler = go_on, .sa_flags = SA_RESTART}, old;

    if (sigaction(SIGXFSZ, NULL, &old) == 0 && old.sa_handler == SIG_DFL)
        sigaction(SIGXFSZ, &action, NULL);
}

/* A file of ours that got the number of a closed stderr would get our messages. Reading and writing
 * fail as before; and the program that we start finds the three as closed as they were. */
static void occupy_standard_files(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0)
            (void)open("/dev/null", (fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) | O_CLOEXEC);
}

int main(int argc, char **argv)
{
    const struct command *command = argc ? find_by_executable(argv[0]) : NULL;

    darn_begin_errors();
    survive_limits();
    occupy_standard_files();
    if (command)
        return run(command, argc, argv);
    if (argc < 2)
        return darn_refuse("", "no command; 'darn help' lists them");
    if (strcmp(argv[1], "--version") == 0) {
        printf("darn %s\n", DARN_VERSION);
        return darn_finish_output();
    }
    if (strcmp(argv[1], "--help") == 0)
        return cmd_help(1, argv);
    command = find(argv[1]);
    if (!command)
        return darn_refuse("", "there is no command '%s'; 'darn help' lists them", argv[1]);
    return run(command, argc - 1, argv + 1);
}
