/*
 * The process of a fork server: its memory, files and environment, its start and its end.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/grow.h"
#include "base/options_print.h"
#include "driver/process/signal_guard.h"
#include "driver/process/launch.h"
#include "driver/process/installation.h"
#include "driver/process/listener.h"
#include "driver/process/server_private.h"

/* Where the files of the runs are in the program: the same in each job, so that the files that the
 * program opens have the same numbers in each. */
#define OUT_FD 200
#define IN_FD  201

#define STATUS_CANNOT_RUN 127

static int map_block(struct darn_server *server)
{
    struct darn_control_block *block;

    server->block_fd = memfd_create("darn-block", MFD_CLOEXEC);
    if (server->block_fd < 0 || ftruncate(server->block_fd, sizeof(*block)))
        return -errno;
    block = mmap(NULL, sizeof(*block), PROT_READ | PROT_WRITE, MAP_SHARED, server->block_fd, 0);
    if (block == MAP_FAILED)
        return -errno;
    block->magic = DARN_CONTROL_MAGIC;
    block->version = DARN_CONTROL_VERSION;
    block->size_of_block = sizeof(*block);
    block->cpu = server->options.cpu;
    block->out_fd = OUT_FD;
    block->in_fd = IN_FD;
    server->block = block;
    return 0;
}

static int open_files(struct darn_server *server)
{
    const char *input = server->options.input;

    server->out_fd = memfd_create("darn-output", MFD_CLOEXEC);
    if (server->out_fd < 0)
        return -errno;
    server->in_fd = open(input ? input : "/dev/null", O_RDONLY | O_CLOEXEC);
    return server->in_fd < 0 ? -errno : 0;
}

/* The name under which the program finds the block. All names are of the same length: the stack of
 * the program begins after its environment, and shall do so at the same address in each job and
 * each replay. Any number of slashes is one. */
static void name_block(struct darn_server *server)
{
    char rest[32];

    snprintf(rest, sizeof(rest), "%ld/fd/%d", (long)getpid(), server->block_fd);
    snprintf(server->name, sizeof(server->name), "/proc%*s", DARN_SERVER_NAME - 6, rest);
    for (char *blank = server->name; (blank = strchr(blank, ' '));)
        *blank = '/';
}

static bool is_ours(const char *variable)
{
    return strncmp(variable, DARN_OPTIONS_VARIABLE "=", sizeof(DARN_OPTIONS_VARIABLE)) == 0 ||
           strncmp(variable, "LD_BIND_NOW=", 12) == 0;
}

static void close_if_open(int fd)
{
    if (fd >= 0)
        close(fd);
}

static bool has_asan(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat about;
    void *bytes = MAP_FAILED;
    bool found = false;

    if (fd >= 0 && fstat(fd, &about) == 0 && about.st_size > 0)
        bytes = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (bytes != MAP_FAILED) {
        found = memmem(bytes, (size_t)about.st_size, "__asan_init", 11);
        munmap(bytes, (size_t)about.st_size);
    }
    close_if_open(fd);
    return found;
}

/* To look up symbols takes ASan many times as long as a run. A leak at the end is no thread's
 * doing, or is there in each run, and to look for it takes long, too. What the user says comes
 * last, and counts. It is of the same length in each kind of run, as the name of the block is. */
static void tame_asan(struct darn_server *server, size_t *used)
{
    const char *own = getenv("ASAN_OPTIONS");

    if (!has_asan(server->path) ||
        asprintf(&server->sanitizer, "ASAN_OPTIONS=symbolize=%d:detect_leaks=0:%s",
                 !server->options.searches, own ? own : "") < 0)
        return;
    for (size_t i = 0; i < *used; i++)
        if (strncmp(server->environment[i], "ASAN_OPTIONS=", 13) == 0)
            server->environment[i--] = server->environment[--*used];
    server->environment[(*used)++] = server->sanitizer;
}

/* A program that is healed is healed in controlled runs as well, and what they cover may be asked;
 * nothing else of the options that we were given is for them. */
static int keep_some(struct darn_options *options, char *error, size_t size)
{
    static struct darn_options given;
    const char *variable = getenv(DARN_OPTIONS_VARIABLE);

    darn_options_default(&given);
    if (!variable || darn_options_parse(&given, variable, error, size))
        return 0; /* whatever else is wrong with them does not concern us */
    if (given.coverage[0] && darn_options_set(options, "coverage", given.coverage, error, size))
        return -EINVAL;
    if (!given.heal[0])
        return 0;
    options->heal_with = given.heal_with;
    options->heal_bound = given.heal_bound;
    return darn_options_set(options, "heal", given.heal, error, size);
}

