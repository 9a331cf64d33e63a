/* The explanation of a finding, as text. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/explain.h"
#include "report/phrase.h"
#include "report/predict.h"
#include "report/text_page.h"

#define MOVERS 256 /* operations of a transaction that are told */

struct printer {
    const struct darn_explain_job *job;
    const struct darn_prediction *prediction;
    const struct darn_finding *steps; /* the steps, with the names of all variables */
    FILE *out;
};

/* What a finding has words for, in the place of other kinds of events: only the place and the
 * target are taken from it. */
static struct darn_prediction_step as_known(const struct darn_prediction_step *step)
{
    struct darn_prediction_step known = *step;

    switch (step->event.kind) {
    case DARN_EVENT_RELEASE:
        known.event.kind = DARN_EVENT_ACQUIRE;
        break;
    case DARN_EVENT_FORK:
        known.event.kind = DARN_EVENT_JOIN;
        break;
    case DARN_EVENT_ARRIVE:
    case DARN_EVENT_DEPART:
    case DARN_EVENT_WAKE:
    case DARN_EVENT_POST:
    case DARN_EVENT_TAKE:
    case DARN_EVENT_SEND:
    case DARN_EVENT_RECEIVE:
        known.event.kind = DARN_EVENT_SIGNAL;
        break;
    default:
        break;
    }
    return known;
}

static const char *thing_of(uint8_t kind)
{
    switch (kind) {
    case DARN_EVENT_ARRIVE:
    case DARN_EVENT_DEPART:
        return "barrier";
    case DARN_EVENT_POST:
    case DARN_EVENT_TAKE:
        return "semaphore";
    case DARN_EVENT_SEND:
    case DARN_EVENT_RECEIVE:
        return "message";
    default:
        return NULL;
    }
}

/* A finding that is made of the events, for the names and places in it. The caller frees it. */
static struct darn_finding *carry(const struct printer *printer,
                                  const struct darn_prediction_step *steps, size_t count)
{
    static struct darn_prediction prediction;
    struct darn_predicted predicted = {printer->job->trace, printer->job->path, &prediction,
                                       printer->job->engine->name, NULL};
    struct darn_finding *finding;

    /* Of this kind, each access has the name of its variable. */
    prediction.kind = DARN_PREDICTS_IRREDUCIBLE;
    prediction.step_count = (uint32_t)count;
    for (size_t i = 0; i < count; i++)
        prediction.steps[i] = as_known(&steps[i]);
    finding = darn_finding_predicted(&predicted);
    for (size_t i = 0; i < count; i++)
        if (thing_of(steps[i].event.kind))
            finding->accesses[i].target.kind = thing_of(steps[i].event.kind);
    darn_finding_complete(finding, printer->job->modules);
    return finding;
}

static struct darn_page page_of(const struct printer *printer, const struct darn_finding *finding)
{
    return (struct darn_page){
        .ink = {printer->out, printer->job->style->color},
        .finding = finding,
        .style = printer->job->style,
    };
}

static const char *verb_of(uint8_t kind)
{
    static const char *const verbs[DARN_EVENT_KINDS] = {
        [DARN_EVENT_ACQUIRE] = "takes ",
        [DARN_EVENT_REQUEST] = "waits for ",
        [DARN_EVENT_RELEASE] = "gives back ",
        [DARN_EVENT_FORK] = "starts ",
        [DARN_EVENT_JOIN] = "waits for the end of ",
        [DARN_EVENT_ARRIVE] = "comes to ",
        [DARN_EVENT_DEPART] = "passes ",
        [DARN_EVENT_WAIT] = "waits for ",
        [DARN_EVENT_WAKE] = "is woken by ",
        [DARN_EVENT_SIGNAL] = "signals ",
        [DARN_EVENT_BROADCAST] = "broadcasts ",
        [DARN_EVENT_POST] = "posts ",
        [DARN_EVENT_TAKE] = "takes ",
        [DARN_EVENT_SEND] = "sends ",
        [DARN_EVENT_RECEIVE] = "receives ",
    };

    return kind < DARN_EVENT_KINDS && verbs[kind] ? verbs[kind] : "does something with ";
}

static void say_place(struct darn_page *page, const struct darn_access *access)
{
    if (!access->file && !access->function)
        return;
    darn_say(&page->ink, " at ");
    if (!darn_phrase_position(&page->ink, page->style, access->file, access->line, access->column))
        darn_say(&page->ink, "%s", access->function);
}

