/*
 * The second look, for guards that do not have it in themselves (site/site_guard.h): at the filter
 * and at the site's armed byte. An access that is watched goes on to its hook by a jump, so the
 * hook returns to the program, and nobody sees that this was in between.
 *
 * This is written by hand because `--budget=max` makes every access outside of loops come by here:
 * it needs two registers, the one that preserve_most lets it change (r11) and one that is kept
 * below the stack pointer, where no signal handler writes.
 */
#include <stddef.h>

#include "site/site.h"
#include "site/site_guard.h"

#define LOOK __attribute__((naked, preserve_most, visibility("default"), used))

/* Compares the armed byte with 0, as darn_site_armed finds it. `site` is the register that has it;
 * rax and r11 change. */
#define LOOK_AT_ARMED(site)                                                                        \
    "movl %c[place](%%" site "), %%eax\n\t"                                                        \
    "imulq %[back], %%rax, %%rax\n\t"                                                              \
    "addq %%" site ", %%rax\n\t"                                                                   \
    "movslq %c[armed](%%rax), %%r11\n\t"                                                           \
    "addq %%rax, %%r11\n\t"                                                                        \
    "movl %c[place](%%" site "), %%eax\n\t"                                                        \
    "addq %%rax, %%r11\n\t"                                                                        \
    "andl %[chunk], %%eax\n\t"                                                                     \
    "cmpb $0, %c[armed](%%rax,%%r11)\n\t"

static_assert(DARN_ARMED_CHUNK == 2 * DARN_ARMED_TOGETHER, "it adds the chunks before once more");

#define WHERE                                                                                      \
    [place] "i"(offsetof(struct darn_site, place)),                                                \
        [armed] "i"(offsetof(struct darn_site, armed)), [back] "i"(-(int)sizeof(struct darn_site)), \
        [chunk] "i"(-DARN_ARMED_TOGETHER)

/* The address is in rdi. */
#define LOOK_AND_GO(site, hook)                                                                    \
    __asm__("movq %%rax, -8(%%rsp)\n\t"                                                            \
            "movl %%edi, %%eax\n\t"                                                                \
            "shrl %[shift], %%eax\n\t"                                                             \
            "andl %[mask], %%eax\n\t"                                                              \
            "leaq darn_filter_here(%%rip), %%r11\n\t"                                              \
            "cmpb $0, (%%r11,%%rax)\n\t"                                                           \
            "jne 1f\n\t" LOOK_AT_ARMED(site) "1: movq -8(%%rsp), %%rax\n\t"                        \
                                             "jne " hook "@PLT\n\t"                                \
                                             "retq"                                                \
            :                                                                                      \
            : [shift] "i"(DARN_FILTER_SHIFT), [mask] "i"(DARN_FILTER_SIZE - 1), WHERE)

LOOK void darn_look_access(uintptr_t address, const struct darn_site *site);
LOOK void darn_look_write(uintptr_t address, uint64_t value, const struct darn_site *site);

/* Of marks: there is no address. */
#define LOOK_AT_MARK(hook)                                                                         \
    __asm__("movq %%rax, -8(%%rsp)\n\t" LOOK_AT_ARMED("rdi") "movq -8(%%rsp), %%rax\n\t"           \
                                                             "jne " hook "@PLT\n\t"                \
                                                             "retq"                                \
            :                                                                                      \
            : WHERE)

LOOK void darn_look_leave(const struct darn_site *site);
LOOK void darn_look_call(const struct darn_site *site);

LOOK void darn_look_leave(const struct darn_site *site)
{
    LOOK_AT_MARK(DARN_HOOK_LEAVE);
}

LOOK void darn_look_call(const struct darn_site *site)
{
    LOOK_AT_MARK(DARN_HOOK_CALL);
}

LOOK void darn_look_access(uintptr_t address, const struct darn_site *site)
{
    LOOK_AND_GO("rsi", DARN_HOOK_ACCESS);
}

LOOK void darn_look_write(uintptr_t address, uint64_t value, const struct darn_site *site)
{
    LOOK_AND_GO("rdx", DARN_HOOK_WRITE);
}
