/* What the files of the rules share. */
#ifndef DARN_RUNTIME_RULES_PRIVATE_H
#define DARN_RUNTIME_RULES_PRIVATE_H

#include <stddef.h>

#include "runtime/os/os_spin.h"
#include "runtime/section/rules.h"
#include "section/match.h"

#define DARN_RULE_BUCKETS (1 << 16)

/* The points of all rules, by key; NULL: there is no repository. */
extern struct darn_rule_point **darn_rule_buckets;

/* Protects the counts of who holds a rule, and who of the entries is armed; and the rules while a
 * module is loaded. Taken with signals blocked; nothing nests inside. */
extern struct darn_spin darn_rules_lock;
extern bool darn_rules_armed_all;

/* Memory that is never given back; NULL: there is none. */
void *darn_rules_take(size_t size);
const char *darn_rules_keep(const char *text);

void darn_rules_add(struct darn_rule *rule);

/* The rule for a section that the program has, since `wanted` of the repository means it: what
 * `like` says, and the points of the section. To be added. NULL: there is no memory, or there is
 * such a rule. */
struct darn_rule *darn_rules_make(const struct darn_rule *like,
                                  const struct darn_match_wanted *wanted,
                                  const struct darn_match_section *found);

/* The text of a repository: its length, 0 when it cannot be read. */
size_t darn_rules_read_file(const char *path, char *text, size_t most);

/* Says a mistake in it. */
void darn_rules_say_error(const char *path, const struct darn_repository_error *error);

/* Makes room for rules: 0, or -ENOMEM. */
int darn_rules_prepare(void);

/* Reads a repository: 0, -ENOMEM, or -EINVAL when it cannot be read, or nothing in it. Mistakes are
 * said. */
int darn_rules_read(const char *path,
                    bool (*section)(void *unused, const struct darn_section *section));

/* Compares a rule that was added later with the sites of a module. darn_rules_lock is held. */
void darn_rules_place(struct darn_rule *rule, const struct darn_site *start,
                      const struct darn_site *stop);

#endif
