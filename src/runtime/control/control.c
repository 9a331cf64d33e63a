#define _GNU_SOURCE
#include "runtime/control/control.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/children.h"
#include "runtime/control/throttle.h"
#include "runtime/control/capture.h"
#include "runtime/control/turn.h"
#include "runtime/os/log.h"
#include "runtime/os/os.h"
#include "runtime/os/proc.h"
#include "runtime/os/real_function.h"
#include "runtime/report/counters.h"
#include "runtime/report/tell.h"
#include "runtime/state.h"
#include "runtime/watch/attention.h"
#include "runtime/watch/sites.h"
#include "site/armed.h"

struct darn_control_block *darn_control;

static uint32_t armed_version;

int darn_control_open(const char *path)
{
    int fd = darn_os_open(path, O_RDWR);
    void *memory = MAP_FAILED;

    if (fd >= 0) {
        memory = mmap(NULL, sizeof(struct darn_control_block), PROT_READ | PROT_WRITE, MAP_SHARED,
                      fd, 0);
        darn_os_close(fd);
    }
    if (memory == MAP_FAILED) {
        darn_say_line("darn: control: the file cannot be used");
        return 2;
    }
    darn_control = memory;
    if (darn_control->magic == DARN_CONTROL_MAGIC &&
        darn_control->version == DARN_CONTROL_VERSION &&
        darn_control->size_of_block == (uint32_t)sizeof(struct darn_control_block))
        return 0;
    darn_control->refused = DARN_REFUSED_VERSION;
    darn_control->ready = 1;
    darn_os_wake_shared(&darn_control->ready);
    return 2;
}

/* ---- what the command wants to know about the program ---- */

static bool is_listed(uint64_t base, const char *path)
{
    for (uint32_t i = 0; i < darn_control->module_count; i++) {
        if (darn_control->modules[i].base == base &&
            strncmp(darn_control->modules[i].path, path,
                    sizeof(darn_control->modules[i].path) - 1) == 0)
            return true;
    }
    return false;
}

static int list_module(struct dl_phdr_info *info, size_t size, void *unused)
{
    struct darn_block_module *module = &darn_control->modules[darn_control->module_count];
    char path[PATH_MAX];
    uint64_t end = 0;
    ssize_t length;

    (void)size;
    (void)unused;
    if (darn_control->module_count == DARN_BLOCK_MODULES)
        return 1;
    if (info->dlpi_name[0] &&
        (!realpath(info->dlpi_name, path) || is_listed(info->dlpi_addr, path)))
        return 0; /* known; or no file, such as the vdso */
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];

        if (header->p_type == PT_LOAD && header->p_vaddr + header->p_memsz > end)
            end = header->p_vaddr + header->p_memsz;
    }
    module->base = info->dlpi_addr;
    module->size = end;
    if (info->dlpi_name[0]) {
        snprintf(module->path, sizeof(module->path), "%s", path);
    } else if (darn_control->module_count == 0) {
        length = readlink("/proc/self/exe", module->path, sizeof(module->path) - 1);
        module->path[length > 0 ? length : 0] = '\0';
    }
    if (module->path[0] == '/')
        darn_control->module_count++;
    return 0;
}

#define COMPILED 32

static const struct darn_block_module *compiled[COMPILED]; /* those with sites */
static uint32_t compiled_count;

static bool is_in(const struct darn_block_module *module, uint64_t address)
{
    return address - module->base < module->size;
}

bool darn_control_has_compiled(uint64_t pc)
{
    for (uint32_t i = 0; i < compiled_count; i++) {
        if (is_in(compiled[i], pc))
            return true;
    }
    return false;
}

static void list_compiled(uint64_t site)
{
    if (darn_control_has_compiled(site))
        return;
    for (uint32_t i = 0; i < darn_control->module_count && compiled_count < COMPILED; i++) {
        if (is_in(&darn_control->modules[i], site))
            compiled[compiled_count++] = &darn_control->modules[i];
    }
}

static void list_sites(void)
{
    uint32_t count = darn_sites_count();

    if (count > DARN_BLOCK_SITES)
        count = DARN_BLOCK_SITES;
    for (uint32_t i = 0; i < count; i++) {
        darn_control->site_places[i] = (uint64_t)(uintptr_t)darn_site_at(i);
        list_compiled(darn_control->site_places[i]);
    }
    darn_control->site_count = count;
}

