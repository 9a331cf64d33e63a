#include "driver/process/input.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "driver/process/listener.h"

#define MOST_INPUT (64u << 20)
#define PATIENCE   2000 /* milliseconds */

/* What is neither a file nor comes from another program is not meant for the runs. */
static int is_meant(void)
{
    struct stat about;

    return fstat(STDIN_FILENO, &about) == 0 &&
           (S_ISREG(about.st_mode) || S_ISFIFO(about.st_mode) || S_ISSOCK(about.st_mode));
}

/* Whoever starts us may have left a pipe open that nobody writes to. */
static void say_if_it_takes_long(struct darn_listener *listener)
{
    struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};

    if (poll(&in, 1, PATIENCE) == 0)
        darn_tell_note(listener,
                       "waiting for the end of the standard input, which each run is to read "
                       "(</dev/null: there is none)");
}

/* 0 or DARN_REFUSED. */
static int copy(struct darn_listener *listener, int to, size_t *length)
{
    char piece[65536];
    ssize_t got;

    while ((got = read(STDIN_FILENO, piece, sizeof(piece))) > 0) {
        if (write(to, piece, (size_t)got) != got)
            return darn_tell_refusal(listener, "the standard input cannot be kept: %s",
                                     strerror(errno));
        *length += (size_t)got;
        if (*length > MOST_INPUT)
            return darn_tell_refusal(listener,
                                     "the standard input is longer than %u MB; --input=FILE "
                                     "gives each run a file",
                                     MOST_INPUT >> 20);
    }
    return 0;
}

int darn_input_keep(struct darn_listener *listener, const char *given, const char **path)
{
    static char own[64];
    struct stat about;
    size_t length = 0;
    int fd, status;

    *path = given;
    if (given && access(given, R_OK))
        return darn_tell_refusal(listener, "--input: %s: %s", given, strerror(errno));
    if (given && stat(given, &about) == 0 && S_ISDIR(about.st_mode))
        return darn_tell_refusal(listener, "--input: %s is a directory; a file is needed", given);
    if (given || !is_meant())
        return 0;
    fd = memfd_create("darn-input", MFD_CLOEXEC);
    if (fd < 0)
        return darn_tell_refusal(listener, "the standard input cannot be kept: %s",
                                 strerror(errno));
    say_if_it_takes_long(listener);
    status = copy(listener, fd, &length);
    if (status || !length) {
        close(fd);
        return status;
    }
    snprintf(own, sizeof(own), "/proc/%ld/fd/%d", (long)getpid(), fd);
    *path = own;
    return 0;
}
