/*
 * darn cc, darn c++: clang with the pass plugin, and the runtime when a program is linked.
 *
 * Everything the user writes passes through unchanged; what is added stands where the user's own
 * options win (-g), or where it must win (frame pointers, which stacks need).
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cc/cc_line.h"
#include "cli/cc/cc_wishes.h"
#include "cli/line.h"
#include "cli/page.h"
#include "driver/process/installation.h"
#include "cli/say.h"
#include "base/words.h"
#include "site/wishes.h"

static const struct darn_option own_options[] = {
    {.name = "only",
     .type = DARN_OPTION_STRING,
     .offset = offsetof(struct darn_cc_wishes, only),
     .value = "FILE[,FILE]...",
     .help = "for production: instrument only what is needed to\n"
             "heal the sections of these repositories"},
    {.name = "darn-only",
     .type = DARN_OPTION_STRING,
     .offset = offsetof(struct darn_cc_wishes, only),
     .value = "FILE"}, /* as all the others are called */
    {.name = "darn-heal",
     .type = DARN_OPTION_STRING,
     .offset = offsetof(struct darn_cc_wishes, heal),
     .value = "PATH",
     .help = "with --only: the program heals itself by the repository\n"
             "PATH, which is absolute and there where it runs"},
    {.name = "profile",
     .type = DARN_OPTION_STRING,
     .offset = offsetof(struct darn_cc_wishes, profile),
     .value = "FILE",
     .help = "for the field: watch only what training runs have seen\n"
             "to be shared ('darn record --profile=FILE')"},
    {.name = "darn-profile",
     .type = DARN_OPTION_STRING,
     .offset = offsetof(struct darn_cc_wishes, profile),
     .value = "FILE"},
    {.name = "darn-ignorelist",
     .type = DARN_OPTION_STRING,
     .offset = offsetof(struct darn_cc_wishes, ignorelist),
     .value = "FILE",
     .help = "do not watch the functions and files that FILE names,\n"
             "in the sanitizers' format: fun:PATTERN, src:PATTERN"},
    {.name = "darn-functions",
     .type = DARN_OPTION_FLAG,
     .offset = offsetof(struct darn_cc_wishes, functions),
     .help = "also record where functions begin and end"},
    {.name = "darn-no-sections",
     .type = DARN_OPTION_FLAG,
     .offset = offsetof(struct darn_cc_wishes, no_sections),
     .help = "do not look for code that should be atomic"},
    {.name = "darn-no-warnings",
     .type = DARN_OPTION_FLAG,
     .offset = offsetof(struct darn_cc_wishes, no_warnings),
     .help = "print no warnings of darn's own; nor does -w"},
    {.name = "darn-stats",
     .type = DARN_OPTION_FLAG,
     .offset = offsetof(struct darn_cc_wishes, stats),
     .help = "say for each compilation what darn's part of it is"},
    {.name = "darn-help", .type = DARN_OPTION_HELP, .help = "print this page (--help is clang's)"},
    {.name = NULL},
};

static const struct darn_option environment[] = {
    {.name = "DARN_CLANG", .value = "PATH", .help = "the clang to use, instead of clang-19"},
    {.name = "DARN_CLANGXX", .value = "PATH", .help = "the clang++ to use, instead of clang++-19"},
    {.name = "DARN_ONLY", .value = "FILE", .help = "as --only, for every compilation"},
    {.name = "DARN_HEAL", .value = "PATH", .help = "as --darn-heal, for every compilation"},
    {.name = "DARN_PROFILE", .value = "FILE", .help = "as --profile, for every compilation"},
    {.name = "DARN_IGNORELIST",
     .value = "FILE",
     .help = "as --darn-ignorelist, for every compilation"},
    {.name = "DARN_FUNCTIONS", .value = "1", .help = "as --darn-functions, for every compilation"},
    {.name = "DARN_SECTIONS", .value = "0", .help = "as --darn-no-sections, for every compilation"},
    {.name = "DARN_STATS", .value = "1", .help = "as --darn-stats, for every compilation"},
    {.name = "DARN_WARNINGS", .value = "0", .help = "as --darn-no-warnings, for every compilation"},
    {.name = NULL},
};

