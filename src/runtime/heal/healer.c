/* What each thread has to do with healing. */
#include <stddef.h>

#include "runtime/heal/hold.h"
#include "runtime/os/os.h"
#include "runtime/os/os_spin.h"

static struct darn_healer *healers;
static struct darn_spin lock;

struct darn_healer *darn_healer_of(struct darn_thread *thread)
{
    static struct darn_healer *piece;
    static uint32_t left;
    struct darn_healer *healer = thread->healer;
    uint64_t mask;

    if (healer)
        return healer;
    mask = darn_os_block_signals();
    darn_spin_lock(&lock);
    if (!left) {
        piece = darn_os_allocate(16 * sizeof(*piece));
        left = piece ? 16 : 0;
    }
    if (left) {
        healer = &piece[--left];
        healer->thread = thread;
        for (uint32_t i = 0; i < DARN_HOLDS; i++)
            healer->holds[i].healer = healer;
        healer->next = healers;
        healers = healer;
        thread->healer = healer;
    }
    darn_spin_unlock(&lock);
    darn_os_restore_signals(mask);
    return healer;
}

static void add_up(struct darn_healer *healer, uint32_t i)
{
    if (healer->entered[i].cure)
        atomic_fetch_add_explicit(&healer->entered[i].cure->entered, healer->entered[i].times,
                                  memory_order_relaxed);
    healer->entered[i].times = 0;
}

void darn_healer_count(struct darn_healer *healer, struct darn_cure *cure)
{
    uint32_t i = (uint32_t)((uintptr_t)cure / sizeof(*cure)) % DARN_HOLDS;

    if (healer->entered[i].cure != cure) {
        add_up(healer, i);
        healer->entered[i].cure = cure;
    }
    __atomic_store_n(&healer->entered[i].times, healer->entered[i].times + 1, __ATOMIC_RELAXED);
}

uint64_t darn_healers_entered(const struct darn_cure *cure)
{
    uint32_t i = (uint32_t)((uintptr_t)cure / sizeof(*cure)) % DARN_HOLDS;
    uint64_t mask = darn_os_block_signals(), sum = 0;

    darn_spin_lock(&lock);
    for (const struct darn_healer *healer = healers; healer; healer = healer->next)
        if (__atomic_load_n(&healer->entered[i].cure, __ATOMIC_RELAXED) == cure)
            sum += __atomic_load_n(&healer->entered[i].times, __ATOMIC_RELAXED);
    darn_spin_unlock(&lock);
    darn_os_restore_signals(mask);
    return sum;
}

void darn_healers_sum(void)
{
    for (struct darn_healer *healer = healers; healer; healer = healer->next) {
        for (uint32_t i = 0; i < DARN_HOLDS; i++)
            add_up(healer, i);
    }
}

void darn_healers_before_fork(void)
{
    darn_spin_lock(&lock);
}

void darn_healers_after_fork(bool child)
{
    const struct darn_thread *self = darn_thread_peek();

    for (struct darn_healer *healer = healers; child && healer; healer = healer->next) {
        if (!self || healer != self->healer)
            healer->used = healer->ending = healer->left = 0;
    }
    darn_spin_unlock(&lock);
}
