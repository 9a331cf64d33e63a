/* The explanation of a finding, as text. */
#include <inttypes.h>
#include <string.h>

#include "report/explain/explain_private.h"
#include "report/text/phrase.h"

/* The deeds of one part and step, one in a line. True when there are any. */
static bool say_deeds(const struct darn_explain_printer *printer, enum darn_deed_part part,
                      uint32_t of, bool names_thread)
{
    const struct darn_witness *witness = printer->job->witness;
    bool any = false;

    for (size_t i = 0; i < witness->count; i++) {
        const struct darn_deed *deed = &witness->deeds[i];
        struct darn_finding *carrier;
        struct darn_page page;

        if (deed->part != part || deed->of != of)
            continue;
        carrier = darn_explain_carry(printer, &deed->step, 1);
        page = darn_explain_page(printer, carrier);
        darn_say(&page.ink, "    ");
        if (names_thread) {
            darn_phrase_thread(&page.ink, carrier, carrier->accesses[0].thread);
            darn_say(&page.ink, " ");
        }
        darn_explain_event(&page, &carrier->accesses[0], deed->step.event.kind);
        if (part == DARN_DEED_USE) {
            darn_say(&page.ink, ", ");
            darn_phrase_locks(&page.ink, carrier, &carrier->accesses[0]);
            if (deed->count > 1)
                darn_say(&page.ink, ", %" PRIu64 " times", deed->count);
        }
        darn_say(&page.ink, "\n");
        darn_finding_free(carrier);
        any = true;
    }
    return any;
}

static void say_left_out(const struct darn_explain_printer *printer, enum darn_deed_part part)
{
    if (printer->job->witness->left_out[part])
        fprintf(printer->out, "    ... and %" PRIu64 " more\n",
                printer->job->witness->left_out[part]);
}

/* ` in vector_copy, which began at vector.c:30`, on a line of its own. */
static void say_unit(const struct darn_explain_printer *printer, struct darn_page *page,
                     uint32_t step)
{
    const struct darn_event *begin = &printer->job->witness->units[step];
    const struct darn_trace_site *site =
        darn_trace_site(printer->job->trace, printer->prediction->steps[step].unit);
    const char *name =
        begin->kind == DARN_EVENT_BEGIN ? darn_trace_target_name(printer->job->trace, begin) : NULL;

    if (!site)
        return;
    if (!name)
        name = site->function;
    darn_say(&page->ink, "       in the transaction %s%s", name ? name : "that",
             site->line ? name ? ", which begins at " : " begins at " : "");
    if (site->line)
        darn_phrase_position(&page->ink, page->style, site->file ? site->file : printer->job->path,
                             site->line, 0);
    darn_say(&page->ink, "\n");
}

static const char *meaning_of(enum darn_prediction_kind kind)
{
    switch (kind) {
    case DARN_PREDICTS_RACE:
        return "accesses that may come at the same time";
    case DARN_PREDICTS_DEADLOCK:
        return "what each takes, the next one holds, and the first one what the last takes";
    case DARN_PREDICTS_ATOMICITY:
        return "in the order that no order of whole transactions has";
    case DARN_PREDICTS_VIEWS:
        return "what one thread handles together, and the other one by one";
    case DARN_PREDICTS_IRREDUCIBLE:
        return "of one transaction: another thread may come between them";
    default:
        return "what goes wrong";
    }
}

static void say_steps(const struct darn_explain_printer *printer)
{
    const struct darn_finding *steps = printer->steps;
    struct darn_page page = darn_explain_page(printer, steps);

    darn_page_label(&page, "steps:");
    darn_say(&page.ink, "%s\n", meaning_of(printer->prediction->kind));
    for (uint32_t i = 0; i < steps->access_count; i++) {
        const struct darn_finding_access *access = &steps->accesses[i];

        darn_say(&page.ink, "    %u. ", i + 1);
        darn_phrase_thread(&page.ink, steps, access->thread);
        darn_say(&page.ink, " ");
        darn_explain_event(&page, access, printer->prediction->steps[i].event.kind);
        darn_say(&page.ink, ", ");
        darn_explain_locks(&page, access);
        darn_say(&page.ink, "\n");
        say_unit(printer, &page, i);
        darn_page_stack(&page, &access->stack);
    }
}

/* `1, 3, 2`: as the events stand in the trace. */
static void say_this_run(const struct darn_explain_printer *printer)
{
    const struct darn_witness *witness = printer->job->witness;
    struct darn_page page = darn_explain_page(printer, printer->steps);
    uint64_t last = 0;
    uint32_t told = 0;

    darn_page_label(&page, "this run:");
    while (true) {
        uint64_t next = UINT64_MAX;

        for (uint32_t i = 0; i < printer->prediction->step_count; i++)
            if (witness->at[i] > last && witness->at[i] < next)
                next = witness->at[i];
        if (next == UINT64_MAX)
            break;
        for (uint32_t i = 0; i < printer->prediction->step_count; i++)
            if (witness->at[i] == next)
                darn_say(&page.ink, "%s%u (event %" PRIu64 ")", told++ ? ", " : "", i + 1, next);
        last = next;
    }
    darn_say(&page.ink, "%s\n", told ? "" : "the steps were not found in the trace again");
}