static const struct darn_option_group groups[] = {
    {.heading = "Own options:", .options = own_options},
    {.heading = "Environment:", .options = environment, .environment = true},
    {.options = NULL},
};

/* One of the two compilers. */
struct language {
    const char *command;
    const struct darn_command *about;
    const char *variable; /* of the environment, names the clang to use */
    const char *clang;    /* in PATH */
    const char *fallback; /* where Debian's package has it */
};

static const struct language c = {"cc", &darn_command_cc, "DARN_CLANG", "clang-19",
                                  "/usr/lib/llvm-19/bin/clang"};
static const struct language cxx = {"c++", &darn_command_cxx, "DARN_CLANGXX", "clang++-19",
                                    "/usr/lib/llvm-19/bin/clang++"};

/* Whether the word is an option of ours: --only, --only=…, --profile=… or --darn-…. `--profile` is
 * clang's. */
static bool is_own(const char *word)
{
    return strncmp(word, "--darn-", 7) == 0 || strncmp(word, "--profile=", 10) == 0 ||
           (strncmp(word, "--only", 6) == 0 && (!word[6] || word[6] == '='));
}

/* Separates our options from those for clang; a value of ours is in the same word. Those that only
 * gcc knows are left out, and the last is in `for_gcc`. 0 or an exit status. */
static int take_own(struct darn_command_line *line, struct darn_words *clang, int argc, char **argv,
                    const char **for_gcc)
{
    bool only_inputs = false;
    int status = 0;

    for (int i = 1; i < argc && !status; i++) {
        int at = 0;

        if (!only_inputs && is_own(argv[i])) {
            status = darn_line_option(line, &at, 1, argv + i);
            continue;
        }
        only_inputs |= strcmp(argv[i], "--") == 0;
        if (!only_inputs && darn_cc_line_is_for_gcc(argv[i]))
            *for_gcc = argv[i];
        else
            darn_words_add(clang, argv[i]);
    }
    return status;
}

/* Whether the compiler, behind all links to it, is called so. */
static bool is_gcc(const char *path)
{
    char real[PATH_MAX];
    const char *name = realpath(path, real) ? strrchr(real, '/') : NULL;

    return name && (strstr(name, "gcc") || strstr(name, "g++")) && !strstr(name, "clang");
}

/* 0 or an exit status. */
static int find_clang(const struct language *language, char *path, size_t size)
{
    const char *wanted = getenv(language->variable);

    if (wanted && *wanted) {
        if (darn_find_program(wanted, path, size))
            return darn_refuse(language->command, "%s=%s cannot be executed", language->variable,
                               wanted);
        return is_gcc(path) ? darn_refuse(language->command,
                                          "%s=%s is gcc: the plugin of darn is for clang 19",
                                          language->variable, wanted)
                            : 0;
    }
    if (darn_find_program(language->clang, path, size) == 0 ||
        darn_find_program(language->fallback, path, size) == 0)
        return 0;
    return darn_refuse(
        language->command,
        "clang 19 was not found; install the package clang-19, or set %s to its path",
        language->variable);
}

static int check_line(const struct language *language, const struct darn_cc_line *line)
{
    if (line->thread_sanitizer)
        return darn_refuse(language->command, "-fsanitize=thread and darn exclude each other; "
                                              "leave one of them out");
    if (!line->refused)
        return 0;
    if (strncmp(line->refused, "-m", 2) == 0)
        return darn_refuse(language->command, "%s: the runtime is there for 64-bit programs only",
                           line->refused);
    return darn_refuse(language->command,
                       "%s: a program must be linked dynamically to be watched; leave it out",
                       line->refused);
}

static int check_part(const struct language *language, const char *path)
{
    if (access(path, R_OK) == 0)
        return 0;
    return darn_refuse(language->command, "%s: %s; this part of darn has to be installed", path,
                       strerror(errno));
}

static int check_parts(const struct language *language, const struct darn_cc_line *line,
                       const struct darn_installation *installation)
{
    int status = check_part(language, installation->plugin);

    if (!status && line->links_program)
        status = check_part(language, installation->runtime);
    if (!status && line->links_program)
        status = check_part(language, installation->symbols);
    return status;
}

