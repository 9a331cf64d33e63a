#include "trace/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/grow.h"

#define PAGE 4096u

static int read_all(struct darn_trace_file *file, int descriptor)
{
    size_t room = 0;
    ssize_t got;

    do {
        if (file->length + PAGE > room) { /* not darn_grow: what is not read is not touched */
            room = room ? 2 * room : 2 * PAGE;
            file->owned = darn_need_memory(realloc(file->owned, room));
        }
        got = read(descriptor, file->owned + file->length, room - file->length);
        if (got > 0)
            file->length += (size_t)got;
    } while (got > 0 || (got < 0 && errno == EINTR));
    if (got < 0)
        return -errno;
    file->bytes = file->owned;
    file->stored = file->length;
    return 0;
}

static int read_part(int descriptor, uint8_t *to, off_t from, off_t end)
{
    while (from < end) {
        ssize_t got = pread(descriptor, to + from, (size_t)(end - from), from);

        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return got ? -errno : 0;
        from += got;
    }
    return 0;
}

/*
 * A file with holes, as a program leaves it that was killed or found the disk full: a hole that is
 * mapped takes room on some kinds of disks, and if there is none, who looks at it dies of SIGBUS.
 * So what there is is read into memory of our own.
 */
static int read_parts(int descriptor, uint8_t *to, off_t length)
{
    off_t at = 0;
    int result = 0;

    while (at < length && !result) {
        off_t data = lseek(descriptor, at, SEEK_DATA), hole;

        if (data < 0)
            return errno == ENXIO ? 0 : read_part(descriptor, to, at, length);
        hole = lseek(descriptor, data, SEEK_HOLE);
        at = hole < 0 || hole > length ? length : hole;
        result = read_part(descriptor, to, data, at);
    }
    return result;
}

static void *copy_all(int descriptor, size_t length, int *error)
{
    void *at = mmap(NULL, length, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    *error = at == MAP_FAILED ? -errno : read_parts(descriptor, at, (off_t)length);
    if (*error && at != MAP_FAILED)
        munmap(at, length);
    return *error ? MAP_FAILED : at;
}

static int map_all(struct darn_trace_file *file, int descriptor, const struct stat *about)
{
    size_t stored = (size_t)about->st_blocks * 512;
    int error = 0;
    void *at;

    file->length = (size_t)about->st_size;
    file->stored = stored < file->length ? stored : file->length;
    if (file->stored < file->length) {
        at = copy_all(descriptor, file->length, &error);
    } else {
        at = mmap(NULL, file->length, PROT_READ, MAP_PRIVATE, descriptor, 0);
        error = at == MAP_FAILED ? -errno : 0;
    }
    if (error)
        return error;
    file->bytes = at;
    file->descriptor = descriptor;
    return 0;
}

int darn_trace_file_open(struct darn_trace_file *file, const char *path)
{
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    struct stat about;
    int result;

    *file = (struct darn_trace_file){.descriptor = -1};
    if (descriptor < 0)
        return -errno;
    if (fstat(descriptor, &about))
        result = -errno;
    else if (S_ISREG(about.st_mode) && about.st_size > 0)
        result = map_all(file, descriptor, &about);
    else
        result = read_all(file, descriptor);
    if (file->descriptor < 0)
        close(descriptor);
    if (result)
        darn_trace_file_close(file);
    return result;
}

void darn_trace_file_memory(struct darn_trace_file *file, const void *bytes, size_t length)
{
    *file = (struct darn_trace_file){
        .bytes = bytes, .length = length, .stored = length, .descriptor = -1};
}

void darn_trace_file_close(struct darn_trace_file *file)
{
    if (file->descriptor >= 0) {
        munmap((void *)(uintptr_t)file->bytes, file->length);
        close(file->descriptor);
    }
    free(file->owned);
    *file = (struct darn_trace_file){.descriptor = -1};
}

/* A page that is shared with a neighbour comes back by itself when it is looked at. */
void darn_trace_file_forget(const struct darn_trace_file *file, uint64_t from, uint64_t to)
{
    from -= from % PAGE;
    to -= to % PAGE;
    if (file->descriptor >= 0 && from < to)
        (void)madvise((void *)(uintptr_t)(file->bytes + from), to - from, MADV_DONTNEED);
}

uint64_t darn_trace_file_data(const struct darn_trace_file *file, uint64_t at)
{
    off_t data;

    if (file->descriptor < 0)
        return at;
    data = lseek(file->descriptor, (off_t)at, SEEK_DATA);
    if (data < 0)
        return errno == ENXIO ? file->length : at;
    return (uint64_t)data < file->length ? (uint64_t)data : file->length;
}
