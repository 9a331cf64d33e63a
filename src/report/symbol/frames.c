#include "report/symbol/frames.h"

#include <string.h>

static bool is_one_of(const char *name, const char *const *list)
{
    for (; name && *list; list++)
        if (strcmp(name, *list) == 0)
            return true;
    return false;
}

static bool begins_with(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

static const char *base_of(const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL;

    return slash ? slash + 1 : path;
}

bool darn_frame_is_libc(const struct darn_frame *frame)
{
    const char *base = base_of(frame->module);

    return base && (begins_with(base, "libc.so") || begins_with(base, "libc-") ||
                    begins_with(base, "libpthread.so") || begins_with(base, "libpthread-") ||
                    begins_with(base, "ld-linux"));
}

/* Interceptors have the names of what they stand for, `read` or `pthread_join`, but lie beside this
 * file: both come from one build. */
static bool is_runtime_source(const char *file)
{
    static const char here[] = __FILE__, part[] = "report/symbol/frames.c", runtime[] = "runtime/";
    size_t root = sizeof(here) > sizeof(part) ? sizeof(here) - sizeof(part) : 0;

    return file && root && strcmp(here + root, part) == 0 && strncmp(file, here, root) == 0 &&
           begins_with(file + root, runtime);
}

bool darn_frame_is_runtime(const struct darn_frame *frame)
{
    const char *slash = frame->module ? strrchr(frame->module, '/') : NULL;

    /* Every exported name of the runtime carries the prefix; one that was preloaded is a file. */
    return (frame->function && begins_with(frame->function, "darn_")) ||
           (slash && begins_with(slash + 1, "libdarn_rt.so")) || is_runtime_source(frame->file);
}

bool darn_frame_is_library(const struct darn_frame *frame)
{
    return frame->file && strstr(frame->file, "/include/") && strstr(frame->file, "/c++/");
}

bool darn_frame_is_plumbing(const struct darn_frame *frame)
{
    const char *base = base_of(frame->module);

    if (darn_frame_is_libc(frame) || darn_frame_is_library(frame))
        return true;
    if (base && (begins_with(base, "libstdc++.so") || begins_with(base, "libc++.so") ||
                 begins_with(base, "libc++abi.so")))
        return true;
    return !frame->file && frame->function &&
           (begins_with(frame->function, "std::") || begins_with(frame->function, "__gnu_cxx::"));
}

bool darn_frame_is_outside(const struct darn_frame *frame)
{
    /* By name where libc is linked statically. The last three are functions of our runtime, which
     * every thread begins with. */
    static const char *const starts[] = {
        "_start",
        "__libc_start_main",
        "__libc_start_main_impl",
        "__libc_start_call_main",
        "clone",
        "clone3",
        "__clone3",
        "start_thread",
        "run_pthread",
        "run_c11",
        "run_main",
        NULL,
    };

    return darn_frame_is_libc(frame) || darn_frame_is_runtime(frame) ||
           is_one_of(frame->function, starts);
}

const struct darn_frame *darn_frames_telling(const struct darn_finding_stack *stack)
{
    const struct darn_frame *library = NULL;

    for (size_t i = 0; i < stack->count; i++) {
        const struct darn_frame *frame = &stack->frames[i];

        if (!frame->file || darn_frame_is_libc(frame) || darn_frame_is_runtime(frame))
            continue;
        if (!darn_frame_is_library(frame))
            return frame;
        library = library ? library : frame;
    }
    return library;
}

void darn_frames_trim(struct darn_finding_stack *stack)
{
    size_t end = stack->count, kept = 0, count = 0;

    while (end > 0 && darn_frame_is_outside(&stack->frames[end - 1]))
        end--;
    for (size_t i = 0; i < end; i++)
        kept += !darn_frame_is_runtime(&stack->frames[i]);
    if (!kept)
        return;
    for (size_t i = 0; i < end; i++)
        if (!darn_frame_is_runtime(&stack->frames[i]))
            stack->frames[count++] = stack->frames[i];
    stack->count = count;
}
