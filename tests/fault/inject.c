/*
 * Runs a command in which the n-th call of a class fails, and says how it ended.
 *
 * usage: inject [-r] [-t SECONDS] -o RESULT CLASS N[+] -- COMMAND [arguments]
 *
 * CLASS is write, open, mmap, clone, ftruncate, or alloc; N+ makes all calls from the n-th on fail,
 * as on a full disk; N = 0 only counts. Without -r it is the calls of the command, all its threads
 * and the processes that it forks, until they execute another program; those of the dynamic linker
 * do not count. With -r it is the calls of darn's runtime, in whatever is started: the runtime
 * makes its system calls by instructions of its own, which lie in the program's file, and those of
 * the program lie in libc. So no test build is needed: what is tried is what is shipped.
 *
 * RESULT gets one line:
 *   end=exit:STATUS | signal:NUMBER | hang   of the command
 *   calls=NUMBER     of the class that were seen
 *   injected=NUMBER  of them that failed
 *   crashes=NUMBER   of processes that died of a fault of their own
 *   left=NUMBER      of processes that were still there 2 seconds after the command's end
 *   fd=NUMBER        that the first write that failed was to, else -1
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/limits.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "alloc.h"

/* The calls of a class and the error that they get. */
static const struct class
{
    const char *name;
    int error;
    int calls[6]; /* ends with -1 */
} classes[] = {
    {"write", ENOSPC, {SYS_write, SYS_pwrite64, SYS_writev, SYS_sendto, -1}},
    {"open", EMFILE, {SYS_open, SYS_openat, SYS_creat, -1}},
    {"mmap", ENOMEM, {SYS_mmap, SYS_mremap, -1}},
    {"clone", EAGAIN, {SYS_clone, SYS_clone3, SYS_fork, SYS_vfork, -1}},
    {"ftruncate", ENOSPC, {SYS_ftruncate, SYS_truncate, SYS_fallocate, -1}},
    {"alloc", ENOMEM, {-1}}, /* alloc.c does these */
};

static struct {
    const struct class *class;
    bool runtime;  /* its calls, wherever it is */
    bool all_from; /* n-th and later */
    long n;
    int seconds;
    const char *result;
    char **command;
} ask;

static struct {
    long calls, injected, crashes, left;
    int status; /* as waitpid's */
    int fd;     /* of the first write that failed, or -1 */
    bool started, ended;
} seen = {.fd = -1};

static struct alloc_fault *alloc_fault;
static int page_fd;

__attribute__((noreturn)) static void fail(const char *what)
{
    fprintf(stderr, "inject: %s: %s\n", what, strerror(errno));
    exit(125);
}

static void read_arguments(int argc, char **argv)
{
    int option;

    ask.seconds = 60;
    while ((option = getopt(argc, argv, "+rt:o:")) != -1) {
        if (option == 'r')
            ask.runtime = true;
        else if (option == 't')
            ask.seconds = atoi(optarg);
        else if (option == 'o')
            ask.result = optarg;
    }
    if (!ask.result || argc - optind < 4 || strcmp(argv[optind + 2], "--") != 0) {
        fprintf(stderr, "usage: inject [-r] [-t SECONDS] -o RESULT CLASS N[+] -- COMMAND\n");
        exit(125);
    }
    for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++)
        if (strcmp(classes[i].name, argv[optind]) == 0)
            ask.class = &classes[i];
    ask.n = atol(argv[optind + 1]);
    ask.all_from = strchr(argv[optind + 1], '+') != NULL;
    ask.command = argv + optind + 3;
    if (!ask.class) {
        errno = EINVAL;
        fail(argv[optind]);
    }
}

/* The file that the address is mapped from, "" for none. */
static void find_file(pid_t thread, unsigned long address, char path[PATH_MAX])
{
    char name[64], line[PATH_MAX + 128];
    FILE *maps;

    path[0] = '\0';
    snprintf(name, sizeof(name), "/proc/%d/maps", thread);
    if (!(maps = fopen(name, "r")))
        return;
    while (fgets(line, sizeof(line), maps)) {
        unsigned long start, end;
        int at = 0;

        if (sscanf(line, "%lx-%lx %*s %*s %*s %*s %n", &start, &end, &at) >= 2 && at &&
            address >= start && address < end) {
            snprintf(path, PATH_MAX, "%s", line + at);
            path[strcspn(path, "\n")] = '\0';
        }
    }
    fclose(maps);
}

