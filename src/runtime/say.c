#include "runtime/say.h"

#include <string.h>

#include "runtime/os.h"
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

void darn_say_end(struct darn_say *say)
{
    say->line[say->text.used] = '\n';
    darn_os_write(strcmp(darn_state.options.log_path, "stdout") == 0 ? 1 : 2, say->line,
                  say->text.used + 1);
}

void darn_say(const char *text)
{
    struct darn_say say;

    darn_say_start(&say);
    darn_say_text(&say, text);
    darn_say_end(&say);
}
