/*
 * The commands. Each has a file, an entry function and a row in the table of main.c; argv[0] is the
 * name of the command. The result is the exit status.
 */
#ifndef DARN_CLI_COMMAND_H
#define DARN_CLI_COMMAND_H

#define DARN_EXIT_USAGE 2 /* wrong use of darn: one line on stderr, nothing was changed */

int darn_cmd_cc(int argc, char **argv);
int darn_cmd_cxx(int argc, char **argv);
int darn_cmd_run(int argc, char **argv);
int darn_cmd_analyze(int argc, char **argv);
int darn_cmd_trace(int argc, char **argv);
int darn_cmd_record(int argc, char **argv);
int darn_cmd_predict(int argc, char **argv);
int darn_cmd_explore(int argc, char **argv);
int darn_cmd_hunt(int argc, char **argv);
int darn_cmd_replay(int argc, char **argv);
int darn_cmd_shrink(int argc, char **argv);
int darn_cmd_report(int argc, char **argv);
int darn_cmd_sections(int argc, char **argv);
int darn_cmd_heal(int argc, char **argv);

/* What `darn help NAME` prints, on stdout. */
void darn_help_cc(void);
void darn_help_run(void);
void darn_help_record(void);
void darn_help_predict(void);
void darn_help_analyze(void);
void darn_help_trace(void);
void darn_help_explore(void);
void darn_help_hunt(void);
void darn_help_replay(void);
void darn_help_shrink(void);
void darn_help_sections(void);
void darn_help_heal(void);

#endif