/* Whether the program is built to be healed, at no other cost: the plugin gives the functions that
 * need it a frame pointer, and the annotations of darn.h are nothing. */
static bool is_for_production(void)
{
    const char *path = getenv(DARN_ONLY_VARIABLE);

    return path && *path;
}

static void add_first(struct darn_words *out, const struct darn_installation *installation)
{
    /* Assembler files, or objects alone, need none of this: no warnings then. */
    darn_words_add(out, "--start-no-unused-arguments");
    darn_words_add(out, "-g"); /* before the user's, so that -g0 or -ggdb win */
    /* Members have their names in every file, not only in that which has the class's key function.
     */
    darn_words_add(out, "-fstandalone-debug");
    darn_words_join(out, "-fpass-plugin=", installation->plugin);
    /* "%"PRIu64, which gcc takes: a warning, as there. */
    darn_words_add(out, "-Wno-error=reserved-user-defined-literal");
    if (!is_for_production())
        darn_words_add(out, "-D__DARN__=1");
    darn_words_add(out, "-idirafter");
    darn_words_add(out, installation->include);
    darn_words_add(out, "--end-no-unused-arguments");
}

static void add_for_linker(struct darn_words *out, const char *word)
{
    darn_words_add(out, "-Xlinker"); /* unlike -Wl, it takes a path with a comma */
    darn_words_add(out, word);
}

static void add_runtime(struct darn_words *out, const struct darn_installation *installation)
{
    char dynamic_list[PATH_MAX + 32];

    snprintf(dynamic_list, sizeof(dynamic_list), "--dynamic-list=%s", installation->symbols);
    add_for_linker(out, "--whole-archive");
    add_for_linker(out, is_for_production() ? installation->production : installation->runtime);
    add_for_linker(out, "--no-whole-archive");
    add_for_linker(out, dynamic_list);
    darn_words_add(out, "-lpthread");
    darn_words_add(out, "-ldl");
    darn_words_add(out, "-lrt");
}

/*
 * A function with guards has five times as many blocks. What the back end does for each block and
 * each variable or register would take half of the time that sqlite3.c takes in all: it tracks
 * where variables lie in the older and quicker way, which finds a seventh less for a debugger,
 * tries less to keep registers across blocks, where most blocks are guards, and leaves in the rare
 * half of a guard what it needs, as the addresses of records, if the loop around it is so large
 * that what stands before it runs three million times as often. It would keep all of them in
 * registers, and then spill them.
 */
static void add_for_code(struct darn_words *out)
{
    static const char *const words[] = {
        "-mllvm",  "-experimental-debug-variable-locations=0",
        "-mllvm",  "-grow-region-complexity-budget=100",
        "-mllvm",  "-disable-hoisting-to-hotter-blocks=all",
        "-mllvm",  "-block-freq-ratio-threshold=3000000",
        "-Xclang", "-fexperimental-assignment-tracking=disabled",
    };

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        darn_words_add(out, words[i]);
}

static void add_last(struct darn_words *out, const struct language *language,
                     const struct darn_cc_line *line, const struct darn_words *all,
                     const struct darn_installation *installation)
{
    darn_words_add(out, "--start-no-unused-arguments");
    if (!is_for_production()) {
        darn_cc_record(out, language->command, all, line); /* darn fix builds it again */
        darn_words_add(out, "-fno-omit-frame-pointer");
        darn_words_add(out, "-mno-omit-leaf-frame-pointer");
        add_for_code(out);
    }
    if (line->no_debug) /* without lines the plugin cannot tell the source's own reads */
        darn_words_add(out, "-gline-tables-only");
    if (line->lto) { /* and what clang refuses without it */
        darn_words_add(out, "-fno-lto");
        darn_words_add(out, "-fno-whole-program-vtables");
        darn_words_add(out, "-fno-virtual-function-elimination");
    }
    if (line->links_program)
        add_runtime(out, installation);
    if (line->demands_all) /* the hooks of a shared object are in the program */
        add_for_linker(out, "--unresolved-symbols=ignore-all");
    darn_words_add(out, "--end-no-unused-arguments");
}

