/*
 * The standard input of a program that is run again and again: each run reads the same.
 */
#ifndef DARN_CLI_INPUT_H
#define DARN_CLI_INPUT_H

/* Sets *path to a file that each run may read from its start: the one that is given, or else what
 * is on our own standard input, which is read to its end once. NULL when there is nothing: a
 * terminal, or a device. The file of our own is memory, and lives as long as the process. 0, or an
 * exit status after one line on stderr. */
int darn_input_keep(const char *command, const char *given, const char **path);

#endif
