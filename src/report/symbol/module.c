#include "report/symbol/module.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/unread.h"

struct darn_module_entry {
    struct darn_module_entry *next;
    Dwfl *session;
    Dwfl_Module *module; /* NULL: it was tried */
    struct darn_module_cache cache;
    char path[];
};

/* Where dwfl_standard_find_debuginfo looks for a file by its name. */
static bool is_beside(const char *path, const char *name)
{
    static const char *const places[] = {"%.*s/%s", "%.*s/.debug/%s", "/usr/lib/debug%.*s/%s"};
    const char *slash = strrchr(path, '/');
    int length = slash ? (int)(slash - path) : 0;
    char there[PATH_MAX];

    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        int used = snprintf(there, sizeof(there), places[i], length, path, name);

        if (used > 0 && (size_t)used < sizeof(there) && access(there, F_OK) == 0)
            return true;
    }
    return false;
}

static bool has_debug_file(const char *path, const char *link)
{
    const char *slash = strrchr(path, '/');
    char name[NAME_MAX + sizeof(".debug")];

    if (link)
        return is_beside(path, link);
    snprintf(name, sizeof(name), "%s.debug", slash ? slash + 1 : path);
    return is_beside(path, name);
}

/*
 * What libdw's own does, without its last try: it loads the client of debuginfod, with some twenty
 * libraries, only to find that there is no server. That was half of the time of a report in C++,
 * whose stacks go through libraries without debug information. (No server is ever asked: a program
 * that waits for its report must not wait for a network.)
 */
static int find_debuginfo(Dwfl_Module *module, void **user, const char *name, Dwarf_Addr base,
                          const char *path, const char *link, GElf_Word sum, char **found)
{
    int fd = dwfl_build_id_find_debuginfo(module, user, name, base, path, link, sum, found);

    if (fd >= 0 || !path || !has_debug_file(path, link))
        return fd;
    return dwfl_standard_find_debuginfo(module, user, name, base, path, link, sum, found);
}

static const Dwfl_Callbacks callbacks = {
    .find_elf = dwfl_build_id_find_elf,
    .find_debuginfo = find_debuginfo,
    .section_address = dwfl_offline_section_address,
};

/* Not everything that a process has mapped is a file to read: `[vdso]`, devices, pipes. */
static int open_file(const char *path)
{
    struct stat status;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

    if (fd < 0) {
        darn_unread(path, errno);
        return -1;
    }
    if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode))
        return fd;
    close(fd);
    return -1;
}

static Dwfl_Module *report_file(Dwfl *session, const char *path)
{
    Dwfl_Module *module;
    int fd = open_file(path);

    if (fd < 0)
        return NULL;
    dwfl_report_begin(session);
    module = dwfl_report_elf(session, path, path, fd, 0, true);
    if (!module)
        close(fd); /* otherwise it belongs to the session */
    if (dwfl_report_end(session, NULL, NULL))
        return NULL;
    return module;
}

static struct darn_module_entry *new_entry(const char *path)
{
    size_t length = strlen(path);
    struct darn_module_entry *entry = calloc(1, sizeof(*entry) + length + 1);

    if (!entry)
        return NULL;
    memcpy(entry->path, path, length);
    unsetenv("DEBUGINFOD_URLS");
    entry->session = dwfl_begin(&callbacks);
    if (entry->session)
        entry->module = report_file(entry->session, path);
    return entry;
}

/* NULL without memory. */
static struct darn_module_entry *find_entry(struct darn_modules *modules, const char *path)
{
    struct darn_module_entry *entry;

    for (entry = modules->first; entry; entry = entry->next)
        if (strcmp(entry->path, path) == 0)
            return entry;
    entry = new_entry(path);
    if (!entry)
        return NULL;
    entry->next = modules->first;
    modules->first = entry;
    return entry;
}

Dwfl_Module *darn_module_open(struct darn_modules *modules, const char *path)
{
    struct darn_module_entry *entry = find_entry(modules, path);

    return entry ? entry->module : NULL;
}

struct darn_module_cache *darn_module_cache(struct darn_modules *modules, const char *path)
{
    struct darn_module_entry *entry = find_entry(modules, path);

    return entry && entry->module ? &entry->cache : NULL;
}

static void free_cache(struct darn_module_cache *cache)
{
    darn_map_free(&cache->code);
    darn_map_free(&cache->data);
    darn_map_free(&cache->units);
    darn_map_free(&cache->parts);
    darn_pool_release(&cache->pool);
}

void darn_modules_close(struct darn_modules *modules)
{
    while (modules->first) {
        struct darn_module_entry *entry = modules->first;

        modules->first = entry->next;
        dwfl_end(entry->session);
        free_cache(&entry->cache);
        free(entry);
    }
}
