#include "report/report_kinds.h"

#include <stddef.h>
#include <string.h>

static const struct {
    const char *kind, *one, *several;
} kinds[] = {
    {"data-race", "data race", "data races"},
    {"atomicity-violation", "atomicity violation", "atomicity violations"},
    {"high-level-race", "high-level data race", "high-level data races"},
    {"deadlock", "deadlock", "deadlocks"},
    {"order-violation", "order violation", "order violations"},
    {"notification", "mishandled notification", "mishandled notifications"},
    {"sync-misuse", "misused synchronization object", "misused synchronization objects"},
    {"failure", "failure", "failures"},
};

const char *darn_kind_words(const char *kind, uint64_t count)
{
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        if (strcmp(kinds[i].kind, kind) == 0)
            return count == 1 ? kinds[i].one : kinds[i].several;
    return kind;
}

static const struct {
    const char *outcome, *words;
} outcomes[] = {
    {"cut", "cut off"},
    {"crash", "a crash"},
    {"abort", "an abort"},
    {"assertion", "a failed assertion"},
    {"sanitizer", "an error that a sanitizer reports"},
    {"deadlock", "a deadlock"},
    {"hang", "a hang"},
    {"exit", "a bad exit status"},
    {"output", "other output than usual"},
    {"oracle", "output that the oracle rejects"},
};

const char *darn_outcome_words(const char *outcome)
{
    for (size_t i = 0; i < sizeof(outcomes) / sizeof(outcomes[0]); i++)
        if (strcmp(outcomes[i].outcome, outcome) == 0)
            return outcomes[i].words;
    return outcome;
}
