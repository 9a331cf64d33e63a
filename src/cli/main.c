/*
 * Finds the command, and does what belongs to none of them.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/say.h"
#include "driver/process/signal_guard.h"

/* The command that the name of the executable says: darn-cc is `darn cc`. */
static const struct darn_command *find_by_executable(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;

    return strncmp(name, "darn-", 5) == 0 ? darn_command_find(name + 5) : NULL;
}

/* `darn report` answers the runtime, which wants to know whether a report was printed: 0 is yes. */
static int run(const struct darn_command *command, int argc, char **argv)
{
    int status;

    argv[0] = (char *)command->name;
    if (command->guarded)
        darn_guard();
    status = command->run(argc, argv);
    if (status < 0) /* DARN_REFUSED: it was told why */
        status = DARN_EXIT_USAGE;
    return command == &darn_command_report ? status : darn_end_errors(status);
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

static bool is_one_of(const char *word, const char *a, const char *b, const char *c)
{
    return strcmp(word, a) == 0 || strcmp(word, b) == 0 || strcmp(word, c) == 0;
}

static int refuse_unknown(const char *word)
{
    const char *near = darn_command_near(word);

    if (near)
        return darn_refuse("", "there is no command '%s'; did you mean '%s'?", word, near);
    return darn_refuse("", "there is no command '%s'; 'darn help' lists them", word);
}

int main(int argc, char **argv)
{
    const struct darn_command *command = argc ? find_by_executable(argv[0]) : NULL;

    darn_begin_errors();
    survive_limits();
    occupy_standard_files();
    if (command)
        return run(command, argc, argv);
    if (argc < 2)
        return darn_refuse("", "no command; 'darn help' lists them");
    if (is_one_of(argv[1], "--version", "-v", "-V")) {
        printf("darn %s\n", DARN_VERSION);
        return darn_finish_output();
    }
    if (is_one_of(argv[1], "--help", "-h", "-?"))
        return run(&darn_command_help, 1, argv);
    command = darn_command_find(argv[1]);
    if (!command)
        return refuse_unknown(argv[1]);
    return run(command, argc - 1, argv + 1);
}
