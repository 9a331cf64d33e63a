#include "runtime/control/inputs.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "runtime/control/control.h"
#include "runtime/control/livelock.h"
#include "runtime/control/turn.h"

/* The numbers of /dev/random and /dev/urandom. */
#define MEMORY_DEVICES 1
#define RANDOM_DEVICE  8
#define URANDOM_DEVICE 9

/* A record: one byte for the kind, four for the length, then the bytes. */
#define HEAD 5

static uint32_t fed; /* bytes of inputs[] that were used */

static void keep(enum darn_input kind, const void *bytes, uint32_t length)
{
    struct darn_result *result = &darn_control->result;
    char *to = darn_control->inputs + result->input_length;

    if (DARN_BLOCK_INPUTS - result->input_length < HEAD + (uint64_t)length) {
        result->unrecorded |= 1u << kind;
        return;
    }
    to[0] = (char)kind;
    memcpy(to + 1, &length, sizeof(length));
    memcpy(to + HEAD, bytes, length);
    result->input_length += HEAD + length;
}

/* A run that has gone another way asks for something else: it gets what is really there. */
static void feed(enum darn_input kind, void *bytes, uint32_t length)
{
    const char *from = darn_control->inputs + fed;
    uint32_t kept;

    if (fed + HEAD > DARN_BLOCK_INPUTS || from[0] != (char)kind)
        return;
    memcpy(&kept, from + 1, sizeof(kept));
    if (kept != length || DARN_BLOCK_INPUTS - fed - HEAD < length)
        return;
    memcpy(bytes, from + HEAD, length);
    fed += HEAD + length;
}

void darn_input(enum darn_input kind, void *bytes, size_t length)
{
    darn_livelock_spoil();
    if (length > UINT32_MAX)
        return;
    if (darn_control_wants(DARN_RUN_FEED))
        feed(kind, bytes, (uint32_t)length);
    else
        keep(kind, bytes, (uint32_t)length);
}

void darn_input_not_recorded(enum darn_input kind)
{
    darn_livelock_spoil();
    darn_control->result.unrecorded |= 1u << kind;
}

void darn_input_read(int fd, void *bytes, long length)
{
    struct stat status;
    int saved = errno;

    if (length <= 0 || fstat(fd, &status))
        return;
    errno = saved;
    if (S_ISSOCK(status.st_mode))
        darn_input_not_recorded(DARN_INPUT_SOCKET);
    if (!S_ISCHR(status.st_mode))
        return;
    if (major(status.st_rdev) == MEMORY_DEVICES &&
        (minor(status.st_rdev) == RANDOM_DEVICE || minor(status.st_rdev) == URANDOM_DEVICE))
        darn_input(DARN_INPUT_RANDOM, bytes, (size_t)length);
    else
        darn_input_not_recorded(DARN_INPUT_DEVICE);
}
