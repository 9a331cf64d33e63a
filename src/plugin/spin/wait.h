/*
 * Calls that wait for a condition variable, and what the loop around each of them tests (Letko,
 * 4.1: waits for different conditions on one monitor).
 *
 * That is seen best in the source's own loops, before the optimizer has changed them: at the start
 * of the pipeline the predicates are noted, and looked up at its end.
 */
#ifndef DARN_PLUGIN_WAIT_H
#define DARN_PLUGIN_WAIT_H

#include <llvm-c/Core.h>

/* What a call of one of these functions waits for: the pointer to the condition variable; NULL for
 * other instructions. */
LLVMValueRef darn_wait_condition(LLVMValueRef call);

/* The name of the function that waits, for people; NULL for other instructions. */
const char *darn_wait_name(LLVMValueRef call);

/* Notes the predicates of the module's waits. */
void darn_waits_note(LLVMModuleRef module);

/* The predicate of a wait that was noted: names of variables, sorted, separated by blanks. Empty if
 * it is not known. */
const char *darn_wait_predicate(LLVMValueRef call);

/* When the module is done. */
void darn_waits_forget(void);

#endif