/* The environment goes to the program by execve: other jobs start at the same time. */
static int make_environment(struct darn_server *server)
{
    static const char name[] = DARN_OPTIONS_VARIABLE "=";
    size_t count = 0, used = 0, room = DARN_OPTIONS_TEXT;
    struct darn_options *options = darn_need_memory(malloc(sizeof(*options)));
    char error[DARN_OPTIONS_ERROR];
    int status = 0;

    while (environ[count])
        count++;
    server->environment = darn_need_zeroed(count + 4, sizeof(char *));
    server->text = darn_need_memory(malloc(sizeof(name) + room));
    memcpy(server->text, name, sizeof(name));
    darn_options_default(options);
    if (darn_options_set(options, "control", server->name, error, sizeof(error)) ||
        keep_some(options, error, sizeof(error)) ||
        darn_options_format(options, server->text + sizeof(name) - 1, room, error, sizeof(error)))
        status = darn_tell_refusal(server->options.listener, "%s", error);
    free(options);
    for (size_t i = 0; i < count; i++)
        if (!is_ours(environ[i]))
            server->environment[used++] = environ[i];
    tame_asan(server, &used);
    server->environment[used++] = server->text;
    server->environment[used] = "LD_BIND_NOW=1"; /* each run would look the names up again */
    return status;
}

int darn_server_prepare(struct darn_server *server)
{
    struct darn_listener *listener = server->options.listener;
    const char *name = server->options.program[0];
    int result = darn_find_program(name, server->path, sizeof(server->path));

    if (result)
        return darn_tell_refusal(listener, "%s: %s", name, strerror(-result));
    result = map_block(server);
    if (result)
        return darn_tell_refusal(listener, "no shared memory: %s", strerror(-result));
    result = open_files(server);
    if (result)
        return darn_tell_refusal(listener, "%s: %s",
                                 server->options.input ? server->options.input : "the output",
                                 strerror(-result));
    name_block(server);
    return make_environment(server);
}

void darn_server_release(struct darn_server *server)
{
    if (server->block)
        munmap(server->block, sizeof(*server->block));
    close_if_open(server->block_fd);
    close_if_open(server->out_fd);
    close_if_open(server->in_fd);
    free(server->environment);
    free(server->text);
    free(server->sanitizer);
}

/* In the child. Only what may be called between fork and exec in a program with threads. */
static void become(const struct darn_server *server, pid_t parent)
{
    struct sigaction usual = {.sa_handler = SIG_DFL};
    cpu_set_t cores;
    sigset_t none;

    /* Not those of the job, which may be pinned by now. */
    if (sched_getaffinity(parent, sizeof(cores), &cores) == 0)
        sched_setaffinity(0, sizeof(cores), &cores);
    setpgid(0, 0);
    darn_guard_child(parent);
    personality(ADDR_NO_RANDOMIZE);
    for (int i = 1; i < NSIG; i++)
        sigaction(i, &usual, NULL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    if (dup2(server->in_fd, IN_FD) < 0 || dup2(server->out_fd, OUT_FD) < 0)
        _exit(STATUS_CANNOT_RUN);
    dup2(server->in_fd, STDIN_FILENO);
    dup2(server->out_fd, STDOUT_FILENO);
    dup2(server->out_fd, STDERR_FILENO);
    execve(server->path, server->options.program, server->environment);
    _exit(STATUS_CANNOT_RUN);
}

int darn_server_spawn(struct darn_server *server)
{
    struct darn_control_block *block = server->block;
    pid_t parent = getpid(), child;

    block->ready = 0;
    block->refused = DARN_REFUSED_NOT;
    block->server = block->child = 0;
    if (!server->anew)
        block->done = block->command = 0; /* else the command is waiting for it already */
    block->request.armed_version = ++server->version;
    if (ftruncate(server->out_fd, 0) == 0)
        lseek(server->out_fd, 0, SEEK_SET);
    lseek(server->in_fd, 0, SEEK_SET);
    child = fork();
    if (child == 0)
        become(server, parent);
    if (child < 0)
        return -errno;
    setpgid(child, child); /* both sides: whoever comes first */
    server->pid = child;
    return 0;
}

void darn_server_kill_run(struct darn_server *server)
{
    pid_t child = server->block->child;

    if (child <= 0)
        return;
    if (getpgid(child) == child)
        kill(-child, SIGKILL);
    kill(child, SIGKILL);
}

void darn_server_kill_rest(struct darn_server *server)
{
    darn_server_kill_run(server);
    if (server->pid > 0)
        kill(-server->pid, SIGKILL);
    server->pid = 0;
}

void darn_server_kill(struct darn_server *server)
{
    pid_t pid = server->pid;

    if (pid <= 0)
        return;
    kill(pid, SIGKILL);
    darn_server_kill_rest(server);
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        ;
}
