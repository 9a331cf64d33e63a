/* What functions of libraries call back (intercept_callback.c). */
#ifndef DARN_RUNTIME_CALLBACK_H
#define DARN_RUNTIME_CALLBACK_H

/* The thread leaves its atomic sections: the unwinder is at work. */
void darn_jump_leave(void);

#endif
