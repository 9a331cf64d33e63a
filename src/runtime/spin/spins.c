#include "runtime/spin/spins.h"

#include <stdatomic.h>
#include <stddef.h>

#include "runtime/os/os.h"
#include "base/hash.h"
#include "base/random.h"
#include "runtime/os/os_spin.h"
#include "runtime/record/record_profile.h"
#include "runtime/record/record.h"
#include "runtime/record/share.h"
#include "runtime/record/record_tables.h"
#include "runtime/report/counters.h"
#include "runtime/report/found.h"
#include "runtime/state.h"
#include "runtime/thread/thread.h"
#include "runtime/watch/attention.h"
#include "runtime/watch/sites.h"
#include "site/armed.h"

#define WATCHES 64
#define PAIRS   1024

/* With a pair known already, a spin is watched once in so many times: another store may end it,
 * too. Only where raising attention costs anything. */
#define AGAIN 64

struct watch {
    _Atomic uint32_t owner; /* number of the thread that spins + 1; 0: unused */
    uintptr_t address;
    uint32_t size;
    uint64_t value; /* that is seen over and over again */
    const struct darn_site *reader;
    _Atomic(const struct darn_site *) writer; /* the last store of another thread */
    _Atomic bool open;
};

static struct watch watches[WATCHES];
static _Atomic uint32_t open_count;

/* By key: a function that was inlined in several places has several sites for one line. */
struct pair {
    uint64_t reader, writer;
};

/* Protects the addition of pairs. Taken with signals blocked. */
static struct darn_spin lock;
static struct pair pairs[PAIRS];
static _Atomic uint32_t pair_count;

static bool is_pair(uint64_t reader, uint64_t writer)
{
    uint32_t count = atomic_load_explicit(&pair_count, memory_order_acquire);

    for (uint32_t i = 0; i < count; i++) {
        if (pairs[i].reader == reader && pairs[i].writer == writer)
            return true;
    }
    return false;
}

/* All sites of the line. */
static void arm_all(uint64_t key, uint8_t bit)
{
    for (uint32_t i = 0; i < darn_sites_count(); i++) {
        const struct darn_site *site = darn_site_key_at(i) == key ? darn_site_at(i) : NULL;

        if (site && darn_site_is_mapped(site))
            darn_armed_add(site, bit);
    }
}

static bool add_pair(uint64_t reader, uint64_t writer)
{
    uint64_t mask = darn_os_block_signals();
    bool added = false;

    darn_spin_lock(&lock);
    if (!is_pair(reader, writer)) {
        uint32_t count = pair_count;

        if (count < PAIRS) {
            pairs[count].writer = writer;
            pairs[count].reader = reader;
            atomic_store_explicit(&pair_count, count + 1, memory_order_release);
            added = true;
        } else {
            darn_count(DARN_COUNT_SPINS_FULL);
        }
    }
    darn_spin_unlock(&lock);
    darn_os_restore_signals(mask);
    return added;
}

static void recognise(const struct darn_site *reader, const struct darn_site *writer)
{
    uint64_t reader_key = darn_site_key(reader), writer_key = darn_site_key(writer);

    if (is_pair(reader_key, writer_key) || !add_pair(reader_key, writer_key))
        return;
    darn_count(DARN_COUNT_SPINS);
    arm_all(reader_key, DARN_ARMED_SYNC_READ);
    arm_all(writer_key, DARN_ARMED_SYNC_WRITE);
    if (darn_recording)
        darn_tables_sync(reader, writer);
    if (darn_state.mode == DARN_MODE_LEARN)
        darn_profile_add_pair(DARN_FACT_SPIN, reader, writer);
    darn_findings_recognised();
}

/* The value as a number. What cannot be held in one counts as never changing. */
static uint64_t value_at(uintptr_t address, uint32_t size)
{
    switch (size) {
    case 1:
        return *(const volatile uint8_t *)address;
    case 2:
        return *(const volatile uint16_t *)address;
    case 4:
        return *(const volatile uint32_t *)address;
    case 8:
        return *(const volatile uint64_t *)address;
    default:
        return 0;
    }
}

/* An address at which a store is being held back. */
static _Atomic uintptr_t wanted;

static bool is_wanted(const struct darn_load *load)
{
    return atomic_load_explicit(&wanted, memory_order_relaxed) == load->address;
}

