#define _GNU_SOURCE
#include "runtime/os/os_watch.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <ucontext.h>

#include "runtime/os/os.h"
#include "runtime/os/os_call.h"

#define BY_FILTER 1 /* SYS_SECCOMP, which only the kernel's header has */
#define PAGE      4096
#define CODES     256 /* parts that nobody may run */

static void (*tell)(void);
static darn_os_set_action *act;
static struct sigaction before_segv, before_sys;

static struct {
    uintptr_t start, end;
} codes[CODES];
static uint32_t code_count;

#define LOAD(field)         BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define ALLOW               BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
#define TRAP                BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP)
#define UNLESS(value, skip) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, skip)
#define ALLOW_IF(value)     UNLESS(value, 1), ALLOW
#define IS_SET(bit, skip)   BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, bit, 0, skip)

/* rdtsc or rdtscp. */
static bool reads_clock(const ucontext_t *state)
{
    const unsigned char *code = (const unsigned char *)state->uc_mcontext.gregs[REG_RIP];

    return darn_os_is_mapped((uintptr_t)code) && code[0] == 0x0f &&
           (code[1] == 0x31 || (code[1] == 0x01 && code[2] == 0xf9));
}

/* Whether the fault is that code was run that is watched; it may be, from now on. */
static bool runs_code(const siginfo_t *info)
{
    uintptr_t address = (uintptr_t)info->si_addr;

    for (uint32_t i = 0; i < code_count; i++) {
        if (address < codes[i].start || address >= codes[i].end)
            continue;
        return CALL3(SYS_mprotect, codes[i].start, codes[i].end - codes[i].start,
                     PROT_READ | PROT_EXEC) == 0;
    }
    return false;
}

/* A call that is made after all: the end of the run flushes what the program has said. */
static void make_call(greg_t *registers)
{
    registers[REG_RAX] =
        CALL3(registers[REG_RAX], registers[REG_RDI], registers[REG_RSI], registers[REG_RDX]);
}

static void trap(int number, siginfo_t *info, void *context)
{
    ucontext_t *state = context;

    if (number == SIGSYS && info->si_code == BY_FILTER) {
        tell();
        state->uc_mcontext.gregs[REG_RAX] = info->si_syscall;
        make_call(state->uc_mcontext.gregs);
        return;
    }
    if (number == SIGSEGV && runs_code(info)) {
        tell();
        return;
    }
    if (number == SIGSEGV && reads_clock(state))
        tell();
    /* Another matter, or over: it happens again, to whom it belongs. */
    act(number, number == SIGSYS ? &before_sys : &before_segv, NULL);
}

/* What these return depends on nothing but the process. */
static int install_filter(void)
{
    struct sock_filter filter[] = {
        LOAD(args[5]),
        ALLOW_IF(DARN_OS_MARK),
        LOAD(nr),
        ALLOW_IF(SYS_futex),
        ALLOW_IF(SYS_sched_yield),
        ALLOW_IF(SYS_munmap),
        ALLOW_IF(SYS_mremap),
        ALLOW_IF(SYS_madvise),
        ALLOW_IF(SYS_brk),
        ALLOW_IF(SYS_rt_sigprocmask),
        ALLOW_IF(SYS_rt_sigaction),
        ALLOW_IF(SYS_rt_sigreturn),
        ALLOW_IF(SYS_tgkill),
        ALLOW_IF(SYS_gettid),
        ALLOW_IF(SYS_getpid),
        ALLOW_IF(SYS_getitimer),
        ALLOW_IF(SYS_exit),
        ALLOW_IF(SYS_exit_group),
        /* Memory, but no new code. */
        UNLESS(SYS_mmap, 4),
        LOAD(args[2]),
        IS_SET(PROT_EXEC, 1),
        TRAP,
        ALLOW,
        UNLESS(SYS_mprotect, 4),
        LOAD(args[2]),
        IS_SET(PROT_EXEC, 1),
        TRAP,
        ALLOW,
        /* Ours: it reads a file in a process of its own (os_process.c). */
        UNLESS(SYS_clone, 4),
        LOAD(args[0]),
        ALLOW_IF(CLONE_VM | CLONE_VFORK),
        TRAP,
        /* Of its own memory. */
        UNLESS(SYS_process_vm_readv, 3),
        LOAD(args[0]),
        ALLOW_IF((uint32_t)darn_os_process_id()),
        TRAP,
    };
    struct sock_fprog program = {sizeof(filter) / sizeof(filter[0]), filter};

    CALL4(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0);
    return (int)CALL3(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program);
}

int darn_os_watch_calls(void (*asks)(void), darn_os_set_action *set_action)
{
    struct sigaction action = {.sa_sigaction = trap,
                               .sa_flags = SA_ONSTACK | SA_SIGINFO | SA_NODEFER};

    tell = asks;
    act = set_action;
    if (darn_os_confined || act(SIGSYS, &action, &before_sys) ||
        act(SIGSEGV, &action, &before_segv))
        return -1;
    darn_os_use_clock(NULL); /* a call of ours, instead of the vdso */
    return install_filter();
}

int darn_os_watch_clock(void)
{
    return (int)CALL2(SYS_prctl, PR_SET_TSC, PR_TSC_SIGSEGV);
}

int darn_os_watch_code(uintptr_t start, uintptr_t end)
{
    const uintptr_t own = (uintptr_t)trap & ~(uintptr_t)(PAGE - 1);

    /* Who handles the fault may not fault himself. */
    if (code_count == CODES || (start < own + 2 * PAGE && end > own))
        return -1;
    codes[code_count].start = start;
    codes[code_count++].end = end;
    return (int)CALL3(SYS_mprotect, start, end - start, PROT_READ);
}
