/*
 * The account of a healed run, for people: what happened, and in one line what did not.
 */
#include <inttypes.h>
#include <string.h>

#include "report/heal/heal_report.h"
#include "report/text/ink.h"

struct telling {
    struct darn_ink ink;
    const struct darn_healed *healed;
    const char *repository;
    const struct darn_style *style;
};

static const char *plural(uint64_t number)
{
    return number == 1 ? "" : "s";
}

/* `1.5 ms`, `12 s`: what a person can compare. */
static void say_time(struct darn_ink *ink, uint64_t us)
{
    if (us < 1000)
        darn_say(ink, "%" PRIu64 " us", us);
    else if (us < 1000000)
        darn_say(ink, "%.1f ms", (double)us / 1e3);
    else
        darn_say(ink, "%.1f s", (double)us / 1e6);
}

static bool has_waited(const struct darn_healed_waits *waits)
{
    return waits->healed || waits->cycles || waits->expired;
}

/* `bank.c:12`: the entry begins with its line, or names another file. */
static void say_place(struct telling *telling, const struct darn_healed_rule *rule)
{
    const char *file = darn_style_path(telling->style, rule->file);
    size_t digits = strspn(rule->entry, "0123456789");

    if (digits && rule->entry[digits] == ':')
        darn_say(&telling->ink, "%s:%.*s", file, (int)digits, rule->entry);
    else
        darn_say(&telling->ink, "%s", file);
}

static void say_rule(struct telling *telling, const struct darn_healed_rule *rule)
{
    struct darn_ink *ink = &telling->ink;

    darn_say(ink, "  ");
    darn_tint(ink, DARN_TINT_BOLD);
    darn_say(ink, "'%s'", *rule->variable ? rule->variable : "memory without a name");
    darn_tint(ink, DARN_TINT_PLAIN);
    if (*rule->function)
        darn_say(ink, " in %s", rule->function);
    darn_say(ink, " (");
    say_place(telling, rule);
    darn_say(ink, ", %s)", strcmp(rule->kind, "race") == 0 ? "racing access" : rule->kind);
}

static void say_skipped(struct telling *telling, const struct darn_healed_waits *waits,
                        bool given_up)
{
    struct darn_ink *ink = &telling->ink;

    if (waits->cycles)
        darn_say(ink,
                 "    skipped: %" PRIu64 " wait%s that would have closed a circle with locks of "
                 "the program\n",
                 waits->cycles, plural(waits->cycles));
    if (waits->expired)
        darn_say(ink, "    skipped: %" PRIu64 " wait%s that took longer than %" PRIu64 " ms\n",
                 waits->expired, plural(waits->expired), telling->healed->bound_ms);
    if (given_up)
        darn_say(ink, "    given up: waiting for it ended by the bound again and again\n");
}

static void say_waits(struct telling *telling, const struct darn_healed_waits *waits)
{
    struct darn_ink *ink = &telling->ink;

    darn_say(ink, "waited %" PRIu64 " time%s", waits->healed, plural(waits->healed));
    if (waits->waited_us || waits->longest_us) {
        darn_say(ink, ": ");
        say_time(ink, waits->waited_us);
        darn_say(ink, " in all, ");
        say_time(ink, waits->longest_us);
        darn_say(ink, " at most");
    }
}

static bool is_quiet_policy(const char *with)
{
    return strcmp(with, "yield") == 0 || strcmp(with, "priority") == 0;
}

/* Something happened. */
static void tell_rule(struct telling *telling, const struct darn_healed_rule *rule)
{
    struct darn_ink *ink = &telling->ink;

    say_rule(telling, rule);
    darn_say(ink, "\n");
    darn_say(ink, "    inside %" PRIu64 " time%s; ", rule->entered, plural(rule->entered));
    if (is_quiet_policy(rule->with))
        darn_say(ink, "others came by %" PRIu64 " time%s", rule->waits.healed,
                 plural(rule->waits.healed));
    else
        say_waits(telling, &rule->waits);
    darn_say(ink, "\n");
    if (*rule->with && strcmp(rule->with, telling->healed->with) != 0)
        darn_say(ink, "    healed by %s, not %s%s%s%s\n", rule->with, telling->healed->with,
                 *rule->inside ? ": it has " : "", rule->inside, *rule->inside ? " inside" : "");
    if (strcmp(rule->match, "moved") == 0)
        darn_say(ink, "    its lines have moved since the repository was made\n");
    say_skipped(telling, &rule->waits, rule->given_up);
}

