/*
 * The control block: memory that a darn command and the program under test share, one for each job.
 *
 * The command makes the file, maps it and starts the program with DARN_OPTIONS=control=FILE and
 * without address randomization. Just before main the runtime maps the file, too, and becomes a
 * fork server: it waits for `command` to change, forks, and the child is one controlled run; when
 * that has ended, it fills in the result and sets `done` to the number of the command. Both words
 * are futexes (not private ones: two processes).
 *
 * The file is sparse: the tables are as large as they may get, and only what is used takes memory.
 * Addresses are those of the program; as nothing is randomized they are the same in all runs.
 */
#ifndef DARN_SCHEDULE_BLOCK_H
#define DARN_SCHEDULE_BLOCK_H

#include <assert.h>
#include <signal.h>
#include <stdint.h>

#include "schedule/strategy.h"

#define DARN_CONTROL_MAGIC   UINT64_C(0x316b636f6c426e64) /* "dnBlock1" */
#define DARN_CONTROL_VERSION 5

#define DARN_BLOCK_STEPS    (1u << 20)
#define DARN_BLOCK_SWITCHES 65536
#define DARN_BLOCK_SITES    (1u << 20)
#define DARN_BLOCK_READS    4096
#define DARN_BLOCK_MODULES  128
#define DARN_BLOCK_STACK    16
#define DARN_BLOCK_THREADS  64 /* threads that are described in a result */
#define DARN_BLOCK_INPUTS   (1u << 22)
#define DARN_BLOCK_MET      16

/* One step: the thread was chosen, did `op` and ran up to its next scheduling point. */
struct darn_step {
    uint32_t thread;
    uint8_t op; /* enum darn_step_op */
    uint8_t flags;
    uint16_t slot;
    uint64_t object;
    uint64_t place;
    uint64_t enabled; /* bit i: a thread whose slot is i (modulo 64) could have gone on */
};

static_assert(sizeof(struct darn_step) == 32, "two programs share it");

enum darn_step_flag {
    DARN_STEP_PREEMPTS = 1 << 0, /* the thread that ran before could have gone on */
    DARN_STEP_ALONE = 1 << 1,    /* there was nothing to choose */
    DARN_STEP_TIMED_OUT = 1 << 2,
    DARN_STEP_FORCED = 1 << 3, /* the thread was interrupted where it computed (busy.h) */
};

/* Sent to a run that takes too long: it fills in `threads`, and ends. */
#define DARN_SIGNAL_TELL SIGXCPU

enum darn_block_command {
    DARN_COMMAND_RUN = 1, /* fork a controlled run */
    DARN_COMMAND_QUIT,
};

enum darn_run_flag {
    DARN_RUN_LEARN = 1 << 0, /* find out which sites share memory: sets DARN_SITE_IS_SHARED */
    DARN_RUN_RACES = 1 << 1, /* every two threads that are about to race are a finding (met[]) */
    DARN_RUN_STOP = 1 << 2,  /* end the run at the first finding: status DARN_END_MET */
    DARN_RUN_HOLD = 1 << 3,  /* for a debugger: stop (SIGSTOP) the whole process at step `hold_at`
                                or where the run fails */
    DARN_RUN_SPIN = 1 << 5,  /* for measuring: spins are not recognised */
    DARN_RUN_FEED = 1 << 6,  /* inputs[] are fed back, not recorded */
    DARN_RUN_EARLY = 1 << 8, /* a wait may time out although others can go on */
    DARN_RUN_COVERAGE = 1 << 7, /* fill in reads[] and partial_order */
    DARN_RUN_PROVE = 1 << 9,    /* from step `fair_from` on every thread gets its turn, and a state
                                   that comes again ends the run: DARN_END_LIVELOCK */
    DARN_RUN_SPIN_RACES = 1 << 10, /* RACES: the read of a loop that only waits counts, too */
};