static bool holds(const struct darn_finding_access *access, uint64_t lock)
{
    for (size_t i = 0; i < access->lock_count; i++)
        if (access->locks[i].address == lock)
            return true;
    return false;
}

/* Whether the thread of the step gives the lock back before its next step. */
static bool gives_back(const struct darn_explain_printer *printer, uint32_t step, uint64_t lock)
{
    const struct darn_witness *witness = printer->job->witness;

    for (size_t i = 0; i < witness->count; i++)
        if (witness->deeds[i].part == DARN_DEED_BETWEEN && witness->deeds[i].of == step &&
            witness->deeds[i].step.event.kind == DARN_EVENT_RELEASE &&
            witness->deeds[i].step.event.target == lock)
            return true;
    return false;
}

/* `held at 1 and 3, not at 2` */
static void say_where_held(struct darn_page *page, uint64_t lock)
{
    const struct darn_finding *steps = page->finding;

    for (int held = 1; held >= 0; held--) {
        uint32_t count = 0;

        for (uint32_t i = 0; i < steps->access_count; i++) {
            if (holds(&steps->accesses[i], lock) != held)
                continue;
            darn_say(&page->ink, "%s%u",
                     count++ ? ", "
                     : held  ? " is held at "
                             : "; not at ",
                     i + 1);
        }
    }
}

/* `; T1 gives it back between 1 and 3` */
static void say_given_back(const struct darn_explain_printer *printer, struct darn_page *page,
                           uint64_t lock)
{
    const struct darn_finding *steps = printer->steps;

    for (uint32_t i = 1; i < steps->access_count; i++) {
        uint32_t earlier = darn_witness_earlier(printer->prediction, i);

        if (earlier != i && holds(&steps->accesses[earlier], lock) &&
            gives_back(printer, earlier, lock))
            darn_say(&page->ink, "; %s gives it back between %u and %u",
                     darn_phrase_short(steps->accesses[i].thread), earlier + 1, i + 1);
    }
}

/* Each lock that is held somewhere: where it is missing, or given back too early. */
static void say_missing(const struct darn_explain_printer *printer)
{
    const struct darn_finding *steps = printer->steps;
    struct darn_page page = darn_explain_page(printer, steps);
    bool any = false;

    darn_page_label(&page, "locks:");
    darn_say(&page.ink, "where they are held\n");
    for (uint32_t i = 0; i < steps->access_count; i++) {
        for (size_t j = 0; j < steps->accesses[i].lock_count; j++) {
            const struct darn_lock *lock = &steps->accesses[i].locks[j];
            bool is_told = false;

            for (uint32_t k = 0; k < i; k++)
                is_told |= holds(&steps->accesses[k], lock->address);
            if (is_told)
                continue;
            darn_say(&page.ink, "    ");
            darn_phrase_lock(&page.ink, steps, lock);
            say_where_held(&page, lock->address);
            say_given_back(printer, &page, lock->address);
            darn_say(&page.ink, "\n");
            any = true;
        }
    }
    if (!any)
        darn_say(&page.ink, "    none is held at any step\n");
}

static void say_between(const struct darn_explain_printer *printer)
{
    const struct darn_finding *steps = printer->steps;
    struct darn_page page = darn_explain_page(printer, steps);

    for (uint32_t i = 1; i < steps->access_count; i++) {
        uint32_t earlier = darn_witness_earlier(printer->prediction, i);

        if (earlier == i)
            continue;
        darn_page_label(&page, "between:");
        darn_say(&page.ink, "what %s did after %u and before %u\n",
                 darn_phrase_short(steps->accesses[i].thread), earlier + 1, i + 1);
        if (!say_deeds(printer, DARN_DEED_BETWEEN, earlier, false))
            darn_say(&page.ink, "    no synchronization\n");
        say_left_out(printer, DARN_DEED_BETWEEN);
    }
}

/* Of a race: what could have been an edge from one to the other. */
static void say_around(const struct darn_explain_printer *printer)
{
    const struct darn_finding *steps = printer->steps;
    struct darn_page page = darn_explain_page(printer, steps);

    if (printer->prediction->kind != DARN_PREDICTS_RACE)
        return;
    for (uint32_t i = 0; i < steps->access_count; i++) {
        const char *thread = darn_phrase_short(steps->accesses[i].thread);

        darn_page_label(&page, "around:");
        darn_say(&page.ink, "what %s did last before %u\n", thread, i + 1);
        if (!say_deeds(printer, DARN_DEED_BEFORE, i, false))
            darn_say(&page.ink, "    no synchronization\n");
        darn_page_label(&page, "around:");
        darn_say(&page.ink, "what %s did first after %u\n", thread, i + 1);
        if (!say_deeds(printer, DARN_DEED_AFTER, i, false))
            darn_say(&page.ink, "    no synchronization\n");
    }
}