/* `takes mutex 'm' at bank.c:12:5` */
static void say_event(struct darn_page *page, const struct darn_access *access, uint8_t kind)
{
    if (access->op <= DARN_OP_FREE) {
        darn_phrase_access(&page->ink, page->finding, access, NULL);
    } else if (access->op == DARN_OP_JOIN) {
        darn_say(&page->ink, "%s", verb_of(kind));
        darn_phrase_thread(&page->ink, page->finding, access->awaited);
    } else {
        darn_say(&page->ink, "%s", verb_of(kind));
        darn_phrase_lock(&page->ink, page->finding, &access->target);
    }
    say_place(page, access);
}

/* ` (taken at bank.c:11:5)` */
static void say_locks(struct darn_page *page, const struct darn_access *access)
{
    darn_say(&page->ink, access->lock_count ? "holding " : "holding no lock");
    for (size_t i = 0; i < access->lock_count; i++) {
        const struct darn_lock *lock = &access->locks[i];

        if (i > 0)
            darn_say(&page->ink, i + 1 == access->lock_count ? " and " : ", ");
        darn_phrase_lock(&page->ink, page->finding, lock);
        if (!lock->taken.file)
            continue;
        darn_say(&page->ink, " (taken at ");
        darn_phrase_position(&page->ink, page->style, lock->taken.file, lock->taken.line,
                             lock->taken.column);
        darn_say(&page->ink, ")");
    }
}

/* The deeds of one part and step, one in a line. True when there are any. */
static bool say_deeds(const struct printer *printer, enum darn_deed_part part, uint32_t of,
                      bool names_thread)
{
    const struct darn_witness *witness = printer->job->witness;
    bool any = false;

    for (size_t i = 0; i < witness->count; i++) {
        const struct darn_deed *deed = &witness->deeds[i];
        struct darn_finding *carrier;
        struct darn_page page;

        if (deed->part != part || deed->of != of)
            continue;
        carrier = carry(printer, &deed->step, 1);
        page = page_of(printer, carrier);
        darn_say(&page.ink, "    ");
        if (names_thread) {
            darn_phrase_thread(&page.ink, carrier, carrier->accesses[0].thread);
            darn_say(&page.ink, " ");
        }
        say_event(&page, &carrier->accesses[0], deed->step.event.kind);
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

static void say_left_out(const struct printer *printer, enum darn_deed_part part)
{
    if (printer->job->witness->left_out[part])
        fprintf(printer->out, "    ... and %" PRIu64 " more\n",
                printer->job->witness->left_out[part]);
}

/* ` in vector_copy, which began at vector.c:30`, on a line of its own. */
static void say_unit(const struct printer *printer, struct darn_page *page, uint32_t step)
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
    case DARN_PREDICTS_IRREDUCIBLE:
        return "of one transaction: another thread may come between them";
    default:
        return "what goes wrong";
    }
}

static void say_steps(const struct printer *printer)
{
    const struct darn_finding *steps = printer->steps;
    struct darn_page page = page_of(printer, steps);

    darn_page_label(&page, "steps:");
    darn_say(&page.ink, "%s\n", meaning_of(printer->prediction->kind));
    for (uint32_t i = 0; i < steps->access_count; i++) {
        const struct darn_access *access = &steps->accesses[i];

        darn_say(&page.ink, "    %u. ", i + 1);
        darn_phrase_thread(&page.ink, steps, access->thread);
        darn_say(&page.ink, " ");
        say_event(&page, access, printer->prediction->steps[i].event.kind);
        darn_say(&page.ink, ", ");
        say_locks(&page, access);
        darn_say(&page.ink, "\n");
        say_unit(printer, &page, i);
        darn_page_stack(&page, &access->stack);
    }
}

