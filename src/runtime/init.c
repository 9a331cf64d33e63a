/* The beginning and the end of watching a program. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/options_print.h"
#include "runtime/control/control.h"
#include "runtime/control/turn.h"
#include "runtime/control/vtime.h"
#include "runtime/coverage/covering.h"
#include "runtime/heal/cures.h"
#include "runtime/heal/gates.h"
#include "runtime/heal/heal.h"
#include "runtime/interpose/intercept.h"
#include "runtime/order/ends.h"
#include "runtime/order/ordering.h"
#include "runtime/order/outside.h"
#include "runtime/os/helper.h"
#include "runtime/os/log.h"
#include "runtime/os/os.h"
#include "runtime/os/os_file.h"
#include "runtime/os/secure.h"
#include "runtime/record/record_profile.h"
#include "runtime/record/record.h"
#include "runtime/report/counters.h"
#include "runtime/report/crash.h"
#include "runtime/report/deliver.h"
#include "runtime/report/found.h"
#include "runtime/report/nothing.h"
#include "runtime/report/tell.h"
#include "runtime/section/sections.h"
#include "runtime/spin/spins.h"
#include "runtime/state.h"
#include "runtime/thread/thread.h"
#include "runtime/watch/attention.h"
#include "runtime/watch/noise_inject.h"
#include "runtime/watch/sampler.h"
#include "runtime/watch/watch.h"

#define STATUS_WRONG_USAGE 2

extern volatile uint8_t darn_functions;

struct darn_state darn_state;

static _Atomic uint32_t initialized;
static _Atomic uint32_t finished;
static int program_status;
static uint64_t fork_mask;

static void write_to_log(void *unused, const char *text, size_t length)
{
    (void)unused;
    darn_os_write(darn_log(2), text, length);
}

static void read_options(void)
{
    const char *text = darn_state.secure ? NULL : getenv(DARN_OPTIONS_VARIABLE);
    char error[DARN_OPTIONS_ERROR];
    struct darn_say say;

    darn_options_default(&darn_state.options);
    if (darn_heal_path[0] && strlen(darn_heal_path) < sizeof(darn_state.options.heal))
        strcpy(darn_state.options.heal, darn_heal_path);
    if (!text || darn_options_parse(&darn_state.options, text, error, sizeof(error)) == 0)
        return;
    darn_say_start(&say);
    darn_say_text(&say, "darn: " DARN_OPTIONS_VARIABLE ": ");
    darn_say_text(&say, error);
    darn_say_end(&say);
    darn_os_exit(STATUS_WRONG_USAGE);
}

/* Whether this process is the one that `darn run` has become. */
static bool is_asked(void)
{
    const char *text = darn_state.secure ? NULL : getenv(DARN_PROCESS_VARIABLE);
    char own[16];
    struct darn_text number;

    darn_state.is_run = text;
    if (!text)
        return false;
    darn_text_start(&number, own, sizeof(own));
    darn_text_number(&number, (uint64_t)darn_state.pid);
    return strcmp(text, own) == 0;
}

static int refuse_profile(const char *path)
{
    struct darn_say say;

    darn_say_start(&say);
    darn_say_text(&say, "darn: profile=");
    darn_say_text(&say, path);
    darn_say_text(&say, ": there is no such file, or it is no profile");
    darn_say_end(&say);
    return STATUS_WRONG_USAGE;
}

static void remember_status(int status, void *unused)
{
    (void)unused;
    program_status = status;
}

/* Threads that are still alive may yet use what those have destroyed who ran before at the end. */
static void finish_last(void)
{
    darn_turn_finish(NULL);
}

void darn_ends_with(int status)
{
    program_status = status;
}

/* Our handlers come after the program's own before fork, and before them after it. */
void darn_before_fork(void)
{
    uint64_t mask = darn_os_block_signals();

    darn_order_process();
    darn_findings_before_fork();
    darn_threads_before_fork();
    darn_sections_before_fork();
    darn_heal_before_fork();
    darn_attention_before_fork();
    fork_mask = mask;
}

void darn_after_fork_in_parent(void)
{
    if (darn_turns)
        darn_control->result.processes++;
    uint64_t mask = fork_mask;

    darn_state.has_forked = true;
    darn_attention_after_fork(false);
    darn_heal_after_fork(false);
    darn_sections_after_fork(false);
    darn_threads_after_fork(false);
    darn_findings_after_fork(false);
    darn_os_restore_signals(mask);
}

void darn_after_fork_in_child(void)
{
    darn_state.pid = darn_os_process_id();
    darn_state.is_asked = false;
    darn_counters_clear();
    darn_watch_after_fork();
    darn_spins_after_fork();
    darn_order_after_fork();
    darn_record_after_fork();
    darn_profile_after_fork();
    darn_sampler_after_fork();
    darn_heal_after_fork(true);
    darn_sections_after_fork(true);
    darn_attention_after_fork(true);
    if (darn_turns)
        darn_turn_after_fork();
    if (darn_state.mode != DARN_MODE_WATCH && darn_state.mode != DARN_MODE_HEAL)
        darn_attention_off(); /* the trace or profile is that of the parent */
    darn_threads_after_fork(true);
    darn_findings_after_fork(true);
    darn_os_restore_signals(fork_mask);
}

