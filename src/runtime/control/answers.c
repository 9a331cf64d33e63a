#include "runtime/control/answers.h"

#include <string.h>

#include "runtime/os/os_watch.h"
#include "runtime/report/maps.h"

#define PAGE 4096

static bool is_watched;

static void watch_part(uintptr_t start, uintptr_t end)
{
    is_watched = is_watched && darn_os_watch_code(start, end) == 0;
}

/* rdrand or rdseed of a register. In the middle of another instruction it is none: that costs a
 * proof, if code of that page is run. There is about one such place in five million bytes. */
static const unsigned char *find_random(const unsigned char *at, const unsigned char *end)
{
    while ((at = memchr(at, 0x0f, (size_t)(end - at)))) {
        if (end - at < 3)
            return NULL;
        if (at[1] == 0xc7 && at[2] >= 0xf0)
            return at;
        at++;
    }
    return NULL;
}

static void visit(uintptr_t start, uintptr_t end, bool writable, bool is_vdso)
{
    const unsigned char *at = (const unsigned char *)start;

    if (writable) { /* it may be written */
        is_watched = false;
        return;
    }
    if (is_vdso)
        watch_part(start, end);
    while (!is_vdso && is_watched && (at = find_random(at, (const unsigned char *)end))) {
        uintptr_t page = (uintptr_t)at & ~(uintptr_t)(PAGE - 1);

        watch_part(page, page + PAGE); /* where it begins: it is run there */
        at = (const unsigned char *)page + PAGE;
        if ((uintptr_t)at >= end)
            break;
    }
}

bool darn_answers_watch(void)
{
    struct darn_maps *maps = darn_maps_read();

    is_watched = maps;
    darn_maps_each_code(maps, visit);
    return is_watched;
}
