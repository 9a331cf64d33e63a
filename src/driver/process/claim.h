/*
 * An output belongs to one command at a time. The lock is the kernel's: that of a command that was
 * killed is gone.
 */
#ifndef DARN_CLI_CLAIM_H
#define DARN_CLI_CLAIM_H

/* Until we end, the directory is ours. 0, or an exit status after one line on stderr when it is
 * that of another command. Not to get a lock for other reasons is no error: some file systems have
 * none. */
int darn_claim_directory(const char *command, const char *path);

/* The same for a file that is replaced. */
int darn_claim_file(const char *command, const char *path);

#endif
