#include "runtime/control/throttle.h"

#include <fcntl.h>
#include <stdint.h>
#include <string.h>

#include "runtime/os/os.h"

#define RUNS_BEFORE_PAUSE 128
#define PAUSE             2000000
#define RUNS_BEFORE_LOOK 1024
#define MOST_LEFT        (UINT64_C(1) << 20) /* kilobytes */
#define MOST_PAUSES       500                 /* times so many nanoseconds: */
#define LONG_PAUSE        10000000

/* Kilobytes of kernel memory of the kind that stacks are made of; 0 when it does not say. */
static uint64_t left_behind(void)
{
    static const char name[] = "VmallocUsed:";
    static char text[4096];
    int fd = darn_os_open("/proc/meminfo", O_RDONLY | O_CLOEXEC);
    long length = fd < 0 ? 0 : darn_os_read(fd, text, sizeof(text) - 1);
    const char *at;
    uint64_t amount = 0;

    if (fd >= 0)
        darn_os_close(fd);
    text[length > 0 ? length : 0] = '\0';
    at = strstr(text, name);
    for (at = at ? at + strlen(name) : ""; *at == ' ' || (*at >= '0' && *at <= '9'); at++)
        amount = *at == ' ' ? amount : 10 * amount + (uint64_t)(*at - '0');
    return amount;
}

void darn_throttle(void)
{
    static uint32_t runs;
    static uint64_t usual;

    if (!runs)
        usual = left_behind();
    if (++runs % RUNS_BEFORE_PAUSE == 0)
        darn_os_sleep(PAUSE);
    if (runs % RUNS_BEFORE_LOOK)
        return;
    for (int i = 0; i < MOST_PAUSES && left_behind() > usual + MOST_LEFT; i++)
        darn_os_sleep(LONG_PAUSE);
}
