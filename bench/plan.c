#include "plan.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a line is complained about with. */
struct place {
    const char *path;
    unsigned line;
};

static int complain(const struct place *place, const char *what)
{
    fprintf(stderr, "%s:%u: %s\n", place->path, place->line, what);
    return -1;
}

bool darn_plan_shows(const struct darn_plan *plan, enum darn_quantity quantity)
{
    return !plan->any_chosen || plan->is_chosen[quantity];
}

/* The index of the variant with that name, or -1. */
static int find_variant(const struct darn_plan *plan, const char *name)
{
    for (size_t i = 0; i < plan->variants; i++) {
        if (strcmp(plan->variant[i].name, name) == 0)
            return (int)i;
    }
    return -1;
}

static int program_index(struct darn_plan *plan, const char *name)
{
    for (size_t i = 0; i < plan->programs; i++) {
        if (strcmp(plan->program[i], name) == 0)
            return (int)i;
    }
    if (plan->programs == DARN_PLAN_PROGRAMS)
        return -1;
    plan->program[plan->programs] = strdup(name);
    return (int)plan->programs++;
}

static bool parse_number(const char *text, double *value)
{
    char *end;

    *value = strtod(text, &end);
    return end != text && *end == '\0' && *value > 0 && *value < 1e6;
}

static int find_quantity(const char *name)
{
    static const char *const names[DARN_QUANTITIES] = {
        [DARN_USER] = "user", [DARN_CPU] = "cpu", [DARN_WALL] = "wall", [DARN_PEAK] = "peak"};

    for (int i = 0; i < DARN_QUANTITIES; i++) {
        if (strcmp(names[i], name) == 0)
            return i;
    }
    return -1;
}

static char *join(char **words, size_t count)
{
    char text[256] = "";

    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            strncat(text, " ", sizeof text - strlen(text) - 1);
        strncat(text, words[i], sizeof text - strlen(text) - 1);
    }
    return strdup(text);
}

static int add_variant(struct darn_plan *plan, char **words, size_t count,
                       const struct place *place)
{
    struct darn_variant *variant = &plan->variant[plan->variants];
    double rounds, limit;
    int base;

    if (count < 6)
        return complain(place, "usage: variant NAME BASE ROUNDS LIMIT TITLE...");
    if (plan->variants == DARN_PLAN_VARIANTS)
        return complain(place, "too many variants");
    if (find_variant(plan, words[1]) >= 0)
        return complain(place, "this variant is there already");
    if (!parse_number(words[3], &rounds) || !parse_number(words[4], &limit))
        return complain(place, "rounds and limit must be positive numbers");
    base = strcmp(words[1], words[2]) == 0 ? (int)plan->variants : find_variant(plan, words[2]);
    if (base < 0)
        return complain(place, "the base is not a variant that stands before this one");
    variant->name = strdup(words[1]);
    variant->title = join(words + 5, count - 5);
    variant->base = (size_t)base;
    variant->runs = plan->variants;
    variant->rounds = rounds < 1 ? 1 : (unsigned)rounds;
    variant->limit = limit;
    plan->variants++;
    return 0;
}

static int add_again(struct darn_plan *plan, char **words, size_t count, const struct place *place)
{
    struct darn_variant *variant = &plan->variant[plan->variants];
    int runs, base;

    if (count < 5)
        return complain(place, "usage: again NAME VARIANT BASE TITLE...");
    if (plan->variants == DARN_PLAN_VARIANTS)
        return complain(place, "too many variants");
    if (find_variant(plan, words[1]) >= 0)
        return complain(place, "this variant is there already");
    runs = find_variant(plan, words[2]);
    base = find_variant(plan, words[3]);
    if (runs < 0 || base < 0)
        return complain(place, "no such variant");
    *variant = plan->variant[runs];
    variant->name = strdup(words[1]);
    variant->title = join(words + 4, count - 4);
    variant->base = (size_t)base;
    plan->variants++;
    return 0;
}

static int choose_tables(struct darn_plan *plan, char **words, size_t count,
                         const struct place *place)
{
    for (size_t i = 1; i < count; i++) {
        int quantity = find_quantity(words[i]);
        if (quantity < 0)
            return complain(place, "a quantity is user, cpu, wall or peak");
        plan->is_chosen[quantity] = plan->any_chosen = true;
    }
    return 0;
}

