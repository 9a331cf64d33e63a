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

/* `site` is the register that has it; the address is in rdi. */
#define LOOK_AND_GO(site, hook)                                                                    \
    __asm__("movq %%rax, -8(%%rsp)\n\t"                                                            \
            "movl %%edi, %%eax\n\t"                                                                \
            "shrl %0, %%eax\n\t"                                                                   \
            "andl %1, %%eax\n\t"                                                                   \
            "leaq darn_filter_here(%%rip), %%r11\n\t"                                              \
            "movzbl (%%r11,%%rax), %%eax\n\t"                                                      \
            "movslq %c2(%%" site "), %%r11\n\t"                                                    \
            "orb %c2(%%" site ",%%r11), %%al\n\t"                                                  \
            "movq -8(%%rsp), %%rax\n\t"                                                            \
            "jne " hook "@PLT\n\t"                                                                 \
            "retq"                                                                                 \
            :                                                                                      \
            : "i"(DARN_FILTER_SHIFT), "i"(DARN_FILTER_SIZE - 1),                                   \
              "i"(offsetof(struct darn_site, armed)))

LOOK void darn_look_access(uintptr_t address, const struct darn_site *site);
LOOK void darn_look_write(uintptr_t address, uint64_t value, const struct darn_site *site);

/* Of marks: there is no address. */
#define LOOK_AT_MARK(hook)                                                                         \
    __asm__("movslq %c0(%%rdi), %%r11\n\t"                                                         \
            "cmpb $0, %c0(%%rdi,%%r11)\n\t"                                                        \
            "jne " hook "@PLT\n\t"                                                                 \
            "retq"                                                                                 \
            :                                                                                      \
            : "i"(offsetof(struct darn_site, armed)))

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
