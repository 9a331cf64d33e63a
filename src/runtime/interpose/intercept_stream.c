/*
 * Streams over pipes and sockets carry messages, too, but libc reads and writes them without a
 * word. So as soon as there is one, who reads from any stream, or gets a message, comes after all
 * that anybody did.
 */
#define _GNU_SOURCE
#define __NO_INLINE__ 1 /* else getline is a function of the header */
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <wchar.h>

#include "runtime/interpose/channel.h"
#include "runtime/interpose/intercept.h"
#include "runtime/interpose/message.h"
#include "runtime/interpose/used.h"
#include "runtime/order/ordering.h"
#include "runtime/os/os.h"

#define FRAME __builtin_frame_address(0)

/* Its end is that of its memory (intercept_file.c). */
static inline void uses(const FILE *stream, const void *frame)
{
    if (darn_used_is_wanted())
        darn_used_object(darn_thread_peek(), (uintptr_t)stream, DARN_OBJECT_STREAM, frame);
}

/* Whether somebody of ours may have written what was read. */
static void has_read(FILE *stream)
{
    struct darn_thread *thread = darn_ordering ? darn_thread_peek() : NULL;

    if (thread && (darn_message_streams || darn_channel_stream_is_written(stream)))
        darn_order_after_all(thread);
}

static bool writes(const char *mode)
{
    return *mode != 'r' || strchr(mode, '+');
}

DARN_INTERCEPT(FILE *, fdopen, int fd, const char *mode)
{
    FILE *stream = DARN_REAL(fdopen)(fd, mode);
    int saved = errno;

    darn_message_opened_stream(stream, fd, writes(mode));
    errno = saved;
    return stream;
}

/* result name(parameters) that opens a stream. */
#define OPENS(name, parameters, arguments)                                                         \
    DARN_INTERCEPT(FILE *, name, PARAMETERS parameters)                                            \
    {                                                                                              \
        FILE *opened;                                                                              \
        int saved;                                                                                 \
                                                                                                   \
        darn_message_opens(writes(mode), FRAME);                                                   \
        opened = DARN_REAL(name) arguments;                                                        \
        saved = errno;                                                                             \
        darn_message_opened_stream(opened, opened ? fileno(opened) : -1, writes(mode));            \
        errno = saved;                                                                             \
        return opened;                                                                             \
    }
#define PARAMETERS(...) __VA_ARGS__

OPENS(fopen, (const char *path, const char *mode), (path, mode))
OPENS(fopen64, (const char *path, const char *mode), (path, mode))
OPENS(freopen, (const char *path, const char *mode, FILE *stream), (path, mode, stream))
OPENS(freopen64, (const char *path, const char *mode, FILE *stream), (path, mode, stream))

DARN_INTERCEPT(FILE *, popen, const char *command, const char *mode)
{
    darn_message_streams = true;
    darn_order_process();
    return DARN_REAL(popen)(command, mode);
}

/* result name(parameters) that reads from a stream. */
#define READS(result, name, parameters, arguments)                                                 \
    DARN_INTERCEPT(result, name, PARAMETERS parameters)                                            \
    {                                                                                              \
        result got;                                                                                \
                                                                                                   \
        uses(stream, FRAME);                                                                       \
        got = DARN_REAL(name) arguments;                                                           \
        has_read(stream);                                                                          \
        return got;                                                                                \
    }

READS(char *, fgets, (char *text, int size, FILE *stream), (text, size, stream))
READS(size_t, fread, (void *to, size_t size, size_t count, FILE *stream), (to, size, count, stream))
READS(char *, __fgets_chk, (char *text, size_t room, int size, FILE *stream),
      (text, room, size, stream))
READS(size_t, __fread_chk, (void *to, size_t room, size_t size, size_t count, FILE *stream),
      (to, room, size, count, stream))
READS(int, fgetc, (FILE * stream), (stream))
READS(int, getc, (FILE * stream), (stream))
READS(int, fgetc_unlocked, (FILE * stream), (stream))
READS(int, getc_unlocked, (FILE * stream), (stream))
READS(int, __uflow, (FILE * stream), (stream)) /* where that is a macro */
READS(char *, fgets_unlocked, (char *text, int size, FILE *stream), (text, size, stream))
READS(size_t, fread_unlocked, (void *to, size_t size, size_t count, FILE *stream),
      (to, size, count, stream))
