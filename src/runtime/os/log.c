#include "runtime/os/log.h"

#include <stdint.h>

#include "runtime/os/os.h"

/* Above what programs count on, and within what select() can take. */
#define HIGH 1024

static struct kept {
    int fd;        /* the duplicate, or -1 */
    uint64_t what; /* it leads to; 0: to nothing */
} kept[] = {[1] = {-1, 0}, [2] = {-1, 0}};

static int lowest_of_ours(void)
{
    uint64_t limit = darn_os_descriptor_limit();

    return (int)(limit < HIGH ? limit : HIGH) - 2;
}

void darn_log_keep(int number)
{
    int lowest = lowest_of_ours();

    darn_log_drop(number);
    kept[number].what = darn_os_identity(number);
    if (lowest > 2)
        kept[number].fd = darn_os_duplicate(number, lowest);
}

/* The program may have closed ours with all others, and the number may be its own by now. */
static int is_ours(const struct kept *log)
{
    return log->what && darn_os_identity(log->fd) == log->what;
}

void darn_log_drop(int number)
{
    if (is_ours(&kept[number]))
        darn_os_close(kept[number].fd);
    kept[number].fd = -1;
}

int darn_log(int number)
{
    if (is_ours(&kept[number]))
        return kept[number].fd;
    return kept[number].what && darn_os_identity(number) == kept[number].what ? number : -1;
}