/* What was built to be healed has neither the hooks nor the interceptors for anything else, and no
 * room for it in its armed bytes (site/armed.h). */
static int check_production(struct darn_options *options)
{
    if (!darn_production[0])
        return 0;
    if (!options->heal[0] && (getenv(DARN_OPTIONS_VARIABLE) || darn_state.is_asked))
        darn_say_line(
            "darn: this program was built with darn cc --only: nothing is looked for, and "
            "without heal=FILE nothing is healed");
    if (options->trace[0] || options->learn[0] || options->control[0] || options->heal_learn[0]) {
        darn_say_line(
            "darn: this program was built with darn cc --only, to be healed: build it without "
            "--only for everything else");
        return STATUS_WRONG_USAGE;
    }
    options->profile[0] = options->sections[0] = '\0';
    return 0;
}

/* Who may not touch a file of the options is another user than who has chosen them, as a program is
 * that a server starts as nobody: it has been told, and goes on. A wrong name ends the program. */
static int unless_denied(int status, const char *path)
{
    return status && darn_file_is_denied(path) ? 0 : status;
}

static int load_profile(const char *path)
{
    return path[0] && darn_profile_load(path) ? refuse_profile(path) : 0;
}

static void set_mode(void)
{
    struct darn_options *options = &darn_state.options;
    int status = check_production(options);

    if (!status)
        status = unless_denied(load_profile(options->profile), options->profile);
    if (!status)
        status = unless_denied(darn_record_open(), options->trace);
    if (!status)
        status = unless_denied(darn_sections_open(), options->sections);
    if (!status)
        status = unless_denied(darn_heal_open(), options->heal);
    if (!status)
        status = unless_denied(darn_coverage_open(), options->coverage);
    if (!status && options->control[0])
        status = darn_control_open(options->control);
    if (status)
        darn_os_exit(status);
    if (options
            ->trace[0]) /* also in a program that this one has started, and which is not recorded */
        darn_state.mode = DARN_MODE_RECORD;
    else if (options->learn[0])
        darn_state.mode = DARN_MODE_LEARN;
    else if (options->control[0])
        darn_state.mode = DARN_MODE_CONTROL;
    else if (darn_production[0] || (options->heal[0] && !options->heal_learn[0]))
        darn_state.mode = DARN_MODE_HEAL;
    darn_state.quiet = darn_production[0] && !darn_gates_of_locks;
}

static void raise_attention(void)
{
    bool records = darn_recording && darn_state.mode == DARN_MODE_RECORD &&
                   darn_state.options.trace_what != DARN_TRACE_SYNC;

    if (darn_noise_is_at_sites() && darn_state.mode != DARN_MODE_HEAL)
        darn_attention_always();
    else if (darn_state.mode == DARN_MODE_LEARN || records || darn_cures())
        darn_attention_keep();
    darn_functions = records;
}

/*
 * Asked before the first system call of ours: a program that is healed by nothing makes its own
 * calls and no others, for a filter may allow no others. One with rights that its caller has not
 * (set-user-ID, file capabilities) is healed by what its build has named, if nobody but root can
 * change that, and is left alone otherwise.
 */
static bool has_nothing_to_do(void)
{
    if (darn_state.secure)
        return !darn_production[0] || !darn_heal_path[0] || !darn_secure_is_roots(darn_heal_path);
    return darn_production[0] && !darn_heal_path[0] && !getenv(DARN_OPTIONS_VARIABLE) &&
           !getenv(DARN_PROCESS_VARIABLE);
}

/*
 * What the caller of a set-user-ID program has asked for would reach the programs that this one
 * starts. If it has become its owner by then (real user = effective user), they are no such
 * programs and would believe it. The loader removes its own variables for the same reason.
 */
static void forget_wishes(void)
{
    unsetenv(DARN_OPTIONS_VARIABLE);
    unsetenv(DARN_COMMAND_VARIABLE);
    unsetenv(DARN_PROCESS_VARIABLE);
}

/* What the program calls goes straight to libc, where that can be had; the rest finds that nothing
 * is ready. */
static void stay_out(void)
{
    darn_state.inert = true;
    darn_intercept_bypass();
}