static int32_t open_watch(struct darn_thread *thread, const struct darn_load *load)
{
    if (darn_state.mode == DARN_MODE_WATCH && darn_armed(load->site) & DARN_ARMED_SYNC_READ &&
        !is_wanted(load) && darn_random(&thread->random) % AGAIN)
        return 0;
    for (int32_t i = 0; i < WATCHES; i++) {
        struct watch *watch = &watches[i];
        uint32_t expected = 0;

        if (!atomic_compare_exchange_strong(&watch->owner, &expected, thread->number + 1))
            continue;
        watch->address = load->address;
        watch->size = load->site->size;
        watch->value = load->value;
        watch->reader = load->site;
        atomic_store(&watch->writer, NULL);
        atomic_store(&watch->open, true);
        atomic_fetch_add(&open_count, 1);
        darn_attention_refresh();
        return i + 1;
    }
    darn_count(DARN_COUNT_SPINS_FULL);
    return 0;
}

/* Ends the spin: whoever has stored last has ended it. */
static void close_watch(struct darn_load *load)
{
    struct watch *watch = load->watch ? &watches[load->watch - 1] : NULL;
    const struct darn_site *writer;

    if (!watch)
        return;
    load->watch = 0;
    atomic_store(&watch->open, false);
    writer = atomic_load(&watch->writer);
    if (writer)
        recognise(load->site, writer);
    else
        darn_count(DARN_COUNT_SPINS_UNSEEN);
    atomic_fetch_sub(&open_count, 1);
    atomic_store(&watch->owner, 0);
    darn_attention_refresh();
}

/* One that has not spun for long enough to be watched may have had to, in another run. */
static void leave_load(struct darn_thread *thread, struct darn_load *load)
{
    if (load->watch)
        close_watch(load);
    else if (load->site)
        darn_spins_suspect(thread, load->address, load->site);
    load->site = NULL;
}

static struct darn_load *find_load(struct darn_thread *thread, const struct darn_site *site)
{
    struct darn_load *load;

    for (int i = 0; i < DARN_LOADS; i++) {
        if (thread->loads[i].site == site)
            return &thread->loads[i];
    }
    load = &thread->loads[thread->next_load++ % DARN_LOADS];
    leave_load(thread, load);
    return load;
}

/* Which addresses reads of spins have touched, by hash: an atomic operation there may belong to a
 * spin, one elsewhere does not. */
#define TOUCHED 4096
static _Atomic uint8_t touched[TOUCHED];

static _Atomic uint8_t *touched_at(uintptr_t address)
{
    return &touched[(address >> 2 ^ address >> 14) % TOUCHED];
}

static bool read_once(struct darn_thread *thread, uintptr_t address, const struct darn_site *site)
{
    struct darn_load *load = find_load(thread, site);
    uint64_t value = value_at(address, site->size);

    if (!*touched_at(address))
        *touched_at(address) = 1;
    if (load->site == site && load->address == address && load->value == value) {
        if (load->count < UINT32_MAX)
            load->count++;
        if (load->count == darn_state.options.spin_threshold ||
            (load->count > darn_state.options.spin_threshold && !load->watch && is_wanted(load)))
            load->watch = open_watch(thread, load);
        thread->spinning = true;
        return false;
    }
    if (load->site == site)
        leave_load(thread, load);
    *load = (struct darn_load){.site = site, .address = address, .value = value, .count = 1};
    thread->spinning = true;
    return true;
}

bool darn_spins_read(struct darn_thread *thread, uintptr_t address, const struct darn_site *site)
{
    bool first;

    if (thread->in_loads)
        return false;
    thread->in_loads = true;
    atomic_signal_fence(memory_order_seq_cst);
    first = read_once(thread, address, site);
    atomic_signal_fence(memory_order_seq_cst);
    thread->in_loads = false;
    return first;
}

void darn_spins_leave(struct darn_thread *thread)
{
    if (thread->in_loads)
        return;
    thread->in_loads = true;
    atomic_signal_fence(memory_order_seq_cst);
    thread->spinning = false;
    for (int i = 0; i < DARN_LOADS; i++)
        leave_load(thread, &thread->loads[i]);
    atomic_signal_fence(memory_order_seq_cst);
    thread->in_loads = false;
}