READS(wint_t, fgetwc, (FILE * stream), (stream))
READS(wchar_t *, fgetws, (wchar_t * text, int size, FILE *stream), (text, size, stream))
READS(ssize_t, getline, (char **text, size_t *size, FILE *stream), (text, size, stream))
READS(ssize_t, getdelim, (char **text, size_t *size, int end, FILE *stream),
      (text, size, end, stream))
READS(ssize_t, __getdelim, (char **text, size_t *size, int end, FILE *stream),
      (text, size, end, stream))

/* `scanf` of this C library and of the next. (<stdio.h> makes these names of them.) */
#define SCANS(prefix)                                                                              \
    int prefix##vfscanf(FILE *stream, const char *format, va_list arguments);                      \
    int prefix##fscanf(FILE *stream, const char *format, ...);                                     \
    int prefix##scanf(const char *format, ...);                                                    \
    READS(int, prefix##vfscanf, (FILE * stream, const char *format, va_list arguments),            \
          (stream, format, arguments))                                                             \
    DARN_INTERCEPT(int, prefix##fscanf, FILE *stream, const char *format, ...)                     \
    {                                                                                              \
        va_list arguments;                                                                         \
        int got;                                                                                   \
                                                                                                   \
        uses(stream, FRAME);                                                                       \
        va_start(arguments, format);                                                               \
        got = DARN_REAL(prefix##vfscanf)(stream, format, arguments);                               \
        va_end(arguments);                                                                         \
        has_read(stream);                                                                          \
        return got;                                                                                \
    }                                                                                              \
    DARN_INTERCEPT(int, prefix##scanf, const char *format, ...)                                    \
    {                                                                                              \
        va_list arguments;                                                                         \
        int got;                                                                                   \
                                                                                                   \
        va_start(arguments, format);                                                               \
        got = DARN_REAL(prefix##vfscanf)(stdin, format, arguments);                                \
        va_end(arguments);                                                                         \
        has_read(stdin);                                                                           \
        return got;                                                                                \
    }

SCANS(__isoc99_)
SCANS(__isoc23_)

/* result name(parameters) that does something else with a stream. */
#define USES(result, name, parameters, arguments)                                                  \
    DARN_INTERCEPT(result, name, PARAMETERS parameters)                                            \
    {                                                                                              \
        uses(stream, FRAME);                                                                       \
        return DARN_REAL(name) arguments;                                                          \
    }

USES(size_t, fwrite, (const void *from, size_t size, size_t count, FILE *stream),
     (from, size, count, stream))
USES(int, fputs, (const char *text, FILE *stream), (text, stream))
USES(int, fputc, (int character, FILE *stream), (character, stream))
USES(int, putc, (int character, FILE *stream), (character, stream))
USES(int, fseek, (FILE * stream, long offset, int whence), (stream, offset, whence))
USES(int, vfprintf, (FILE * stream, const char *format, va_list arguments),
     (stream, format, arguments))
USES(int, __vfprintf_chk, (FILE * stream, int flag, const char *format, va_list arguments),
     (stream, flag, format, arguments))

DARN_INTERCEPT(int, fflush, FILE *stream)
{
    if (stream)
        uses(stream, FRAME);
    return DARN_REAL(fflush)(stream);
}

DARN_INTERCEPT(int, fprintf, FILE *stream, const char *format, ...)
{
    va_list arguments;
    int result;

    uses(stream, FRAME);
    va_start(arguments, format);
    result = DARN_REAL(vfprintf)(stream, format, arguments);
    va_end(arguments);
    return result;
}

DARN_INTERCEPT(int, __fprintf_chk, FILE *stream, int flag, const char *format, ...)
{
    va_list arguments;
    int result;

    uses(stream, FRAME);
    va_start(arguments, format);
    result = DARN_REAL(__vfprintf_chk)(stream, flag, format, arguments);
    va_end(arguments);
    return result;
}
