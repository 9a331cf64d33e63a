#include "driver/play/judge.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "driver/process/sh.h"

/* As darn_sh_oracle. */
static int ask_oracle(const struct darn_judge *judge, struct darn_server *server)
{
    struct darn_sh sh = {
        .command = judge->oracle,
        .timeout_ms = judge->timeout_ms,
        .input = darn_server_output_file(server),
    };

    return darn_sh_oracle(&sh, WEXITSTATUS(darn_server_block(server)->result.status));
}

static bool is_the_oracles(const struct darn_judge *judge, enum darn_verdict_kind kind)
{
    return judge->oracle && (kind == DARN_VERDICT_OK || kind == DARN_VERDICT_EXIT);
}

void darn_judge(const struct darn_judge *judge, struct darn_server *server,
                enum darn_server_result how, struct darn_judged *judged)
{
    struct darn_evidence evidence = {
        .how = how,
        .result = &darn_server_block(server)->result,
        .timeout_ms = judge->timeout_ms,
    };
    int answer;

    evidence.output = darn_server_output(server, &evidence.length);
    judged->kind = darn_verdict_of(&evidence);
    if (is_the_oracles(judge, judged->kind)) {
        answer = ask_oracle(judge, server);
        if (answer < 0) {
            judged->kind = DARN_VERDICT_NONE;
            snprintf(judged->text, sizeof(judged->text), "the oracle cannot be asked: %s",
                     answer == -ENOEXEC ? "there is no such command" : strerror(-answer));
            return;
        }
        evidence.asked = true;
        evidence.refused = answer;
    } else if (judged->kind == DARN_VERDICT_OK && judge->compare) {
        evidence.differs = darn_server_output_hash(server) != judge->hash;
    }
    judged->kind = darn_verdict_of(&evidence);
    darn_verdict_text(&evidence, judged->kind, judged->text, sizeof(judged->text));
}
