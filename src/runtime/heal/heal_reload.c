/*
 * A signal to a healed program: the repository is read again, and the account so far is written.
 *
 * All of it happens in the handler, with signals blocked: no thread of ours is needed. What it
 * takes are locks that nobody holds with signals allowed.
 */
#include "runtime/heal/heal_reload.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>

#include "runtime/heal/cures.h"
#include "runtime/heal/gates.h"
#include "runtime/heal/heal.h"
#include "runtime/os/os.h"
#include "runtime/os/real_function.h"
#include "runtime/report/tell.h"
#include "runtime/section/rules_private.h"
#include "runtime/state.h"

static _Atomic uint32_t asked; /* signals that nobody has answered yet */
static uint32_t later;         /* what only a new start of the program heals */

static bool keep_again(void *unused, const struct darn_section *section)
{
    struct darn_cure *cure = darn_cures_find(section);

    (void)unused;
    if (!cure && darn_production[0]) /* its sites may have been left out when it was built */
        later++;
    else if (!cure)
        cure = darn_heal_adopt(section);
    if (cure)
        cure->is_kept = true;
    return true;
}

/* How many of them are healed now. */
static uint32_t choose(void)
{
    uint32_t count = 0;

    for (struct darn_cure *cure = darn_cures(); cure; cure = cure->next) {
        bool is_kept = cure->is_kept || cure->learned;

        atomic_store(&cure->given_up, !is_kept);
        if (cure->gate)
            darn_gate_drop(cure->gate, !is_kept);
        count += is_kept;
    }
    return count;
}

static void say_result(uint32_t sections, int signatures)
{
    struct darn_say say;

    darn_say_start(&say);
    darn_say_text(&say, "darn: heal: ");
    darn_say_text(&say, darn_state.options.heal);
    if (signatures < 0) {
        darn_say_text(&say, " cannot be read again: all is healed as before");
    } else {
        darn_say_text(&say, " was read again: ");
        darn_say_number(&say, sections);
        darn_say_text(&say, " by accesses and ");
        darn_say_number(&say, (uint64_t)signatures);
        darn_say_text(&say, " by calls are healed");
    }
    if (later) {
        darn_say_text(&say, "; ");
        darn_say_number(&say, later);
        darn_say_text(&say, " more when the program is built and started again");
    }
    darn_say_end(&say);
}

static void read_again(void)
{
    const char *path = darn_state.options.heal;
    uint32_t sections = 0;
    int signatures = -1, error;

    later = 0;
    darn_spin_lock(&darn_rules_lock);
    for (struct darn_cure *cure = darn_cures(); cure; cure = cure->next)
        cure->is_kept = false;
    error = darn_rules_read(path, keep_again);
    if (!error)
        sections = choose();
    darn_spin_unlock(&darn_rules_lock);
    if (!error)
        signatures = darn_gates_reload(path, &later);
    say_result(sections, signatures);
}

static void answer(int number)
{
    int saved = errno;
    uint32_t seen;

    (void)number;
    if (!darn_state.finished && atomic_fetch_add(&asked, 1) == 0) {
        do {
            seen = atomic_load(&asked);
            read_again();
            darn_heal_write_now();
        } while (!atomic_compare_exchange_strong(&asked, &seen, 0));
    }
    errno = saved;
}

void darn_heal_reload_open(void)
{
    int (*set)(int, const struct sigaction *, struct sigaction *) = darn_real("sigaction");
    struct sigaction action = {.sa_handler = answer, .sa_flags = SA_RESTART};
    int number = (int)darn_state.options.heal_signal;

    if (!number || darn_state.options.control[0])
        return;
    sigfillset(&action.sa_mask);
    if (set(number, &action, NULL))
        darn_say_line("darn: heal_signal: the system allows no handler for it");
}

void darn_heal_reload_after_fork(void)
{
    atomic_store(&asked, 0);
}
