/* The shapes of ../spins.h with volatile variables. */
#define SHARED volatile int
#include "../spins.h"

/* site: flag_wait read volatile,spin 4 flag */

/* site: flag_yield read volatile,spin 4 flag */

/* site: flag_limit read volatile,spin 4 flag */

/* site: flag_value read volatile,spin 4 flag */

/* site: test_and_set update atomic,spin,acquires,releases 4 lock */

/* site: compare_and_set update atomic,spin,acquires,releases 4 lock */

/* site: test_and_test_and_set update atomic,acquires,releases 4 lock */
/* site: test_and_test_and_set read volatile,spin 4 lock */

/* site: test_and_decrement update atomic,acquires,releases 4 lock */
/* site: test_and_decrement read volatile,spin 4 lock */

/* site: read_lock read volatile,spin 4 lock */
/* site: read_lock update atomic,acquires,releases 4 lock */

/* site: clh write volatile 4 me->locked */
/* site: clh update atomic,acquires,releases 8 tail */
/* site: clh read volatile,spin 4 before->locked */

/* site: mcs write range 0 me */
/* site: mcs update atomic,acquires,releases 8 tail */
/* site: mcs write volatile 4 me.locked */
/* site: mcs write atomic,releases 8 before->shared_next */
/* site: mcs read volatile,spin 4 me.locked */

/* site: through_pointer read atomic,spin,acquires 8 of->shared_next */
/* site: through_pointer read volatile,spin 4 _ */

/* site: ticket update atomic,acquires,releases 4 next_ticket */
/* site: ticket read volatile,spin 4 turn */

/* site: ticket_backoff read volatile,spin 4 turn */

/* site: central_barrier update atomic,acquires,releases 4 counter */
/* site: central_barrier read volatile,spin 4 counter */

/* site: sense_barrier read - 4 own_sense */
/* site: sense_barrier write - 4 own_sense */
/* site: sense_barrier update atomic,acquires,releases 4 counter */
/* site: sense_barrier write volatile 4 counter */
/* site: sense_barrier write volatile 4 sense */
/* site: sense_barrier read volatile,spin 4 sense */
/* site: sense_barrier read spin 4 own_sense */

/* site: tree_children read volatile,spin 4 t->child_not_ready[0] */
/* site: tree_children read volatile,spin 4 t->child_not_ready[1] */
/* site: tree_children read volatile,spin 4 t->child_not_ready[2] */
/* site: tree_children read volatile,spin 4 t->child_not_ready[3] */

/* site: tree_scan read volatile,spin 4 t->child_not_ready[] */

/* site: tree_parent read volatile,spin 4 t->parent_sense */

/* site: each read volatile,spin 4 t->child_not_ready[] */

/* site: is_set read volatile,spin 4 *f */
/* site at -O0: is_set read volatile 4 *f */

/* site: works read volatile 4 flag */

/* site: writes read volatile 4 flag */
/* site: writes write volatile 4 counter */

/* site: retry read volatile 4 counter */
/* site: retry update atomic,acquires,releases 4 counter */

/* site: share_out update atomic,acquires,releases 4 counter */
/* site: share_out read - 4 pieces[] */

/* site: length read volatile 4 text[] */

/* site: find read volatile 4 l->key */
/* site: find read volatile 8 l->next */

/* site: bounded read volatile 4 counter */
/* site: bounded read volatile 4 numbers[] */

/* site: nested read volatile 4 counter */
/* site: nested read volatile 4 numbers[] */

/* site: once read volatile 4 flag */
/* site: once read volatile 4 lock */