static bool touches(const struct watch *watch, const struct darn_touch *touch)
{
    return watch->address < touch->address + touch->size &&
           touch->address < watch->address + watch->size;
}

/* A store of the very value that is seen anyway ends nothing. */
static bool may_end(const struct watch *watch, const struct darn_touch *touch)
{
    return !touch->has_value || touch->address != watch->address || touch->size != watch->size ||
           touch->value != watch->value;
}

static bool store(struct darn_thread *thread, const struct darn_touch *touch, bool note)
{
    bool any = false;

    for (int i = 0; i < WATCHES; i++) {
        struct watch *watch = &watches[i];

        if (!atomic_load(&watch->open) || watch->owner == thread->number + 1 ||
            !touches(watch, touch) || !may_end(watch, touch))
            continue;
        any = true;
        if (note && touch->site)
            atomic_store(&watch->writer, touch->site);
    }
    return any;
}

bool darn_spins_store(struct darn_thread *thread, const struct darn_touch *touch)
{
    return atomic_load_explicit(&open_count, memory_order_relaxed) && store(thread, touch, true);
}

/* Who waits for the end of a thread, or a lock, will not spin before we go on. */
static bool may_come(const struct darn_thread *self)
{
    const struct darn_thread *other;
    uint32_t index = 0;
    struct darn_wait wait;

    while ((other = darn_threads_next(&index))) {
        if (other != self && (!darn_wait_read(&other->wait, &wait) || wait.kind == DARN_WAIT_OTHER))
            return true;
    }
    return false;
}

/* Who holds a suspected store back: nobody, an atomic update or another store. */
enum { NOBODY, UPDATE, STORE };
static _Atomic uint32_t holder;

/* Whether the thread still is, if it was. */
static bool is_holder(uint32_t kind)
{
    return kind == NOBODY || atomic_load(&holder) == kind;
}

/* Until somebody spins on it; not if nobody can. */
static void await(struct darn_thread *thread, const struct darn_touch *touch, uint64_t nanoseconds,
                  uint32_t kind)
{
    uint64_t end = darn_os_now() + nanoseconds;

    atomic_store(&wanted, touch->address);
    while (!store(thread, touch, false) && may_come(thread) && darn_os_now() < end &&
           is_holder(kind))
        darn_os_sleep(50000);
    if (is_holder(kind))
        atomic_store(&wanted, 0);
}

static bool is_known_pair(const struct darn_site *reader, const struct darn_site *writer)
{
    uint64_t reader_key = darn_site_key(reader), writer_key = darn_site_key(writer);

    return is_pair(reader_key, writer_key) || darn_profile_has_pair(reader_key, writer_key);
}

/* Pairs that were looked at, by hash: it takes system calls, and nothing more comes of them. Where
 * another module has taken the place of one, there are more sites than before. */
#define SETTLED 4096
static _Atomic uint64_t settled[SETTLED];

static uint64_t hash_of_pair(const struct darn_site *reader, const struct darn_site *writer)
{
    return darn_mix_two(darn_mix_two((uintptr_t)reader, (uintptr_t)writer), darn_sites_count());
}

void darn_spins_suspect(struct darn_thread *thread, uintptr_t address, const struct darn_site *site)
{
    uint32_t writer_thread = 0;
    const struct darn_site *writer;
    uint64_t hash;

    if (darn_state.mode != DARN_MODE_LEARN)
        return;
    writer = darn_share_last_writer(address, &writer_thread);
    if (!writer || writer_thread == thread->number)
        return;
    hash = hash_of_pair(site, writer);
    if (atomic_load_explicit(&settled[hash % SETTLED], memory_order_relaxed) == hash ||
        !darn_site_is_mapped(writer))
        return;
    atomic_store_explicit(&settled[hash % SETTLED], hash, memory_order_relaxed);
    /* The exchange of a test-and-set lock waits itself: it ends nobody's spin. */
    if (writer->flags & DARN_SITE_SPIN ||
        (!(site->flags & DARN_SITE_SPIN) &&
         (writer->flags & DARN_SITE_ATOMIC || darn_armed(writer) & DARN_ARMED_SYNC_WRITE)) ||
        is_known_pair(site, writer))
        return;
    darn_profile_add_pair(DARN_FACT_SUSPECT, site, writer);
    darn_armed_add(writer, DARN_ARMED_SUSPECT);
}

