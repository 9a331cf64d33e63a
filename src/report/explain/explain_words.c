/* The words of an explanation: events and locks. */
#include "report/explain/explain_private.h"
#include "report/predict.h"
#include "report/text/phrase.h"

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

struct darn_finding *darn_explain_carry(const struct darn_explain_printer *printer,
                                        const struct darn_prediction_step *steps, size_t count)
{
    static struct darn_prediction prediction;
    struct darn_predicted predicted = {.trace = printer->job->trace,
                                       .path = printer->job->path,
                                       .prediction = &prediction,
                                       .engine = printer->job->engine->name};
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

struct darn_page darn_explain_page(const struct darn_explain_printer *printer,
                                   const struct darn_finding *finding)
{
    return (struct darn_page){
        .ink = {printer->out, printer->style->color},
        .finding = finding,
        .style = printer->style,
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

static void say_place(struct darn_page *page, const struct darn_finding_access *access)
{
    if (!access->file && !access->function)
        return;
    darn_say(&page->ink, " at ");
    if (!darn_phrase_position(&page->ink, page->style, access->file, access->line, access->column))
        darn_say(&page->ink, "%s", access->function);
}

void darn_explain_event(struct darn_page *page, const struct darn_finding_access *access,
                        uint8_t kind)
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

void darn_explain_locks(struct darn_page *page, const struct darn_finding_access *access)
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