/* The user's words, with ours around them. What follows "--" are inputs: ours go before it. */
static void build_line(struct darn_words *out, const struct language *language,
                       const struct darn_words *user, const struct darn_cc_line *line,
                       const struct darn_words *all, const struct darn_installation *installation)
{
    size_t end = 0;

    while (end < user->count && strcmp(user->items[end], "--") != 0)
        end++;
    add_first(out, installation);
    for (size_t i = 0; i < end; i++)
        darn_words_add(out, user->items[i]);
    add_last(out, language, line, all, installation);
    for (size_t i = end; i < user->count; i++)
        darn_words_add(out, user->items[i]);
}

/* Fills `out` with the arguments for clang. 0 or an exit status. */
static int translate(const struct language *language, const struct darn_words *user,
                     const struct darn_cc_wishes *own, struct darn_words *out)
{
    struct darn_words expanded = {0};
    struct darn_cc_line line;
    struct darn_installation installation;
    int status = 0;

    darn_response_expand(&expanded, (int)user->count, user->items);
    darn_cc_line_read(&line, expanded.count, expanded.items);
    if (line.raw || !line.inputs) { /* --version, -print-…: clang answers them alone */
        for (size_t i = 0; i < user->count; i++)
            darn_words_add(out, user->items[i]);
        darn_words_free(&expanded);
        return 0;
    }
    if (darn_installation_find(&installation))
        status = darn_refuse(language->command, "/proc/self/exe cannot be read; is /proc mounted?");
    if (!status)
        status = check_line(language, &line);
    if (!status)
        status = check_parts(language, &line, &installation);
    if (!status)
        status = darn_cc_pass_wishes(language->command, line.no_warnings, own);
    if (!status)
        build_line(out, language, user, &line, &expanded, &installation);
    darn_words_free(&expanded);
    return status;
}

static bool is_quiet(const struct darn_cc_wishes *own)
{
    const char *wish = getenv(DARN_WARNINGS_VARIABLE); /* -w sets it, too */

    return own->no_warnings || (wish && strcmp(wish, "0") == 0);
}

static int compile(const struct language *language, int argc, char **argv)
{
    struct darn_words user = {0}, out = {0};
    struct darn_cc_wishes own = {0};
    struct darn_command_line line = {.command = language->about, .to = &own};
    char clang[PATH_MAX];
    const char *for_gcc = NULL;
    int status = take_own(&line, &user, argc, argv, &for_gcc);

    if (!status && line.help) {
        darn_page_help(language->about, stdout);
        status = darn_finish_output();
    } else if (!status && (status = find_clang(language, clang, sizeof(clang))) == 0) {
        darn_words_add(&out, clang);
        status = translate(language, &user, &own, &out);
        if (!status && for_gcc && !is_quiet(&own))
            darn_warn(language->command, "%s is for gcc alone, and left out", for_gcc);
        if (!status) {
            execv(clang, out.items);
            status = darn_refuse(language->command, "%s: %s", clang, strerror(errno));
        }
    }
    darn_words_free(&user);
    darn_words_free(&out);
    return status;
}

static int cmd_cc(int argc, char **argv)
{
    return compile(&c, argc, argv);
}

static int cmd_cxx(int argc, char **argv)
{
    return compile(&cxx, argc, argv);
}

#define PAGE                                                                                       \
    .usage = "cc [clang's options] file...\n"                                                      \
             "c++ [clang's options] file...",                                                      \
    .about = "Compiles and links as clang does; darn-cc and darn-c++ are the same commands.\n"     \
             "It adds -g, the instrumentation and, when it links a program, the runtime.\n"        \
             "-static and -fsanitize=thread are refused, -flto is turned off.\n",                  \
    .groups = groups, .operands = "FILE", .anywhere = true, .exits = "N the status of clang",      \
    .see = "darn-run(1), darn-hunt(1), darn-heal(1)"

const struct darn_command darn_command_cc = {
    .name = "cc",
    .summary = "compile and link C with clang, so that accesses can be watched",
    .run = cmd_cc,
    PAGE,
};

const struct darn_command darn_command_cxx = {
    .name = "c++",
    .summary = "the same for C++, as clang++ does",
    .run = cmd_cxx,
    PAGE,
};
