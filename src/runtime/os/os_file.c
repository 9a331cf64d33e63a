#include "runtime/os/os_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/text.h"
#include "runtime/os/os.h"

#define FIRST_SIZE   (256 * 1024)
#define LONGEST_NAME 200 /* as in base/draft.c */

/* Somebody who holds the lock merges a profile: that takes milliseconds. */
#define PATIENCE UINT64_C(5000000000)

static int grow(struct darn_file *file)
{
    size_t size = file->size ? 4 * file->size : FIRST_SIZE;
    char *larger = darn_os_allocate(size);

    if (!larger)
        return -ENOMEM;
    if (file->length)
        memcpy(larger, file->text, file->length);
    if (file->text)
        darn_os_free(file->text, file->size);
    file->text = larger;
    file->size = size;
    return 0;
}

int darn_file_read(struct darn_file *file, const char *path)
{
    int fd = darn_os_open(path, O_RDONLY);
    long got = fd;

    *file = (struct darn_file){0};
    if (fd < 0)
        return fd;
    do {
        if (file->length == file->size && (got = grow(file)) < 0)
            break;
        got = darn_os_read(fd, file->text + file->length, file->size - file->length);
        if (got > 0)
            file->length += (size_t)got;
    } while (got > 0 || got == -EINTR);
    darn_os_close(fd);
    if (got < 0)
        darn_file_free(file);
    return (int)got;
}

bool darn_file_is_denied(const char *path)
{
    int fd = darn_os_open(path, O_RDONLY);

    if (fd >= 0)
        darn_os_close(fd);
    return fd == -EACCES || fd == -EPERM;
}

void darn_file_free(struct darn_file *file)
{
    if (file->text)
        darn_os_free(file->text, file->size);
    *file = (struct darn_file){0};
}

/* The lock is that of the directory: the file itself is replaced by others meanwhile, and a file of
 * its own would be left lying about. */
int darn_file_lock(const char *path)
{
    const char *slash = strrchr(path, '/');
    char directory[4096];
    struct darn_text text;
    int fd;

    darn_text_start(&text, directory, sizeof(directory));
    if (slash)
        darn_text_part(&text, path, slash == path ? 1 : (size_t)(slash - path));
    else
        darn_text_char(&text, '.');
    fd = darn_os_open(directory, O_RDONLY | O_DIRECTORY);
    if (fd >= 0)
        darn_os_lock(fd, PATIENCE);
    return fd;
}

void darn_file_unlock(int locked)
{
    if (locked >= 0)
        darn_os_close(locked);
}

/* `.NAME.XXXXXX.tmp`, as base/draft.h names drafts, and removes those that were left. Who shares
 * the directory shall not guess the name: it is the time, to the nanosecond. */
static bool name_draft(struct darn_out *out)
{
    static const char digits[] = "0123456789abcdefghijklmnopqrstuv";
    const char *slash = strrchr(out->path, '/');
    const char *name = slash ? slash + 1 : out->path;
    struct darn_text text;

    darn_text_start(&text, out->beside, sizeof(out->beside));
    darn_text_part(&text, out->path, (size_t)(name - out->path));
    darn_text_char(&text, '.');
    darn_text_part(&text, name, strnlen(name, LONGEST_NAME));
    darn_text_char(&text, '.');
    for (uint64_t now = darn_os_now(), i = 0; i < 8; i++, now >>= 5)
        darn_text_char(&text, digits[now % 32]);
    darn_text_add(&text, ".tmp");
    return !text.cut;
}

/* A descriptor, or a negative errno. -EEXIST: it is worth another try. */
static int open_draft(const struct darn_out *out)
{
    int fd = darn_os_open(out->beside, O_WRONLY | O_CREAT | O_EXCL); /* follows no link */

    /* Somebody may have taken it for one that was left, before it was locked. */
    if (fd >= 0 && (darn_os_lock(fd, 0) == -EWOULDBLOCK || !darn_os_has_name(fd))) {
        darn_os_close(fd);
        return -EEXIST;
    }
    return fd;
}

void darn_out_start(struct darn_out *out, const char *path)
{
    out->path = path;
    out->used = 0;
    out->error = 0;
    out->fd = -EEXIST;
    for (int i = 0; i < 10 && out->fd == -EEXIST; i++)
        out->fd = name_draft(out) ? open_draft(out) : -ENAMETOOLONG;
    if (out->fd < 0)
        out->error = out->fd;
}

static void flush(struct darn_out *out)
{
    if (!out->error)
        out->error = darn_os_write(out->fd, out->buffer, out->used);
    out->used = 0;
}

void darn_out_char(struct darn_out *out, char c)
{
    if (out->used == DARN_OUT_SIZE)
        flush(out);
    out->buffer[out->used++] = c;
}

void darn_out_part(struct darn_out *out, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        darn_out_char(out, text[i]);
}

void darn_out_text(struct darn_out *out, const char *text)
{
    darn_out_part(out, text, strlen(text));
}

int darn_out_finish(struct darn_out *out)
{
    flush(out);
    if (out->fd < 0)
        return out->error;
    darn_os_close(out->fd);
    if (!out->error)
        out->error = darn_os_rename(out->beside, out->path);
    if (out->error)
        darn_os_remove(out->beside);
    return out->error;
}