/* `1, 3, 2`: as the events stand in the trace. */
static void say_this_run(const struct printer *printer)
{
    const struct darn_witness *witness = printer->job->witness;
    struct darn_page page = page_of(printer, printer->steps);
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

static bool holds(const struct darn_access *access, uint64_t lock)
{
    for (size_t i = 0; i < access->lock_count; i++)
        if (access->locks[i].address == lock)
            return true;
    return false;
}

/* Whether the thread of the step gives the lock back before its next step. */
static bool gives_back(const struct printer *printer, uint32_t step, uint64_t lock)
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
static void say_given_back(const struct printer *printer, struct darn_page *page, uint64_t lock)
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
static void say_missing(const struct printer *printer)
{
    const struct darn_finding *steps = printer->steps;
    struct darn_page page = page_of(printer, steps);
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

static void say_between(const struct printer *printer)
{
    const struct darn_finding *steps = printer->steps;
    struct darn_page page = page_of(printer, steps);

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
static void say_around(const struct printer *printer)
{
    const struct darn_finding *steps = printer->steps;
    struct darn_page page = page_of(printer, steps);

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
        {"hybrid",
         "starts, joins, barriers, signals, semaphores, messages and atomic accesses; not locks"},
        {"eraser", "nothing: it goes by locks alone"},
        {"eraser+", "joins"},
        {"reduction-online", "nothing"},
        {"notify", NULL},
    };

    for (size_t i = 0; i < sizeof(orders) / sizeof(orders[0]); i++)
        if (strcmp(orders[i][0], engine) == 0)
            return orders[i][1];
    return "starts, joins and barriers; not locks";
}

static void say_pair(const struct printer *printer, struct darn_page *page, uint32_t a, uint32_t b)
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

static void say_order(const struct printer *printer)
{
    const struct darn_finding *steps = printer->steps;
    struct darn_page page = page_of(printer, steps);
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

static void say_uses(const struct printer *printer)
{
    const struct darn_finding *steps = printer->steps;
    struct darn_page page = page_of(printer, steps);

    for (uint32_t i = 0; i < steps->access_count; i++) {
        const struct darn_access *access = &steps->accesses[i];

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

static bool is_mover(const struct darn_event *step, const struct darn_event *mover)
{
    return step->site == mover->site && step->stack == mover->stack &&
           step->target == mover->target;
}

/* The lock whose release ends the part of right-movers is named by its ACQUIRE. */
static bool is_turn(const struct printer *printer, const struct darn_event *mover)
{
    const struct darn_event *turn = &printer->prediction->steps[0].event;

    return is_mover(turn, mover) &&
           (turn->kind == DARN_EVENT_ACQUIRE ? mover->kind == DARN_EVENT_RELEASE
                                             : turn->kind == mover->kind);
}

static void say_mover(const struct printer *printer, const struct darn_engine_mover *mover,
                      bool is_the_turn, bool is_wrong)
{
    static const char *const words[] = {
        [DARN_MOVER_RIGHT] = "R, moves to the right:", [DARN_MOVER_LEFT] = "L, moves to the left:",
        [DARN_MOVER_BOTH] = "B, moves both ways:",     [DARN_MOVER_NONE] = "N, does not move:",
        [DARN_MOVER_PASSED] = "passed over:",
    };
    struct darn_finding *carrier = carry(printer, &mover->step, 1);
    struct darn_access *access = &carrier->accesses[0];
    struct darn_page page = page_of(printer, carrier);

    if (mover->step.event.kind == DARN_EVENT_RELEASE)
        access->file = access->function = NULL; /* it is the place of the ACQUIRE */
    darn_say(&page.ink, "    %-23s ", words[mover->type]);
    say_event(&page, access, mover->step.event.kind);
    darn_say(&page.ink, "%s%s\n", is_the_turn ? "  <- from here on only L may follow" : "",
             is_wrong ? "  <- here the pattern breaks" : "");
    darn_finding_free(carrier);
}

/* 5.6 of Wang & Stoller: the pattern, and which of its operations break the form of theorem 2. */
static void say_movers(const struct printer *printer)
{
    const struct darn_explain_job *job = printer->job;
    const struct darn_event *wrong = &printer->prediction->steps[1].event;
    struct darn_engine_mover *movers = calloc(MOVERS, sizeof(*movers));
    struct darn_page page = page_of(printer, printer->steps);
    bool has_turn = false, has_wrong = false;
    size_t count = movers && job->engine->movers
                       ? job->engine->movers(job->state, job->prediction, movers, MOVERS)
                       : 0;

    if (count) {
        darn_page_label(&page, "movers:");
        darn_say(&page.ink, "the form is R...R N? L...L, with B anywhere; variables that are "
                            "accessed more than once are told twice\n");
    }
    for (size_t i = 0; i < count && i < MOVERS; i++) {
        bool turns = !has_turn && is_turn(printer, &movers[i].step.event);
        bool breaks = has_turn && !has_wrong && is_mover(wrong, &movers[i].step.event) &&
                      wrong->kind == movers[i].step.event.kind;

        say_mover(printer, &movers[i], turns, breaks);
        has_turn |= turns;
        has_wrong |= breaks;
    }
    if (count > MOVERS)
        fprintf(printer->out, "    ... and %zu more\n", count - MOVERS);
    free(movers);
}

void darn_explain_print(FILE *out, const struct darn_explain_job *job)
{
    struct printer printer = {job, job->witness->prediction, NULL, out};
    struct darn_finding *steps =
        carry(&printer, printer.prediction->steps, printer.prediction->step_count);

    printer.steps = steps;
    say_steps(&printer);
    say_this_run(&printer);
    say_between(&printer);
    say_missing(&printer);
    say_movers(&printer);
    say_around(&printer);
    say_order(&printer);
    say_uses(&printer);
    darn_finding_free(steps);
}
