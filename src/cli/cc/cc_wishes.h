/* What `darn cc` wants of the plugin: its own options and variables are checked, and handed over in
 * the environment (site/wishes.h). */
#ifndef DARN_CLI_CC_WISHES_H
#define DARN_CLI_CC_WISHES_H

#include <stdbool.h>

/* What our own options say. */
struct darn_cc_wishes {
    bool functions, no_warnings, no_sections, stats;
    const char *ignorelist; /* NULL: none */
    const char *only;       /* NULL: everything is instrumented */
    const char *profile;    /* NULL: whether it was seen to be shared or not */
    const char *heal;       /* NULL: healed by what DARN_OPTIONS names */
};

/* `no_warnings`: of clang none are wanted either. 0 or an exit status. */
int darn_cc_pass_wishes(const char *command, bool no_warnings, const struct darn_cc_wishes *own);

#endif
