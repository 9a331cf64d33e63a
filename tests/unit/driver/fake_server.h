/*
 * A program that serves as schedule/block.h says, for tests of the command's side: no runtime and
 * no threads, only runs that end as the seed of their plan wants.
 */
#ifndef DARN_TESTS_UNIT_FAKE_SERVER_H
#define DARN_TESTS_UNIT_FAKE_SERVER_H

#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/options.h"
#include "schedule/block.h"

enum { SAY, CRASH, HANG, KILL_SERVER, CAT, LOUD, STAND_STILL, STATUS };

static struct darn_control_block *block;

static void wake(volatile uint32_t *word)
{
    syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

static void run_as_wanted(void)
{
    char piece[4096];
    ssize_t got;

    block->result.steps = block->progress = 7;
    switch (block->request.plan.seed) {
    case SAY:
        dprintf(1, "out %s\n", getenv("LD_BIND_NOW"));
        dprintf(2, "err %d\n", personality(0xffffffff) & ADDR_NO_RANDOMIZE ? 1 : 0);
        _exit(0);
    case CRASH:
        signal(SIGSEGV, SIG_DFL);
        kill(getpid(), SIGSEGV);
        break;
    case KILL_SERVER:
        kill(block->server, SIGKILL);
        break;
    case CAT:
        while ((got = read(0, piece, sizeof(piece))) > 0)
            dprintf(1, "%.*s", (int)got, piece);
        _exit(0);
    case LOUD:
        memset(piece, 'x', sizeof(piece));
        while (write(1, piece, sizeof(piece)) > 0)
            ;
        break;
    case STAND_STILL:
        kill(getpid(), SIGSTOP);
        break;
    case STATUS:
        _exit(9);
    }
    for (;;)
        pause();
}

static void begin_run(void)
{
    dup2(block->in_fd, 0);
    dup2(block->out_fd, 1);
    dup2(block->out_fd, 2);
    run_as_wanted();
}

static void serve(void)
{
    uint32_t seen = 0;

    block->server = getpid();
    block->ready = 1;
    wake(&block->ready);
    for (;;) {
        int status = 0;
        pid_t child;

        while (block->command == seen)
            syscall(SYS_futex, &block->command, FUTEX_WAIT, seen, NULL, NULL, 0);
        seen = block->command;
        if (ftruncate(block->out_fd, 0))
            _exit(1);
        lseek(block->out_fd, 0, SEEK_SET);
        lseek(block->in_fd, 0, SEEK_SET);
        child = fork();
        if (child == 0)
            begin_run();
        block->child = child;
        waitpid(child, &status, 0);
        block->child = 0;
        block->result.end = DARN_END_EXIT;
        block->result.status = status;
        block->done = seen;
        wake(&block->done);
    }
}

/* `how`: serve; early ends before it serves; other is of another version; threads cannot serve, but
 * makes the run that it is started for; never does not even do that. An exit status. */
static int be_the_program(const char *how, const char *variable)
{
    static struct darn_options own;
    char error[DARN_OPTIONS_ERROR];
    int fd;

    darn_options_default(&own);
    if (darn_options_parse(&own, variable, error, sizeof(error)))
        return 7;
    fd = open(own.control, O_RDWR);
    if (strcmp(how, "early") == 0) {
        fprintf(stderr, "first\nit is too early\n");
        return 5;
    }
    block = mmap(NULL, sizeof(*block), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (fd < 0 || block == MAP_FAILED || block->magic != DARN_CONTROL_MAGIC)
        return 6;
    if (strcmp(how, "other") == 0)
        block->refused = DARN_REFUSED_VERSION;
    if (strcmp(how, "threads") == 0 || strcmp(how, "never") == 0)
        block->refused = DARN_REFUSED_THREADS;
    if (strcmp(how, "threads") == 0 && block->command != block->done)
        run_as_wanted();
    if (block->refused && block->command != block->done)
        return 0;
    serve();
    return 0;
}

#endif