/* What the command asks for; the server reads it at the start of a run. */
struct darn_request {
    uint32_t flags;         /* enum darn_run_flag */
    uint32_t armed_version; /* changed: the server arms the sites that `sites` says */
    uint64_t max_steps;     /* 0: no limit */
    uint64_t time;          /* where virtual time starts, in nanoseconds; 0: now */
    uint64_t hold_at;
    uint64_t fair_from; /* PROVE */
    uint64_t after_met; /* so many steps may follow when threads have met; 0: no limit */
    uint32_t visits[2]; /* RACE, TRIPLE, QUAD: how often a run comes to FIRST, and to the others, at
                           most: what is not met then will not be, DARN_END_VAIN; 0: nobody knows */
    struct darn_plan plan;
};

enum darn_end {
    DARN_END_NONE,     /* it has not ended, or nobody knows how */
    DARN_END_EXIT,     /* `status` is what wait() says */
    DARN_END_DEADLOCK, /* nobody can go on: `threads` tell why */
    DARN_END_STEPS,    /* max_steps were made */
    DARN_END_DIVERGED, /* FOLLOW: step number `diverged` was not enabled */
    DARN_END_MET,      /* what was looked for was met, and DARN_RUN_STOP */
    DARN_END_THREADS,  /* more than DARN_SLOTS threads */
    DARN_END_LIVELOCK, /* the same state came again, with every thread given its turn */
    DARN_END_VAIN,     /* the places that were aimed at are past, and nothing was met */
};

/* Why a thread does not go on. */
enum darn_thread_state {
    DARN_STATE_NONE,
    DARN_STATE_READY, /* at a scheduling point, it could go on */
    DARN_STATE_RUNNING,
    DARN_STATE_BLOCKED, /* its step is not enabled yet */
    DARN_STATE_ASLEEP,
    DARN_STATE_OUTSIDE, /* in a call that darn does not know, or that waits for the outside */
    DARN_STATE_ENDED,
};

#define DARN_BLOCK_CALLERS 3

/* A thread at the end of a run that failed, or one side of something that was met. */
struct darn_block_thread {
    uint32_t thread;
    uint8_t state; /* enum darn_thread_state */
    uint8_t op;    /* enum darn_step_op: what it is about to do */
    uint8_t depth; /* of the stack */
    uint8_t atomic;
    uint8_t what; /* enum darn_event_object: what a call uses or ends; 0: as the step says */
    uint32_t size;
    uint32_t owner; /* of the object, if that is a lock: the thread + 1; of a join: the other + 1 */
    uint64_t object, place, mutex;
    uint32_t lock_count, syscall; /* OUTSIDE: the number of the system call + 1 */
    uint64_t locks[8];
    uint64_t lock_pcs[8];                         /* where they were taken, */
    uint64_t lock_callers[8][DARN_BLOCK_CALLERS]; /* and the calls around that; 0: no more */
    uint64_t stack[DARN_BLOCK_STACK];             /* program counters, the innermost first */
};

/* Two threads met: a race, a triple or a quad. */
struct darn_block_met {
    uint32_t kind;  /* enum darn_met_kind */
    uint32_t first; /* which of the two went first: 0 or 1 */
    uint64_t step;
    /* Of a triple: its end, the remote access, its entry. Of a quad: the last access, and back to
     * the first. */
    struct darn_block_thread threads[4];
};

/* Which write a read has seen, both as places; write 0: the initial state. */
struct darn_block_read {
    uint64_t read, write;
};