static void tell_unmatched(struct telling *telling, const struct darn_healed_rule *rule)
{
    say_rule(telling, rule);
    darn_say(&telling->ink, ": not healed: %s\n",
             *rule->why                         ? rule->why
             : strcmp(rule->match, "part") == 0 ? "the program has only a part of it"
                                                : "the program has no such section");
}

static bool is_eventful(const struct darn_healed_rule *rule)
{
    return has_waited(&rule->waits) || rule->given_up;
}

/* What there is nothing to say about, all in one line. */
static void tell_quiet(struct telling *telling, bool others)
{
    uint64_t count = 0, entered = 0, moved = 0, elided = 0;

    for (size_t i = 0; i < telling->healed->rule_count; i++) {
        const struct darn_healed_rule *rule = &telling->healed->rules[i];

        if (!darn_healed_matches(rule->match) || is_eventful(rule))
            continue;
        count++;
        entered += rule->entered;
        moved += strcmp(rule->match, "moved") == 0;
        elided += rule->elided;
    }
    if (!count)
        return;
    darn_say(&telling->ink,
             "  %" PRIu64 " %ssection%s: threads were inside %" PRIu64 " time%s, and nobody %s",
             count, others ? "other " : "", plural(count), entered, plural(entered),
             is_quiet_policy(telling->healed->with) ? "came by" : "had to wait");
    if (moved)
        darn_say(&telling->ink, "; of %" PRIu64 " the lines have moved", moved);
    if (elided)
        darn_say(&telling->ink, "; %" PRIu64 " %s left to the program's own locks then", elided,
                 elided == 1 ? "was" : "were");
    darn_say(&telling->ink, "\n");
}

static void tell_rules(struct telling *telling)
{
    bool any = false;

    for (size_t i = 0; i < telling->healed->rule_count; i++) {
        const struct darn_healed_rule *rule = &telling->healed->rules[i];

        if (!darn_healed_matches(rule->match))
            tell_unmatched(telling, rule);
        else if (is_eventful(rule))
            tell_rule(telling, rule);
        any |= is_eventful(rule) || !darn_healed_matches(rule->match);
    }
    tell_quiet(telling, any);
}

static void tell_gate(struct telling *telling, const struct darn_healed_gate *gate)
{
    struct darn_ink *ink = &telling->ink;

    darn_say(ink, gate->is_order ? "  order" : "  deadlock");
    if (gate->locks && *gate->locks)
        darn_say(ink, " of '%s'", gate->locks);
    if (gate->line && telling->repository)
        darn_say(ink, " (%s:%" PRIu64 ")", telling->repository, gate->line);
    if (!darn_healed_matches(gate->match)) {
        darn_say(ink, ": not healed%s%s\n", *gate->why ? ": " : "", gate->why);
        return;
    }
    darn_say(ink, ": threads came by %" PRIu64 " time%s; ", gate->passed, plural(gate->passed));
    if (gate->waits.healed)
        say_waits(telling, &gate->waits);
    else
        darn_say(ink, "nobody had to wait");
    darn_say(ink, "\n");
    if (gate->useless)
        darn_say(ink, "    %" PRIu64 " wait%s only slowed down: no circle was near\n",
                 gate->useless, plural(gate->useless));
    say_skipped(telling, &gate->waits, false);
    if (gate->dropped)
        darn_say(ink, "    dropped: it slowed down more than it avoided\n");
}

void darn_healed_print(FILE *out, const struct darn_healed *healed, const char *repository,
                       const char *program, const struct darn_style *style)
{
    struct telling telling = {{out, style->color}, healed, repository, style};

    darn_say(&telling.ink, "darn heal: %s, healed by %s", program, healed->with);
    if (!is_quiet_policy(healed->with))
        darn_say(&telling.ink, ", waits of at most %" PRIu64 " ms", healed->bound_ms);
    if (healed->processes > 1)
        darn_say(&telling.ink, ", in %" PRIu64 " processes", healed->processes);
    darn_say(&telling.ink, "\n");
    tell_rules(&telling);
    for (size_t i = 0; i < healed->gate_count; i++)
        tell_gate(&telling, &healed->gates[i]);
    if (!healed->rule_count && !healed->gate_count)
        darn_say(&telling.ink, "  there was nothing to heal\n");
}