/* What an engine takes for an order that every schedule keeps. */
static const char *order_of(const char *engine)
{
    static const char *const orders[][2] = {
        {"hb", "starts, joins, locks, barriers, signals, semaphores, messages and atomic accesses"},
        {"syncp",
         "starts, joins, barriers, signals, semaphores, messages, atomic accesses and values "
         "that were read; of locks, that sections which both happen keep their order"},
        {"hybrid",
         "starts, joins, barriers, signals, semaphores, messages and atomic accesses; not locks"},
        {"eraser", "nothing: it goes by locks alone"},
        {"eraser+", "joins"},
        {"reduction-online", "nothing"},
        {"serial", "that two accesses conflict, and came in this order in this run; not locks"},
        {"notify", NULL},
    };

    for (size_t i = 0; i < sizeof(orders) / sizeof(orders[0]); i++)
        if (strcmp(orders[i][0], engine) == 0)
            return orders[i][1];
    return "starts, joins and barriers; not locks";
}

static void say_pair(const struct darn_explain_printer *printer, struct darn_page *page, uint32_t a,
                     uint32_t b)
{
    const struct darn_witness *witness = printer->job->witness;
    uint32_t first = witness->at[a] <= witness->at[b] ? a : b, second = first == a ? b : a;

    darn_say(&page->ink, "    %u and %u: ", a + 1, b + 1);
    if (!witness->at[a] || !witness->at[b])
        darn_say(&page->ink, "not known\n");
    else if (witness->must[first][second])
        darn_say(&page->ink, "a start, join or barrier puts %u before %u\n", first + 1, second + 1);
    else if (witness->did[first][second])
        darn_say(&page->ink,
                 "no start, join or barrier orders them; in this run other synchronization had put "
                 "%u before %u, and another schedule may turn it round\n",
                 first + 1, second + 1);
    else
        darn_say(&page->ink, "nothing in this run orders them\n");
}

static void say_order(const struct darn_explain_printer *printer)
{
    const struct darn_finding *steps = printer->steps;
    struct darn_page page = darn_explain_page(printer, steps);
    const char *considered = order_of(printer->job->engine->name);

    darn_page_label(&page, "order:");
    if (considered)
        darn_say(&page.ink, "what puts steps in order for %s: %s\n", printer->job->engine->name,
                 considered);
    else
        darn_say(&page.ink, "the threads\n");
    for (uint32_t i = 0; i < steps->access_count; i++)
        if (darn_witness_earlier(printer->prediction, i) == i)
            (void)say_deeds(printer, DARN_DEED_LIFE, i, true);
    say_left_out(printer, DARN_DEED_LIFE);
    for (uint32_t i = 0; i < steps->access_count; i++)
        for (uint32_t j = i + 1; j < steps->access_count; j++)
            if (printer->prediction->steps[i].event.thread !=
                printer->prediction->steps[j].event.thread)
                say_pair(printer, &page, i, j);
}

static void say_uses(const struct darn_explain_printer *printer)
{
    const struct darn_finding *steps = printer->steps;
    struct darn_page page = darn_explain_page(printer, steps);

    for (uint32_t i = 0; i < steps->access_count; i++) {
        const struct darn_finding_access *access = &steps->accesses[i];

        if (darn_witness_same(printer->prediction, i) != i ||
            (access->op > DARN_OP_UPDATE && access->op != DARN_OP_ACQUIRE))
            continue;
        darn_page_label(&page, "all:");
        if (access->op == DARN_OP_ACQUIRE) {
            darn_say(&page.ink, "who takes ");
            darn_phrase_lock(&page.ink, steps, &access->target);
        } else {
            darn_say(&page.ink, "who accesses %s%s%s", access->variable ? "'" : "the memory of ",
                     access->variable ? access->variable : "step", access->variable ? "'" : "");
            if (!access->variable)
                darn_say(&page.ink, " %u", i + 1);
        }
        darn_say(&page.ink, " in this run\n");
        (void)say_deeds(printer, DARN_DEED_USE, i, true);
        say_left_out(printer, DARN_DEED_USE);
    }
}

void darn_explain_print(FILE *out, const struct darn_explain_job *job,
                        const struct darn_style *style)
{
    struct darn_explain_printer printer = {job, style, job->witness->prediction, NULL, out};
    struct darn_finding *steps =
        darn_explain_carry(&printer, printer.prediction->steps, printer.prediction->step_count);

    printer.steps = steps;
    say_steps(&printer);
    say_this_run(&printer);
    say_between(&printer);
    say_missing(&printer);
    darn_explain_movers(&printer);
    say_around(&printer);
    say_order(&printer);
    say_uses(&printer);
    darn_finding_free(steps);
}
