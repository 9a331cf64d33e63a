#include "driver/play/replay_gdb.h"

#include <errno.h>
#include <inttypes.h>
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
    "class DarnPrefix(gdb.Command):\n"
    "    __doc__ = 'The schedule that is replayed: darn steps, darn next, darn back, darn to "
    "STEP.'\n"
    "    def __init__(self):\n"
    "        super().__init__('darn', gdb.COMMAND_RUNNING, prefix=True)\n"
    "class DarnSteps(gdb.Command):\n"
    "    __doc__ = 'The story of the schedule, and where the program is held.'\n"
    "    def __init__(self):\n"
    "        super().__init__('darn steps', gdb.COMMAND_STATUS)\n"
    "    def invoke(self, argument, from_tty):\n"
    "        with open(darn_story, errors='replace') as story:\n"
    "            print(story.read(), end='')\n"
    "        print('the program is held before step %d' % darn_step)\n"
    "class DarnTo(gdb.Command):\n"
    "    def __init__(self, name, text, target):\n"
    "        self.__doc__, self.target = text, target\n"
    "        super().__init__('darn ' + name, gdb.COMMAND_RUNNING)\n"
    "    def invoke(self, argument, from_tty):\n"
    "        step = self.target(int(gdb.parse_and_eval(argument)) if argument else None)\n"
    "        if step is None or step < 0 or step > darn_last:\n"
    "            raise gdb.GdbError('there is no such step: darn steps shows them')\n"
    "        with open(darn_wish, 'w') as wish:\n"
    "            wish.write('%d\\n' % step)\n"
    "        gdb.execute('kill')\n"
    "        gdb.execute('quit')\n"
    "DarnPrefix()\n"
    "DarnSteps()\n"
    "DarnTo('back', 'Replay up to the step before, or N steps back: darn back [N].',\n"
    "       lambda n: darn_step - (1 if n is None else n))\n"
    "DarnTo('next', 'Replay up to the next step, or N steps on: darn next [N].',\n"
    "       lambda n: darn_step + (1 if n is None else n))\n"
    "DarnTo('to', 'Replay up to a step: darn to STEP.', lambda n: n)\n"
    "end\n"
    "set variable *(int *)&darn_capture_held = 0\n";

/* One gdb after the other: `darn back` replays up to another step, and a new gdb looks at that. */
struct session {
    char script[PATH_MAX], wish[PATH_MAX]; /* wish: the step that the user wants to see next */
    const char *story;
    uint64_t step, last; /* that the program is held before; of the schedule */
};

int darn_replay_gdb_check(struct darn_listener *listener)
{
    char path[PATH_MAX];

    if (darn_find_program("gdb", path, sizeof(path)))
        return darn_tell_refusal(listener, "--gdb needs gdb, which was not found in PATH");
    return 0;
}

/* As Python writes it: whatever the name of a directory is. */
static void put_path(FILE *file, const char *name, const char *path)
{
    fprintf(file, "python %s = bytes([", name);
    for (const unsigned char *at = (const unsigned char *)path; *at; at++)
        fprintf(file, "%u,", *at);
    fputs("])\n", file);
}

/* 0 or DARN_REFUSED. */
static int write_script(struct darn_listener *listener, const struct session *session)
{
    const char *path = session->script;
    FILE *file = fopen(path, "we");

    if (!file)
        return darn_tell_refusal(listener, "%s cannot be written: %s", path, strerror(errno));
    put_path(file, "darn_story", session->story);
    put_path(file, "darn_wish", session->wish);
    fprintf(file, "python darn_step, darn_last = %" PRIu64 ", %" PRIu64 "\n", session->step,
            session->last);
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

/* Lets the program go on, wherever else it would be held, and waits for its end: not for ever. */
static void let_go(struct darn_control_block *block, pid_t child)
{
    __atomic_fetch_and(&block->request.flags, ~(uint32_t)DARN_RUN_HOLD, __ATOMIC_RELEASE);
    for (unsigned waited = 0; waited < GRACE_US && block->child == child; waited += LOOK_US) {
        kill(child, SIGCONT);
        usleep(LOOK_US);
    }
}

/* Whether another step is wished for. */
static bool take_wish(struct session *session)
{
    FILE *file = fopen(session->wish, "re");
    bool wished = file && fscanf(file, "%" SCNu64, &session->step) == 1;

    if (file)
        fclose(file);
    unlink(session->wish);
    return wished;
}

/* The exit status of gdb, or DARN_REFUSED. */
static int look_at(struct darn_listener *listener, struct darn_player *player,
                   struct session *session)
{
    pid_t child = player->block->child; /* is over when gdb is, perhaps */
    int status;

    if (session->step == UINT64_MAX)
        session->step = player->block->progress;
    status = write_script(listener, session);
    if (status)
        return status;
    status = run_gdb(listener, child, session->script);
    let_go(player->block, child);
    return status;
}

int darn_replay_gdb(struct darn_listener *listener, struct darn_player *player,
                    const struct darn_kept *kept, uint64_t at)
{
    struct session session = {.step = at, .last = kept->schedule->step_count};
    char story[PATH_MAX + 16];
    int status = darn_private_file(listener, "gdb", session.script, sizeof(session.script));

    if (!status)
        status = darn_private_file(listener, "step", session.wish, sizeof(session.wish));
    snprintf(story, sizeof(story), "%s/story.txt", kept->directory);
    session.story = story;
    while (!status) {
        player->block->request.hold_at = session.step;
        (void)darn_player_follow(player, kept->schedule, DARN_RUN_HOLD);
        if (player->how != DARN_SERVER_HELD) {
            darn_tell_note(listener, "the run has ended without coming to the step");
            return 1;
        }
        status = look_at(listener, player, &session);
        if (!take_wish(&session))
            break;
        status = 0;
    }
    return status;
}