static bool is_of_runtime(pid_t thread, const struct __ptrace_syscall_info *call)
{
    char file[PATH_MAX], name[64], program[PATH_MAX] = "";

    /* libc makes threads by clone3, and forks without CLONE_VM. */
    if (ask.class->calls[0] == SYS_clone)
        return call->entry.nr == SYS_clone && (call->entry.args[0] & CLONE_VM);
    find_file(thread, call->instruction_pointer, file);
    snprintf(name, sizeof(name), "/proc/%d/exe", thread);
    return (readlink(name, program, sizeof(program) - 1) > 0 && strcmp(file, program) == 0) ||
           strstr(file, "libdarn_rt");
}

static bool is_wanted(pid_t thread, const struct __ptrace_syscall_info *call)
{
    char file[PATH_MAX];
    const int *number = ask.class->calls;

    while (*number != -1 && *number != (int)call->entry.nr)
        number++;
    if (*number == -1)
        return false;
    if (ask.runtime)
        return is_of_runtime(thread, call);
    find_file(thread, call->instruction_pointer, file);
    return !strstr(file, "/ld-linux");
}

static bool is_due(void)
{
    return ask.n && (seen.calls == ask.n || (ask.all_from && seen.calls > ask.n));
}

/* A call without a number does nothing, and its result is what we put there. */
static void make_fail(pid_t thread, const struct __ptrace_syscall_info *call)
{
    if (!seen.injected && ask.class->calls[0] == SYS_write)
        seen.fd = (int)call->entry.args[0];
    ptrace(PTRACE_POKEUSER, thread, offsetof(struct user_regs_struct, orig_rax), -1L);
    ptrace(PTRACE_POKEUSER, thread, offsetof(struct user_regs_struct, rax),
           -(long)ask.class->error);
    seen.injected++;
}

static void look_at_call(pid_t thread)
{
    struct __ptrace_syscall_info call = {0};

    if (ptrace(PTRACE_GET_SYSCALL_INFO, thread, sizeof(call), &call) <= 0 ||
        call.op != PTRACE_SYSCALL_INFO_ENTRY || !is_wanted(thread, &call))
        return;
    seen.calls++;
    if (is_due())
        make_fail(thread, &call);
}

static bool is_crash(int signal)
{
    return signal == SIGSEGV || signal == SIGBUS || signal == SIGABRT || signal == SIGILL ||
           signal == SIGFPE || signal == SIGSYS || signal == SIGXFSZ;
}

static void look_at_stop(pid_t thread, int status)
{
    int signal = WSTOPSIG(status), event = status >> 16, deliver = 0;

    if (signal == (SIGTRAP | 0x80))
        look_at_call(thread);
    else if (event == PTRACE_EVENT_EXEC && !ask.runtime && seen.started) {
        ptrace(PTRACE_DETACH, thread, 0, 0); /* it has become the program under test */
        return;
    } else if (event == PTRACE_EVENT_EXEC)
        seen.started = true;
    else if (event == PTRACE_EVENT_STOP && signal != SIGTRAP) {
        ptrace(PTRACE_LISTEN, thread, 0, 0); /* stopped by somebody, as if we were not there */
        return;
    } else if (!event)
        deliver = signal;
    ptrace(PTRACE_SYSCALL, thread, 0, deliver);
}

