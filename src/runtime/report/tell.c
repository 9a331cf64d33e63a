#define _GNU_SOURCE
#include "runtime/report/tell.h"

#include <fcntl.h>
#include <string.h>

#include "runtime/os/log.h"
#include "runtime/os/os.h"
#include "runtime/state.h"

void darn_say_start(struct darn_say *say)
{
    darn_text_start(&say->text, say->line, sizeof(say->line) - 1);
}

void darn_say_text(struct darn_say *say, const char *text)
{
    darn_text_add(&say->text, text);
}

void darn_say_number(struct darn_say *say, uint64_t number)
{
    darn_text_number(&say->text, number);
}

/* A negative errno: `: Text`. */
static void say_error(struct darn_say *say, int error)
{
    const char *text = strerrordesc_np(-error); /* strerror may allocate */

    darn_text_add(&say->text, ": ");
    darn_text_add(&say->text, text ? text : "unknown error");
}

/* As `darn report` does it: FILE.PID. Static, for stacks may be tiny; short lines come one by one.
 */
static int append_to_log(const struct darn_say *say)
{
    static char path[DARN_OPTIONS_PATH + 16];
    struct darn_text text;

    darn_text_start(&text, path, sizeof(path));
    darn_text_add(&text, darn_state.options.log_path);
    darn_text_char(&text, '.');
    darn_text_number(&text, (uint64_t)darn_os_process_id());
    return darn_os_append(path, O_NOFOLLOW, say->line, say->text.used + 1);
}

void darn_say_end(struct darn_say *say)
{
    const char *log = darn_state.options.log_path;
    int is_stdout = strcmp(log, "stdout") == 0;

    say->line[say->text.used] = '\n';
    if (is_stdout || !*log || strcmp(log, "stderr") == 0 || append_to_log(say) < 0)
        darn_os_write(darn_log(is_stdout ? 1 : 2), say->line, say->text.used + 1);
}

void darn_say_line(const char *text)
{
    struct darn_say say;

    darn_say_start(&say);
    darn_say_text(&say, text);
    darn_say_end(&say);
}

void darn_say_failed(const char *text, int error)
{
    struct darn_say say;

    darn_say_start(&say);
    darn_say_text(&say, text);
    say_error(&say, error);
    darn_say_end(&say);
}
