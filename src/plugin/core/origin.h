/*
 * Which loads are the program's own, and which the optimizer has invented.
 *
 * To a compiler a load that nobody asked for is harmless: its value is not used. To us it would be
 * an access that the source does not have, and a false alarm. The attribute sanitize_thread keeps
 * most passes from inventing loads, but not all (TSan of LLVM 19 has these false alarms):
 *
 * - the vectorizer executes the loads of both sides of an `if`, and loop load PRE reloads early:
 *   both are switched off (darn_origin_init);
 * - LICM loads a variable before a loop that may not touch it: such a load has no source line.
 *   Neither has one of the source that it has moved there, because each round makes it: of these
 *   the place is kept apart (darn_origin_keep);
 * - argument promotion loads in the caller what the callee may not read: such a load has the
 * position of the call, where the source had no load;
 * - InstCombine turns `*(c ? &a : &b)` into loads of both: such a load is used only by selects, or
 *   a select chooses between it and another load.
 *
 * Stores are never invented: the C11 memory model forbids that to every pass.
 */
#ifndef DARN_PLUGIN_ORIGIN_H
#define DARN_PLUGIN_ORIGIN_H

#include <llvm-c/Core.h>

/* When the plugin is loaded. */
void darn_origin_init(void);

/*
 * Instead of it, in programs that are built to be healed, and when there is something to instrument
 * in the module. An access too many does no harm there, so loops are vectorized as ever; but the
 * first load of a section has to be where the source has it.
 */
void darn_origin_init_loads(void);

/* Before the optimizer: remembers where this function loads. */
void darn_origin_note(LLVMValueRef function);

/*
 * While it optimizes: notes on each load of the source where that is. LICM takes the line from what
 * it moves in front of a loop; it leaves the note if the loop makes the load in any case, and who
 * loads something new does not copy it.
 */
void darn_origin_keep(LLVMValueRef function);

/* After the optimizer: gives such loads their places back, and takes the notes off. */
void darn_origin_restore(LLVMValueRef function);

/*
 * After the optimizer: of `for (…) n += i;` one load, one addition and one store may be left, and
 * the load has no line. Where the same block stores what was computed from it, the source has it,
 * and it gets the place of the store.
 */
void darn_origin_adopt(LLVMValueRef function);

/* After the optimizer: whether the source makes this load, as far as we can be sure. */
int darn_origin_is_source(LLVMValueRef load);

/* Whether loads of several lines were made one, before or behind the branches that had them: it has
 * a place, but no line. What is invented has no place at all. */
int darn_origin_is_merged(LLVMValueRef load);

#endif
