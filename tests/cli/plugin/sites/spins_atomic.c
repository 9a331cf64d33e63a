/* The shapes of ../spins.h with atomic variables, read and written in sequentially consistent order. */
#define SHARED _Atomic int
#include "../spins.h"

/* site: flag_wait read atomic,spin,acquires 4 flag */

/* site: flag_yield read atomic,spin,acquires 4 flag */

/* site: flag_limit read atomic,spin,acquires 4 flag */

/* site: flag_value read atomic,spin,acquires 4 flag */

/* site: test_and_set update atomic,spin,acquires,releases 4 lock */

/* site: compare_and_set update atomic,spin,acquires,releases 4 lock */

/* site: test_and_test_and_set update atomic,acquires,releases 4 lock */
/* site: test_and_test_and_set read atomic,spin,acquires 4 lock */

/* site: test_and_decrement update atomic,acquires,releases 4 lock */
/* site: test_and_decrement read atomic,spin,acquires 4 lock */

/* site: read_lock read atomic,spin,acquires 4 lock */
/* site: read_lock update atomic,acquires,releases 4 lock */

/* site: clh write atomic,releases 4 me->locked */
/* site: clh update atomic,acquires,releases 8 tail */
/* site: clh read atomic,spin,acquires 4 before->locked */

/* site: mcs write range 0 me */
/* site: mcs update atomic,acquires,releases 8 tail */
/* site: mcs write atomic,releases 4 me.locked */
/* site: mcs write atomic,releases 8 before->shared_next */
/* site: mcs read atomic,spin,acquires 4 me.locked */

/* site: through_pointer read atomic,spin,acquires 8 of->shared_next */
/* site: through_pointer read atomic,spin,acquires 4 _ */

/* site: ticket update atomic,acquires,releases 4 next_ticket */
/* site: ticket read atomic,spin,acquires 4 turn */

/* site: ticket_backoff read atomic,spin,acquires 4 turn */

/* site: central_barrier update atomic,acquires,releases 4 counter */
/* site: central_barrier read atomic,spin,acquires 4 counter */

/* site: sense_barrier read - 4 own_sense */
/* site: sense_barrier write - 4 own_sense */
/* site: sense_barrier update atomic,acquires,releases 4 counter */
/* site: sense_barrier write atomic,releases 4 counter */
/* site: sense_barrier write atomic,releases 4 sense */
/* site: sense_barrier read atomic,spin,acquires 4 sense */
/* site: sense_barrier read spin 4 own_sense */

/* site: tree_children read atomic,spin,acquires 4 t->child_not_ready[0] */
/* site: tree_children read atomic,spin,acquires 4 t->child_not_ready[1] */
/* site: tree_children read atomic,spin,acquires 4 t->child_not_ready[2] */
/* site: tree_children read atomic,spin,acquires 4 t->child_not_ready[3] */

/* site: tree_scan read atomic,spin,acquires 4 t->child_not_ready[] */

/* site: tree_parent read atomic,spin,acquires 4 t->parent_sense */

/* site: each read atomic,spin,acquires 4 t->child_not_ready[] */

/* site: is_set read atomic,spin,acquires 4 *f */
/* site at -O0: is_set read atomic,acquires 4 *f */

/* site: works read atomic,acquires 4 flag */

/* site: writes read atomic,acquires 4 flag */
/* site: writes write atomic,releases 4 counter */

/* site: retry read atomic,acquires 4 counter */
/* site: retry update atomic,acquires,releases 4 counter */

/* site: share_out update atomic,acquires,releases 4 counter */
/* site: share_out read - 4 pieces[] */

/* site: length read atomic,acquires 4 text[] */

/* site: find read atomic,acquires 4 l->key */
/* site: find read volatile 8 l->next */

/* site: bounded read atomic,acquires 4 counter */
/* site: bounded read atomic,acquires 4 numbers[] */

/* site: nested read atomic,acquires 4 counter */
/* site: nested read atomic,acquires 4 numbers[] */

/* site: once read atomic,acquires 4 flag */
/* site: once read atomic,acquires 4 lock */
