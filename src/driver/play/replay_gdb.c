#include "driver/play/replay_gdb.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "driver/process/signal_guard.h"
#include "driver/process/installation.h"
#include "driver/process/private.h"
#include "driver/process/listener.h"

#define LOOK_US  10000
#define GRACE_US 5000000 /* for the program to end when gdb has */

/*
 * What gdb does first: it shows each thread by its innermost frame in the program's own code. Above
 * that are the frames of the runtime, which has stopped the thread, and those of libc. The
 * directory of the runtime's sources, if it has debug information at all, is that of one of its
 * functions. The thread that gdb has selected in the end is the one that has the turn, and has
 * stopped the process by kill(). As to attach to a process that has stopped lets it run for a
 * moment, it stops again until it is told that it need not.
 */
static const char script[] =
    "set pagination off\n"
    "set confirm off\n"
    "handle SIGSTOP nostop noprint nopass\n"
    "python\n"
    "import os\n"
    "def darn_sources():\n"
    "    symbol = gdb.lookup_global_symbol('darn_hook_access')\n"
    "    if symbol is None or symbol.symtab is None:\n"
    "        return None\n"
    "    return os.path.dirname(os.path.dirname(symbol.symtab.fullname())) + os.sep\n"
    "def darn_is_program(frame, sources):\n"
    "    place = frame.find_sal()\n"
    "    if place.symtab is None or not place.line:\n"
    "        return False\n"
    "    if place.symtab.objfile.filename.startswith(('/lib', '/usr/lib')):\n"
    "        return False\n"
    "    return sources is None or not place.symtab.fullname().startswith(sources)\n"
    "def darn_snapshot():\n"
    "    sources = darn_sources()\n"
    "    snapshot = None\n"
    "    for thread in sorted(gdb.selected_inferior().threads(), key=lambda t: t.num):\n"
    "        thread.switch()\n"
    "        frame, level, found = gdb.newest_frame(), 0, None\n"
    "        while frame is not None:\n"
    "            if level < 3 and (frame.name() or '').endswith('kill'):\n"
    "                snapshot = thread\n"
    "            if found is None and darn_is_program(frame, sources):\n"
    "                found = level\n"
    "            frame, level = frame.older(), level + 1\n"
    "        print('thread %d%s' % (thread.num, ', ' + thread.name if thread.name else ''))\n"
    "        gdb.execute('frame %d' % (found or 0))\n"
    "        if snapshot is thread:\n"
    "            level_there = found or 0\n"
    "    if snapshot is not None:\n"
    "        snapshot.switch()\n"
    "        gdb.execute('frame %d' % level_there, to_string=True)\n"
    "darn_snapshot()\n"
    "end\n"
    "set variable *(int *)&darn_capture_held = 0\n";

int darn_replay_gdb_check(struct darn_listener *listener)
{
    char path[PATH_MAX];

    if (darn_find_program("gdb", path, sizeof(path)))
        return darn_tell_refusal(listener, "--gdb needs gdb, which was not found in PATH");
    return 0;
}

/* 0 or DARN_REFUSED. */
static int write_script(struct darn_listener *listener, char *path, size_t size)
{
    int status = darn_private_file(listener, "gdb", path, size);
    FILE *file = status ? NULL : fopen(path, "wxe");

    if (status)
        return status;
    if (!file)
        return darn_tell_refusal(listener, "%s cannot be written: %s", path, strerror(errno));
    fputs(script, file);
    if (fclose(file))
        return darn_tell_refusal(listener, "%s cannot be written: %s", path, strerror(errno));
    return 0;
}

/* Its exit status. Ctrl-C is for gdb. */
static int run_gdb(struct darn_listener *listener, pid_t child, const char *path)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN}, interrupt, quit;
    char number[32];
    int status = 0;
    pid_t self = getpid(), gdb;

    snprintf(number, sizeof(number), "%ld", (long)child);
    fflush(NULL);
    sigaction(SIGINT, &ignore, &interrupt);
    sigaction(SIGQUIT, &ignore, &quit);
    gdb = fork();
    if (gdb == 0) {
        darn_guard_child(self);
        sigaction(SIGINT, &interrupt, NULL);
        sigaction(SIGQUIT, &quit, NULL);
        execlp("gdb", "gdb", "-q", "-p", number, "-x", path, (char *)NULL);
        _exit(127);
    }
    while (gdb > 0 && waitpid(gdb, &status, 0) < 0 && errno == EINTR)
        ;
    sigaction(SIGINT, &interrupt, NULL);
    sigaction(SIGQUIT, &quit, NULL);
    if (gdb < 0)
        return darn_tell_refusal(listener, "gdb cannot be started: %s", strerror(errno));
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* Lets the program go on, and waits for its end: not for ever. */
static void let_go(const struct darn_control_block *block, pid_t child)
{
    kill(child, SIGCONT);
    for (unsigned waited = 0; waited < GRACE_US && block->child == child; waited += LOOK_US)
        usleep(LOOK_US);
}

int darn_replay_gdb(struct darn_listener *listener, struct darn_player *player,
                    const struct darn_schedule *schedule, uint64_t at)
{
    char path[PATH_MAX];
    int status = 1;

    player->block->request.hold_at = at;
    (void)darn_player_follow(player, schedule, DARN_RUN_HOLD);
    if (player->how != DARN_SERVER_HELD) {
        darn_tell_note(listener, "the run has ended without coming to the snapshot");
        return status;
    }
    status = write_script(listener, path, sizeof(path));
    if (status)
        return status;
    status = run_gdb(listener, player->block->child, path);
    let_go(player->block, player->block->child);
    return status;
}