static int add_goal(struct darn_plan *plan, char **words, size_t count, const struct place *place)
{
    bool below = strcmp(words[0], "below") == 0;
    struct darn_goal *goal = &plan->goal[plan->goals];
    int variant, peer, quantity;

    if (count < (below ? 5 : 6))
        return complain(place, below ? "usage: below VARIANT PEER QUANTITY TEXT..."
                                     : "usage: goal VARIANT QUANTITY mean|worst LIMIT TEXT...");
    if (plan->goals == DARN_PLAN_GOALS)
        return complain(place, "too many goals");
    variant = find_variant(plan, words[1]);
    peer = below ? find_variant(plan, words[2]) : 0;
    quantity = find_quantity(words[below ? 3 : 2]);
    if (variant < 0 || peer < 0 || quantity < 0)
        return complain(place, "no such variant, or no such quantity");
    if (!below && !parse_number(words[4], &goal->limit))
        return complain(place, "the limit must be a positive number");
    goal->kind = below                            ? DARN_GOAL_BELOW
                 : strcmp(words[3], "worst") == 0 ? DARN_GOAL_WORST
                                                  : DARN_GOAL_MEAN;
    goal->variant = (size_t)variant;
    goal->peer = (size_t)peer;
    goal->quantity = (enum darn_quantity)quantity;
    goal->text = below ? join(words + 4, count - 4) : join(words + 5, count - 5);
    plan->goals++;
    return 0;
}

static int add_within(struct darn_plan *plan, char **words, size_t count, const struct place *place)
{
    struct darn_goal *goal = &plan->goal[plan->goals];
    int variant, quantity;

    if (count < 6)
        return complain(place, "usage: within VARIANT QUANTITY LIMIT MORE TEXT...");
    if (plan->goals == DARN_PLAN_GOALS)
        return complain(place, "too many goals");
    variant = find_variant(plan, words[1]);
    quantity = find_quantity(words[2]);
    if (variant < 0 || quantity < 0)
        return complain(place, "no such variant, or no such quantity");
    if (!parse_number(words[3], &goal->limit) || !parse_number(words[4], &goal->more))
        return complain(place, "the limit must be a positive number");
    goal->kind = DARN_GOAL_WITHIN;
    goal->variant = (size_t)variant;
    goal->quantity = (enum darn_quantity)quantity;
    goal->text = join(words + 5, count - 5);
    plan->goals++;
    return 0;
}

static int add_run(struct darn_plan *plan, char **words, size_t count, const struct place *place)
{
    int program, variant;
    char **command;

    if (count < 4)
        return complain(place, "usage: run PROGRAM VARIANT COMMAND...");
    variant = find_variant(plan, words[2]);
    if (variant < 0 || plan->variant[variant].runs != (size_t)variant)
        return complain(place, "no such variant that is run");
    program = program_index(plan, words[1]);
    if (program < 0)
        return complain(place, "too many programs");
    if (plan->command[program][variant] != NULL)
        return complain(place, "this program has a command for this variant already");
    command = calloc(count - 2, sizeof *command);
    if (command == NULL)
        return complain(place, "out of memory");
    for (size_t i = 3; i < count; i++)
        command[i - 3] = strdup(words[i]);
    plan->command[program][variant] = command;
    return 0;
}

struct directive {
    const char *name;
    int (*add)(struct darn_plan *plan, char **words, size_t count, const struct place *place);
};

static const struct directive directives[] = {
    {"variant", add_variant},  {"again", add_again}, {"run", add_run},
    {"tables", choose_tables}, {"goal", add_goal},   {"below", add_goal},
    {"within", add_within},
};

static int add_line(struct darn_plan *plan, char *line, const struct place *place)
{
    char *words[DARN_PLAN_WORDS];
    size_t count = 0;

    for (char *word = strtok(line, " \t\n"); word != NULL; word = strtok(NULL, " \t\n")) {
        if (count == DARN_PLAN_WORDS)
            return complain(place, "too many words");
        words[count++] = word;
    }
    if (count == 0 || words[0][0] == '#')
        return 0;
    for (size_t i = 0; i < sizeof directives / sizeof directives[0]; i++) {
        if (strcmp(words[0], directives[i].name) == 0)
            return directives[i].add(plan, words, count, place);
    }
    return complain(place, "no such directive");
}

int darn_plan_read(struct darn_plan *plan, const char *path)
{
    struct place place = {.path = path};
    FILE *file = fopen(path, "r");
    char *line = NULL;
    size_t capacity = 0;
    int result = 0;

    if (file == NULL) {
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
        return -1;
    }
    while (result == 0 && getline(&line, &capacity, file) >= 0) {
        place.line++;
        result = add_line(plan, line, &place);
    }
    free(line);
    fclose(file);
    return result;
}

void darn_plan_free(struct darn_plan *plan)
{
    for (size_t i = 0; i < plan->programs; i++) {
        for (size_t j = 0; j < plan->variants; j++) {
            for (char **word = plan->command[i][j]; word != NULL && *word != NULL; word++)
                free(*word);
            free(plan->command[i][j]);
        }
        free(plan->program[i]);
    }
    for (size_t i = 0; i < plan->variants; i++) {
        free(plan->variant[i].name);
        free(plan->variant[i].title);
    }
    for (size_t i = 0; i < plan->goals; i++)
        free(plan->goal[i].text);
}