struct darn_result {
    uint32_t end;    /* enum darn_end */
    int32_t status;  /* as of wait() */
    uint32_t signal; /* a deadly signal struck this thread: */
    uint32_t signal_thread;
    uint64_t steps; /* that were made; those beyond DARN_BLOCK_STEPS are not in the table */
    uint64_t preemptions;
    uint64_t choices;       /* steps with more than one choice */
    uint64_t time;          /* where virtual time started */
    uint64_t partial_order; /* the same for runs that differ in the order of steps that commute */
    uint64_t diverged;      /* the number of the step that was not enabled; for a human: */
    uint32_t thread_count;  /* in threads[] */
    uint32_t threads_made;  /* in the whole run */
    uint32_t read_count, met_count;
    uint32_t processes;    /* that the program has started: they run uncontrolled */
    uint32_t input_length; /* bytes of inputs[] that were recorded */
    uint32_t unrecorded;   /* inputs that were not recorded (see enum darn_input) as bits */
    uint32_t stuck;        /* how often a thread held the turn in a system call and was passed by */
    uint32_t new_shared;   /* LEARN: sites that were not known to be shared before */
    uint32_t stuck_call;   /* the number of the last such call + 1, */
    uint32_t stuck_thread; /* and the thread */
    uint32_t pending;      /* the process has ended while others could go on: behind steps[] are so
                              many more, which they would have made next */
    uint32_t looked_at;    /* LEARN: accesses */
    uint32_t visits[2];    /* RACE, TRIPLE, QUAD: as in the request, of this run */
    uint32_t used;         /* microseconds of the processor; 0 if the run had no server */
    uint64_t signal_pc;
    struct darn_block_thread threads[DARN_BLOCK_THREADS];
    struct darn_block_met met[DARN_BLOCK_MET];
    uint32_t steps_of[DARN_SLOTS]; /* of the threads in each slot */
};

/* Inputs that differ from run to run. */
enum darn_input {
    DARN_INPUT_RANDOM, /* getrandom, getentropy, arc4random, and reads of a random device */
    DARN_INPUT_PID,
    DARN_INPUT_SOCKET, /* only named, in `unrecorded` */
    DARN_INPUT_DEVICE,
    DARN_INPUTS,
};

enum darn_site_state {
    DARN_SITE_IS_ARMED = 1 << 0,  /* set by the command: each access is a scheduling point */
    DARN_SITE_IS_SHARED = 1 << 1, /* set by a LEARN run */
    DARN_SITE_IS_RUN = 1 << 2,    /* set by a LEARN run: it was executed */
};

struct darn_block_module {
    uint64_t base, size; /* base: what is added to the addresses of the ELF file */
    char path[240];
};

struct darn_control_block {
    uint64_t magic;
    uint32_t version, size_of_block;
    /* From the command. */
    volatile uint32_t command; /* changes with each command; a futex */
    uint32_t what;             /* enum darn_block_command */
    int32_t cpu;               /* to which the job is pinned; -1: none */
    int32_t out_fd, in_fd;     /* in the server: files that each run starts anew as its standard
                                  output and error, and its standard input; -1: leave them */
    uint32_t reserved;
    struct darn_request request;
    /* From the server. */
    volatile uint32_t ready;        /* it waits for commands; a futex */
    volatile uint32_t done;         /* the last command that was carried out; a futex */
    volatile int32_t server, child; /* process ids; child 0: none runs */
    volatile uint32_t refused;      /* enum darn_refusal */
    uint32_t site_count, module_count;
    struct darn_block_module modules[DARN_BLOCK_MODULES];
    volatile uint32_t client; /* somebody is to come beside the program, or has not yet gone */
    /* From the run. */
    volatile uint32_t idle;     /* everybody has waited for the outside */
    volatile uint32_t busy;     /* a run of this server had a thread that came to no step (busy.h):
                                   others look for one sooner */
    volatile uint64_t progress; /* steps so far */
    struct darn_result result;
    struct darn_block_read reads[DARN_BLOCK_READS];
    char inputs[DARN_BLOCK_INPUTS];
    uint8_t sites[DARN_BLOCK_SITES];        /* enum darn_site_state, by the number of the site */
    uint64_t site_places[DARN_BLOCK_SITES]; /* the address of its record */
    struct darn_switch switches[DARN_BLOCK_SWITCHES]; /* of SCRIPT */
    struct darn_step follow[DARN_BLOCK_STEPS];        /* of FOLLOW */
    struct darn_step steps[DARN_BLOCK_STEPS];         /* that were made */
};

/* Why the runtime does not serve. */
enum darn_refusal {
    DARN_REFUSED_NOT,
    DARN_REFUSED_VERSION, /* the program was linked with another version of darn */
    DARN_REFUSED_THREADS, /* the program starts threads before main: the command starts it anew for
                             each run, and it runs at once */
};

#endif