/*
 * The four synchronizations that Tian's tool missed in FMM: a store that is held back until the
 * reader comes makes the reader wait, and the spin shows. One at a time: threads that all hold
 * their stores back wait for nobody. A store that was held a few times is let go.
 */
#define SUSPECT_NS   UINT64_C(200000000)
#define MOST_SUSPECT 40
#define ATTEMPTS     8

/* A store takes the place of an update: who is held back before it takes a lock keeps nobody
 * waiting, and the others would be done with it meanwhile. */
static bool become_holder(uint32_t kind)
{
    uint32_t other = NOBODY;

    return atomic_compare_exchange_strong(&holder, &other, kind) ||
           (other < kind && atomic_compare_exchange_strong(&holder, &other, kind));
}

void darn_spins_hold_suspect(struct darn_thread *thread, const struct darn_touch *touch)
{
    static _Atomic uint32_t held;
    static _Atomic uint8_t tried[1024];
    _Atomic uint8_t *times = &tried[(uintptr_t)touch->site / sizeof(*touch->site) % 1024];
    uint32_t kind = touch->op == DARN_OP_UPDATE ? UPDATE : STORE;

    if (!(darn_armed(touch->site) & DARN_ARMED_SUSPECT) || darn_threads_alive() < 2 ||
        *times >= ATTEMPTS || atomic_load(&held) >= MOST_SUSPECT || !may_come(thread))
        return; /* before the others have begun it would be an attempt in vain */
    if (!become_holder(kind))
        return;
    atomic_fetch_add(&held, 1);
    darn_count(DARN_COUNT_STORES_HELD);
    atomic_fetch_add(times, 1);
    await(thread, touch, SUSPECT_NS, kind);
    atomic_compare_exchange_strong(&holder, &kind, NOBODY);
}

bool darn_spins_may_wait(const struct darn_touch *read, const struct darn_touch *store)
{
    if (!read->site || !store->site || store->op == DARN_OP_READ)
        return false;
    if (!(read->site->flags & DARN_SITE_SPIN) &&
        (!read->atomic || store->atomic || !*touched_at(store->address)))
        return false;
    return !darn_spins_synchronize(read, store);
}

#define HOLD_NS   UINT64_C(100000000)
#define MOST_HELD 20

void darn_spins_hold(struct darn_thread *thread, const struct darn_touch *store)
{
    static _Atomic uint32_t held;

    if (darn_state.options.report_spins || atomic_load(&held) >= MOST_HELD)
        return;
    atomic_fetch_add(&held, 1);
    darn_count(DARN_COUNT_STORES_HELD);
    await(thread, store, HOLD_NS, NOBODY);
    darn_spins_store(thread, store);
}

static bool is_member(const struct darn_touch *touch)
{
    return touch->site && darn_armed(touch->site) & (DARN_ARMED_SYNC_READ | DARN_ARMED_SYNC_WRITE);
}

static bool are_pair(const struct darn_touch *reader, const struct darn_touch *writer)
{
    if (!reader->site || !writer->site)
        return false;
    return is_known_pair(reader->site, writer->site);
}

bool darn_spins_synchronize(const struct darn_touch *a, const struct darn_touch *b)
{
    /* Tian 3.2: atomic instructions in the vicinity of the spin belong to it. */
    if (is_member(a) && is_member(b))
        return true;
    if ((is_member(a) && b->atomic) || (is_member(b) && a->atomic))
        return true;
    return are_pair(a, b) || are_pair(b, a);
}

bool darn_spins_each(void (*visit)(uintptr_t address, uint32_t size))
{
    bool any = false;

    if (!atomic_load_explicit(&open_count, memory_order_relaxed))
        return false;
    for (int i = 0; i < WATCHES; i++) {
        if (atomic_load(&watches[i].open)) {
            visit(watches[i].address, watches[i].size);
            any = true;
        }
    }
    return any;
}

void darn_spins_after_fork(void)
{
    for (int i = 0; i < WATCHES; i++) {
        atomic_store(&watches[i].open, false);
        atomic_store(&watches[i].owner, 0);
    }
    atomic_store(&open_count, 0);
    darn_spin_unlock(&lock);
}