/* Also what another access stands for where a race is looked for: threads can be switched there. */
static bool is_learned(const struct darn_site *site)
{
    return site->kind < DARN_SITE_LEAVE;
}

/* ---- arming ---- */

/* What is healed stays so. Whether the site is armed at all. */
static bool set_bits(const struct darn_site *site, uint8_t bits)
{
    bits |= darn_armed(site) & DARN_ARMED_HEAL;
    if (darn_armed(site) != bits) { /* else the page stays that of the server */
        darn_armed_remove(site, ~(unsigned)bits);
        darn_armed_add(site, bits);
    }
    return bits != 0;
}

/* To learn, or to know who writes. */
static bool sees_all(void)
{
    return darn_control_wants(DARN_RUN_LEARN) || darn_control_wants(DARN_RUN_PROVE);
}

static void arm_sites(void)
{
    bool all = sees_all(), any = all;
    uint32_t count = darn_sites_count();

    for (uint32_t i = 0; i < count && i < DARN_BLOCK_SITES; i++) {
        const struct darn_site *site = darn_site_at(i);
        bool armed = darn_control->sites[i] & DARN_SITE_IS_ARMED;
        uint8_t bits = armed ? DARN_ARMED_STEP : 0;

        if (!site)
            continue;
        if (all && is_learned(site))
            bits |= DARN_ARMED_RECORD;
        any |= set_bits(site, bits);
    }
    if (any)
        darn_attention_keep(); /* for good: with nothing armed it costs a look at a byte */
}

void darn_control_loaded(const struct darn_site *start, const struct darn_site *stop)
{
    bool learns = sees_all();

    darn_real_modules(list_module, NULL);
    for (const struct darn_site *site = start; site < stop; site++) {
        uint32_t number = darn_site_number(site);

        if (number >= DARN_BLOCK_SITES)
            return;
        darn_control->site_places[number] = (uint64_t)(uintptr_t)site;
        list_compiled(darn_control->site_places[number]);
        if (number >= darn_control->site_count)
            darn_control->site_count = number + 1;
        if (darn_control->sites[number] & DARN_SITE_IS_ARMED)
            darn_armed_add(site, DARN_ARMED_STEP);
        if (learns && is_learned(site))
            darn_armed_add(site, DARN_ARMED_RECORD);
    }
    if (start < stop)
        darn_attention_keep();
}

/* Arms again when the command has changed its mind: what the children inherit costs them nothing.
 */
static void arm_if_changed(void)
{
    uint32_t version = darn_control->request.armed_version * 2 + sees_all();

    if (version + 1 == armed_version)
        return;
    armed_version = version + 1;
    arm_sites();
}

/* ---- runs ---- */

void darn_control_end(enum darn_end end)
{
    darn_turns = false;
    darn_control->result.end = end;
    darn_capture_threads();
    if (darn_control_wants(DARN_RUN_HOLD))
        darn_capture_hold();
    if (ftrylockfile(stdout) == 0)
        fflush(stdout);
    darn_os_exit(0);
}

static void restart_files(void)
{
    if (darn_control->out_fd >= 0) {
        if (ftruncate(darn_control->out_fd, 0) == 0)
            lseek(darn_control->out_fd, 0, SEEK_SET);
    }
    if (darn_control->in_fd >= 0)
        lseek(darn_control->in_fd, 0, SEEK_SET);
}

/* The cores that the program has without us. How many threads it makes may depend on that: a run is
 * pinned when it makes its first one, unless it has chosen for itself. */
static cpu_set_t cores;
static bool is_pinned;

static void pin(void)
{
    cpu_set_t set;

    if (darn_control->cpu < 0)
        return;
    CPU_ZERO(&set);
    CPU_SET(darn_control->cpu, &set);
    sched_setaffinity(0, sizeof(set), &set);
}

void darn_control_pin(void)
{
    cpu_set_t set;

    if (is_pinned)
        return;
    is_pinned = true;
    if (sched_getaffinity(0, sizeof(set), &set) == 0 && CPU_EQUAL(&set, &cores))
        pin();
}

