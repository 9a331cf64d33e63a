/*
 * Where reports go: what 2 (or 1) led to when the program started. The program may close that and
 * open a file of its own, which then has the same number; nothing of ours belongs into that.
 */
#ifndef DARN_RUNTIME_LOG_H
#define DARN_RUNTIME_LOG_H

/* Keeps a private duplicate of 1 or 2. Again after we have sent the output elsewhere ourselves. */
void darn_log_keep(int number);

/* Gives it back: whoever reads the other end waits until the last one has. */
void darn_log_drop(int number);

/* A descriptor that leads to where the number led when it was kept; -1 when there is none any more.
 */
int darn_log(int number);

#endif
