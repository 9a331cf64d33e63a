/*
 * An output belongs to one command at a time. The lock is the kernel's: that of a command that was
 * killed is gone.
 */
#ifndef DARN_DRIVER_CLAIM_H
#define DARN_DRIVER_CLAIM_H

#include "driver/process/listener.h"

/* Until we end, the directory is ours. 0, or DARN_REFUSED when it is
 * that of another command. Not to get a lock for other reasons is no error: some file systems have
 * none. */
int darn_claim_directory(struct darn_listener *listener, const char *path);

/* The same for a file that is replaced. */
int darn_claim_file(struct darn_listener *listener, const char *path);

#endif