void darn_init(void)
{
    if (atomic_exchange(&initialized, 1))
        return;
    darn_intercept_resolve();
    darn_state.secure = darn_secure_process();
    if (darn_state.secure)
        forget_wishes();
    if (has_nothing_to_do()) {
        stay_out();
        return;
    }
    darn_outside_open();
    darn_state.pid = darn_os_process_id();
    darn_log_keep(2);
    darn_time_init();
    darn_helper_init();
    read_options();
    darn_state.is_asked = is_asked();
    if (strcmp(darn_state.options.log_path, "stdout") == 0)
        darn_log_keep(1);
    if (darn_state.options.help)
        darn_options_help(darn_run_options, DARN_STYLE_VARIABLE, write_to_log, NULL);
    darn_state.seed = darn_state.options.seed
                          ? darn_state.options.seed
                          : darn_os_now() ^ (uint64_t)darn_os_process_id() << 32;
    set_mode();
    if (darn_production[0] && !darn_healing) {
        stay_out();
        return;
    }
    darn_lock_stacks = !darn_state.preloaded && darn_state.mode != DARN_MODE_HEAL &&
                       (darn_state.options.json[0] || darn_state.options.sarif[0] ||
                        darn_state.mode == DARN_MODE_CONTROL);
    darn_state.ready = true;
    if (!darn_gates_of_ends)
        darn_ends_simply();
    if (darn_thread_self() && darn_healing && darn_state.quiet)
        darn_locks_simply();
    else
        darn_locks_watched();
    pthread_atfork(darn_before_fork, darn_after_fork_in_parent, darn_after_fork_in_child);
    on_exit(remember_status, NULL);
    if (darn_state.mode == DARN_MODE_CONTROL)
        at_quick_exit(finish_last); /* the first one comes last */
    raise_attention();
    if (darn_state.is_run && darn_state.mode == DARN_MODE_WATCH)
        darn_crash_watch();
    if (darn_deliver_check())
        darn_os_exit(STATUS_WRONG_USAGE);
}

static void say_counters(void)
{
    for (int i = 0; i < DARN_COUNT_END; i++) {
        uint64_t value = darn_counter_value((enum darn_counter)i);
        struct darn_say say;

        if (!value ||
            (!darn_state.options.verbosity && !darn_counter_is_loss((enum darn_counter)i)))
            continue;
        darn_say_start(&say);
        darn_say_text(&say, "darn: ");
        darn_say_number(&say, value);
        darn_say_text(&say, " ");
        darn_say_text(&say, darn_counter_text((enum darn_counter)i));
        darn_say_end(&say);
    }
}

int darn_exit_status(int status)
{
    return status == 0 && darn_findings_reported() ? (int)darn_state.options.exitcode : status;
}

static void keep_learned(void)
{
    int result;

    if (!darn_state.ready || darn_state.mode != DARN_MODE_LEARN ||
        darn_os_process_id() != darn_state.pid)
        return;
    result = darn_profile_write(darn_state.options.learn);
    if (result < 0)
        darn_say_failed("darn: learn: the profile cannot be written", result);
    else if (result)
        darn_say_line("darn: learn: what is in the file is no profile");
}

void darn_before_exec(void)
{
    keep_learned();
    if (darn_state.ready && darn_heal_is_open && darn_os_process_id() == darn_state.pid)
        darn_heal_keep();
}

/* Asked before the first system call: where there are none, a filter need not allow any. */
static bool has_last_words(void)
{
    return darn_state.ready &&
           (darn_state.mode != DARN_MODE_WATCH || darn_state.options.detect_deadlocks ||
            darn_sections || darn_heal_is_open || darn_state.options.verbosity ||
            darn_counters_any_loss() || darn_findings_any() || darn_state.is_asked);
}

int darn_finish(int status)
{
    const struct darn_known_finding *findings;
    uint32_t count;
    uint64_t mask;

    if (!has_last_words() || darn_os_process_id() != darn_state.pid ||
        atomic_exchange(&finished, 1))
        return status;
    if (darn_state.mode == DARN_MODE_CONTROL)
        return status;
    mask = darn_os_block_signals();
    darn_state.finished = true;
    darn_attention_off();
    darn_record_finish();
    keep_learned();
    darn_findings_undefer();
    if (darn_sections)
        darn_sections_finish();
    if (darn_heal_is_open)
        darn_heal_finish();
    say_counters();
    findings = darn_findings_lock(&count);
    if (findings && darn_findings_seen())
        darn_deliver_summary(findings, count);
    else if (findings && !darn_findings_reported())
        darn_nothing_say();
    if (findings)
        darn_findings_unlock();
    darn_os_restore_signals(mask);
    return darn_exit_status(status);
}

/* First of all constructors, and so last of all destructors: what the program's own do is watched.
 */
__attribute__((constructor(101))) static void start(void)
{
    darn_init();
}

__attribute__((destructor(101))) static void end(void)
{
    int status;

    finish_last();
    status = darn_finish(program_status);
    if (darn_state.mode == DARN_MODE_WATCH)
        darn_state.finished = true; /* also if there was nothing to say */
    /* The finding came while the program was already exiting; else exit() has changed the status
     * (intercept_process.c). The destructors of shared objects do not run then. */
    if (status != program_status) {
        fflush(NULL);
        darn_os_exit(status);
    }
}
