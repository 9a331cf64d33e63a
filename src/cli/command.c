/*
 * The list of the commands, and the way through their options.
 */
#include "cli/command.h"

#include <stdint.h>
#include <string.h>

#include "base/spelling.h"

const struct darn_command *const darn_commands[] = {
    &darn_command_cc,      &darn_command_cxx,      &darn_command_run,
    &darn_command_predict, &darn_command_hunt,     &darn_command_replay,
    &darn_command_shrink,  &darn_command_explore,  &darn_command_sections,
    &darn_command_heal,    &darn_command_fix,      &darn_command_record,
    &darn_command_analyze, &darn_command_campaign, &darn_command_coverage,
    &darn_command_report,  &darn_command_trace,    &darn_command_help,
    NULL,
};

const struct darn_command *darn_command_find(const char *name)
{
    for (size_t i = 0; darn_commands[i]; i++)
        if (strcmp(darn_commands[i]->name, name) == 0)
            return darn_commands[i];
    return NULL;
}

const char *darn_command_near(const char *word)
{
    const char *nearest = NULL;
    size_t least = SIZE_MAX;

    for (size_t i = 0; darn_commands[i]; i++) {
        size_t distance = darn_spelling_distance(word, darn_commands[i]->name);

        if (distance < least) {
            least = distance;
            nearest = darn_commands[i]->name;
        }
    }
    return nearest && darn_spelling_is_near(word, nearest, least) ? nearest : NULL;
}

static bool takes(const struct darn_option_group *group, const struct darn_option *option)
{
    const char *name = group->only;

    while (name && *name) {
        size_t length = strcspn(name, "|");

        if (darn_option_is(option, name, length))
            return true;
        name += length + (name[length] == '|');
    }
    return !name && !group->environment;
}

/* From here to the first that counts. */
static void settle(struct darn_command_option *each)
{
    while (each->option) {
        while (each->option->name && !takes(each->group, each->option))
            each->option++;
        if (each->option->name)
            return;
        each->group++;
        each->option = each->group->options;
    }
}

struct darn_command_option darn_first_option(const struct darn_command *command)
{
    struct darn_command_option first = {
        .option = command->groups ? command->groups->options : NULL,
        .group = command->groups,
    };

    settle(&first);
    return first;
}

void darn_next_option(struct darn_command_option *each)
{
    each->option++;
    each->number++;
    settle(each);
}
