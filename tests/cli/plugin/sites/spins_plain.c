/* The shapes of ../spins.h with plain variables: races by the rules of C11, and yet used. */
#define SHARED int
#include "../spins.h"

/* site: flag_wait read spin 4 flag */

/* site: flag_yield read spin 4 flag */

/* site: flag_limit read spin 4 flag */

/* site: flag_value read spin 4 flag */

/* site: test_and_set update atomic,spin,acquires,releases 4 lock */

/* site: compare_and_set update atomic,spin,acquires,releases 4 lock */

/* site: test_and_test_and_set update atomic,acquires,releases 4 lock */
/* site: test_and_test_and_set read spin 4 lock */

/* site: test_and_decrement update atomic,acquires,releases 4 lock */
/* site: test_and_decrement read spin 4 lock */

/* site: read_lock read spin 4 lock */
/* site: read_lock update atomic,acquires,releases 4 lock */

/* site: clh write - 4 me->locked */
/* site: clh update atomic,acquires,releases 8 tail */
/* site: clh read spin 4 before->locked */

/* site: mcs write range 0 me */
/* site: mcs update atomic,acquires,releases 8 tail */
/* site: mcs write - 4 me.locked */
/* site: mcs write atomic,releases 8 before->shared_next */
/* site: mcs read spin 4 me.locked */

/* site: through_pointer read atomic,spin,acquires 8 of->shared_next */
/* site: through_pointer read spin 4 _ */

/* site: ticket update atomic,acquires,releases 4 next_ticket */
/* site: ticket read spin 4 turn */

/* site: ticket_backoff read spin 4 turn */

/* site: central_barrier update atomic,acquires,releases 4 counter */
/* site: central_barrier read spin 4 counter */

/* site: sense_barrier read - 4 own_sense */
/* site: sense_barrier write - 4 own_sense */
/* site: sense_barrier update atomic,acquires,releases 4 counter */
/* site: sense_barrier write - 4 counter */
/* site: sense_barrier write - 4 sense */
/* site: sense_barrier read spin 4 sense */
/* site: sense_barrier read spin 4 own_sense */

/* site: tree_children read spin 4 t->child_not_ready[0] */
/* site: tree_children read spin 4 t->child_not_ready[1] */
/* site: tree_children read spin 4 t->child_not_ready[2] */
/* site: tree_children read spin 4 t->child_not_ready[3] */

/* site: tree_scan read spin 4 t->child_not_ready[] */
/* may: tree_scan read spin 16 _ */

/* site: tree_parent read spin 4 t->parent_sense */

/* site: each read spin 4 t->child_not_ready[] */

/* At -O3 the argument is read by the caller. */
/* site at -O0 -O1 -O2: is_set read spin 4 *f */
/* site at -O3: by_function read spin 4 t->parent_sense */
/* site at -O0: is_set read - 4 *f */

/* site: works read - 4 flag */

/* may: writes read - 4 flag */
/* site: writes write - 4 counter */

/* site: retry read - 4 counter */
/* site: retry update atomic,acquires,releases 4 counter */

/* site: share_out update atomic,acquires,releases 4 counter */
/* site: share_out read - 4 pieces[] */

/* site: length read - 4 text[] */

/* site: find read - 4 l->key */
/* site: find read volatile 8 l->next */

/* may: bounded read - 4 counter */
/* site: bounded read - 4 numbers[] */
/* may: bounded read - 16 numbers[] */

/* may: nested read - 4 counter */
/* site: nested read - 4 numbers[] */
/* may: nested read - 16 numbers[] */

/* site: once read - 4 flag */
/* site: once read - 4 lock */