/* A page for alloc.so, which lies next to this program. */
static void share_page(void)
{
    int fd = memfd_create("inject", 0);

    if (fd < 0 || ftruncate(fd, sizeof(*alloc_fault)) < 0)
        fail("memfd_create");
    alloc_fault = mmap(NULL, sizeof(*alloc_fault), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (alloc_fault == MAP_FAILED)
        fail("mmap");
    alloc_fault->n = ask.n;
    alloc_fault->all_from = ask.all_from;
    page_fd = dup2(fd, 200); /* out of the way of the command's own */
    close(fd);
}

static void preload_alloc(void)
{
    char path[PATH_MAX] = "", number[16];
    char *slash = NULL;

    if (readlink("/proc/self/exe", path, sizeof(path) - 16) < 0 || !(slash = strrchr(path, '/')))
        fail("/proc/self/exe");
    strcpy(slash + 1, "alloc.so");
    snprintf(number, sizeof(number), "%d", page_fd);
    setenv(ALLOC_FAULT_FD, number, 1);
    setenv("LD_PRELOAD", path, 1);
}

static void start_command(pid_t *main)
{
    long options = PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL | PTRACE_O_TRACEEXEC |
                   PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK;
    int status;

    *main = fork();
    if (*main == 0) {
        raise(SIGSTOP);
        if (alloc_fault)
            preload_alloc();
        execvp(ask.command[0], ask.command);
        fail(ask.command[0]);
    }
    if (waitpid(*main, &status, WUNTRACED) < 0 || ptrace(PTRACE_SEIZE, *main, 0, options) < 0)
        fail("ptrace");
    kill(*main, SIGCONT);
}

/* Our children, also those that we got from a process that ended: we are their reaper. The number,
 * and each gets the signal. */
static int signal_children(int signal)
{
    FILE *list = fopen("/proc/thread-self/children", "r");
    int child, count = 0;

    while (list && fscanf(list, "%d", &child) == 1) {
        kill(child, signal);
        count++;
    }
    if (list)
        fclose(list);
    return count;
}

static long now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

static void wake_up(int signal)
{
    (void)signal;
}

/* Waits until nobody is left, or the time is over; what the time is depends on whether the command
 * itself has ended. False: the time is over. */
static bool watch_command(pid_t main)
{
    long end = now() + ask.seconds * 1000L;
    int status;
    pid_t pid;

    while (now() < end) {
        pid = waitpid(-1, &status, __WALL);
        if (pid < 0 && errno == ECHILD)
            return true;
        if (pid < 0)
            continue; /* the alarm */
        if (WIFSTOPPED(status)) {
            look_at_stop(pid, status);
            continue;
        }
        if (WIFSIGNALED(status) && is_crash(WTERMSIG(status)))
            seen.crashes++;
        if (pid == main) {
            seen.status = status;
            seen.ended = true;
            end = now() + 2000;
        }
    }
    return false;
}

static void end_all(void)
{
    for (int i = 0; i < 100 && signal_children(SIGKILL); i++) {
        while (waitpid(-1, NULL, __WALL | WNOHANG) > 0)
            continue;
        usleep(10000);
    }
}

static void write_result(void)
{
    FILE *to = fopen(ask.result, "w");

    if (!to)
        fail(ask.result);
    if (alloc_fault) {
        seen.calls = atomic_load(&alloc_fault->calls);
        seen.injected = atomic_load(&alloc_fault->injected);
    }
    if (!seen.ended)
        fprintf(to, "end=hang");
    else if (WIFSIGNALED(seen.status))
        fprintf(to, "end=signal:%d", WTERMSIG(seen.status));
    else
        fprintf(to, "end=exit:%d", WEXITSTATUS(seen.status));
    fprintf(to, " calls=%ld injected=%ld crashes=%ld left=%ld fd=%d\n", seen.calls, seen.injected,
            seen.crashes, seen.left, seen.fd);
    fclose(to);
}

int main(int argc, char **argv)
{
    struct sigaction action = {.sa_handler = wake_up};
    struct itimerval tick = {{0, 100000}, {0, 100000}};
    pid_t main;

    read_arguments(argc, argv);
    if (strcmp(ask.class->name, "alloc") == 0)
        share_page();
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    sigaction(SIGALRM, &action, NULL);
    start_command(&main);
    setitimer(ITIMER_REAL, &tick, NULL);
    if (!watch_command(main) && seen.ended)
        seen.left = signal_children(0);
    end_all();
    write_result();
    return !seen.ended ? 124 : WIFEXITED(seen.status) ? WEXITSTATUS(seen.status) : 125;
}