static void begin_run(void)
{
    struct darn_thread *thread = darn_thread_peek();

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    /* The server may have been killed meanwhile; in a new namespace of processes it is 0. */
    if (getppid() && getppid() != darn_control->server)
        darn_os_exit(0);
    setpgid(0, 0);
    darn_state.pid = darn_os_process_id();
    if (thread)
        thread->tid = darn_os_thread_id();
    if (darn_control->cpu >= 0)
        sched_setaffinity(0, sizeof(cores), &cores);
    if (darn_control->in_fd >= 0)
        dup2(darn_control->in_fd, 0);
    if (darn_control->out_fd >= 0) {
        dup2(darn_control->out_fd, 1);
        dup2(darn_control->out_fd, 2);
        darn_log_keep(2);
    }
    darn_turn_begin();
}

static void end_those_listed(void)
{
    char path[64], list[4096];
    long length = 0;
    int fd;

    snprintf(path, sizeof(path), "/proc/self/task/%d/children", darn_os_thread_id());
    fd = darn_os_open(path, O_RDONLY);
    if (fd >= 0) {
        length = darn_os_read(fd, list, sizeof(list) - 1);
        darn_os_close(fd);
    }
    darn_children_kill(list, length);
}

/* Processes that have left the group of the run (daemons) become children of ours when those who
 * started them have ended. */
static void end_daemons(void)
{
    for (int rounds = 0; rounds < 100; rounds++) {
        pid_t ended;

        while ((ended = waitpid(-1, NULL, WNOHANG)) > 0)
            ;
        if (ended < 0)
            return; /* there are none */
        end_those_listed();
        darn_os_sleep(1000000);
    }
}

static void await_run(pid_t child)
{
    struct rusage usage = {0};
    int status = 0;

    while (wait4(child, &status, 0, &usage) < 0 && errno == EINTR)
        ;
    darn_control->result.used =
        (uint32_t)((usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000 +
                   usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
    if (darn_control->result.processes)
        kill(-child, SIGKILL);
    end_daemons();
    darn_control->result.status = status;
    if (darn_control->result.end == DARN_END_NONE)
        darn_control->result.end = DARN_END_EXIT;
}

/* A thread that a constructor has started is in no run: a fork has one thread. It may be about to
 * end. */
static bool has_other_threads(void)
{
    for (int tries = 0; tries < 200 && darn_proc_threads() > 1; tries++)
        darn_os_sleep(1000000);
    return darn_proc_threads() > 1;
}

static void start_serving(void)
{
    if (has_other_threads())
        darn_control->refused = DARN_REFUSED_THREADS;
    unsetenv(DARN_OPTIONS_VARIABLE); /* what the program starts is not controlled */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    sched_getaffinity(0, sizeof(cores), &cores);
    pin();
    darn_stack_prepare();
    darn_control_watch_signals();
    darn_real_modules(list_module, NULL);
    list_sites();
    fflush(NULL);
    darn_control->server = darn_os_process_id();
    __atomic_store_n(&darn_control->ready, 1, __ATOMIC_RELEASE);
    darn_os_wake_shared(&darn_control->ready);
}

/* Without libc's handlers: this process has one thread, and what the program has registered for its
 * own forks is not meant for this one. */
static pid_t fork_run(void)
{
    static pid_t (*plain_fork)(void);

    if (!plain_fork)
        plain_fork = (pid_t(*)(void))darn_real("_Fork");
    return plain_fork();
}

void darn_control_serve(void)
{
    uint32_t seen = 0;

    if (darn_counter_value(DARN_COUNT_SITES_UNKNOWN)) { /* schedules would be of a part of it */
        darn_say_line("darn: control: a part of the program cannot be controlled: no memory");
        darn_os_exit(2);
    }
    start_serving();
    for (;;) {
        uint32_t command;
        pid_t child;

        while ((command = __atomic_load_n(&darn_control->command, __ATOMIC_ACQUIRE)) == seen)
            darn_os_wait_shared(&darn_control->command, seen);
        seen = command;
        if (darn_control->what != DARN_COMMAND_RUN || darn_control->refused)
            darn_os_exit(0);
        memset(&darn_control->result, 0, sizeof(darn_control->result));
        darn_control->progress = 0;
        arm_if_changed();
        restart_files();
        child = fork_run();
        if (child == 0) {
            begin_run();
            return;
        }
        darn_control->child = child;
        if (child > 0)
            await_run(child);
        darn_control->child = 0;
        darn_throttle();
        __atomic_store_n(&darn_control->done, command, __ATOMIC_RELEASE);
        darn_os_wake_shared(&darn_control->done);
    }
}
