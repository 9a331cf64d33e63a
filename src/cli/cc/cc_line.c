#include "cli/cc/cc_line.h"

#include <string.h>

/* The reading of the line so far. */
struct reading {
    struct darn_cc_line *line;
    const char *language;    /* of -x, or NULL: by the name of the input */
    bool stops;              /* before linking */
    bool without_runtime;    /* what is linked takes no runtime, or takes it from the program */
    bool demands_all;        /* -Wl,-z,defs: no symbol may be undefined */
    bool has_program_inputs; /* other than headers, which become precompiled headers */
    const char *refused;
    const char *output; /* of -o */
    const char *input;  /* the first */
    size_t inputs;
    bool compiles; /* -c */
};

/* The next word is the value of one of these (clang 19). Without the list `-MF x.d` would be an
 * input. */
static const char *const with_value[] = {
    "--analyzer-output",
    "--assert",
    "--config",
    "--define-macro",
    "--for-linker",
    "--force-link",
    "--imacros",
    "--include",
    "--include-directory",
    "--include-directory-after",
    "--include-prefix",
    "--include-with-prefix",
    "--include-with-prefix-after",
    "--include-with-prefix-before",
    "--library-directory",
    "--no-system-header-prefix",
    "--output",
    "--param",
    "--prefix",
    "--print-file-name",
    "--print-prog-name",
    "--rtlib",
    "--serialize-diagnostics",
    "--specs",
    "--std",
    "--stdlib",
    "--sysroot",
    "--system-header-prefix",
    "--undefine-macro",
    "--vfsoverlay",
    "-A",
    "-B",
    "-D",
    "-F",
    "-G",
    "-I",
    "-L",
    "-MF",
    "-MJ",
    "-MQ",
    "-MT",
    "-T",
    "-U",
    "-Xanalyzer",
    "-Xarch_device",
    "-Xarch_host",
    "-Xassembler",
    "-Xclang",
    "-Xoffload-linker",
    "-Xopenmp-target",
    "-Xpreprocessor",
    "-arch",
    "-b",
    "-ccc-gcc-name",
    "-ccc-install-dir",
    "-cxx-isystem",
    "-dependency-dot",
    "-dependency-file",
    "-dumpdir",
    "-e",
    "-fdebug-compilation-dir",
    "-filelist",
    "-fmodules-user-build-path",
    "-framework",
    "-ftrapv-handler",
    "-gen-cdb-fragment-path",
    "-idirafter",
    "-iframework",
    "-imacros",
    "-imultilib",
    "-include",
    "-include-pch",
    "-iprefix",
    "-iquote",
    "-isysroot",
    "-isystem",
    "-isystem-after",
    "-ivfsoverlay",
    "-iwithprefix",
    "-iwithprefixbefore",
    "-iwithsysroot",
    "-l",
    "-meabi",
    "-mllvm",
    "-mmlir",
    "-module-dependency-dir",
    "-mthread-model",
    "-o",
    "-resource-dir",
    "-rpath",
    "-serialize-diagnostics",
    "-specs",
    "-stdlib++-isystem",
    "-target",
    "-u",
    "-undefined",
    "-working-directory",
};

/* With one of these nothing is linked. */
static const char *const stopping[] = {
    "--analyze",
    "--assemble",
    "--compile",
    "--dependencies",
    "--precompile",
    "--preprocess",
    "--emit-static-lib",
    "--user-dependencies",
    "-E",
    "-M",
    "-MM",
    "-S",
    "-c",
    "-emit-ast",
    "-emit-interface-stubs",
    "-emit-llvm",
    "-extract-api",
    "-fsyntax-only",
    "-module-file-info",
    "-rewrite-objc",
    "-verify-pch",
};

/* What is linked is no program with a C library: a shared object takes the hooks from the program
 * that loads it, the others know what they do. */
static const char *const unlinked[] = {
    "--no-standard-libraries",
    "--shared",
    "-dynamiclib",
    "-nodefaultlibs",
    "-nostdlib",
    "-r",
    "-shared",
};

/* The same for the words that go to the linker directly. */
static const char *const unlinked_by_linker[] = {
    "--relocatable", "-Bshareable", "-i", "-r", "-shared", "--shared",
};

/* No symbol may be undefined; "defs" follows -z. */
static const char *const demanding_by_linker[] = {"--no-undefined", "-no-undefined", "defs"};

/* The runtime cannot be linked with these. */
static const char *const refused[] = {
    "--static", "-m32", "-mx32", "-static", "-static-pie",
};

#define IS_ONE_OF(word, table)                                                                     \
    is_one_of(word, strlen(word), table, sizeof(table) / sizeof(*(table)))

static bool is_one_of(const char *word, size_t length, const char *const *table, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strncmp(word, table[i], length) == 0 && !table[i][length])
            return true;
    return false;
}

static bool begins_with(const char *word, const char *prefix)
{
    return strncmp(word, prefix, strlen(prefix)) == 0;
}

/* The words between the commas of a list. */
static bool list_contains(const char *list, const char *const *table, size_t count)
{
    while (*list) {
        size_t length = strcspn(list, ",");

        if (is_one_of(list, length, table, count))
            return true;
        list += length + (list[length] == ',');
    }
    return false;
}

#define LIST_CONTAINS(list, table) list_contains(list, table, sizeof(table) / sizeof(*(table)))

static void read_linker_words(struct reading *reading, const char *list)
{
    if (LIST_CONTAINS(list, unlinked_by_linker))
        reading->without_runtime = true;
    if (LIST_CONTAINS(list, demanding_by_linker))
        reading->demands_all = true;
}

static bool is_header(const char *language, const char *name)
{
    static const char *const headers[] = {"h", "hh", "hp", "hpp", "hxx", "h++", "H", "tcc"};
    const char *dot = strrchr(name, '.');

    if (language)
        return strstr(language, "-header") || strstr(language, "-user-header");
    return dot && !strchr(dot, '/') && IS_ONE_OF(dot + 1, headers);
}

static void read_input(struct reading *reading, const char *name)
{
    reading->line->inputs = true;
    reading->input = reading->inputs++ ? NULL : name;
    if (!is_header(reading->language, name))
        reading->has_program_inputs = true;
}

static void set_language(struct reading *reading, const char *language)
{
    reading->language = strcmp(language, "none") == 0 ? NULL : language;
}

static void read_sanitizers(struct reading *reading, const char *word)
{
    static const char *const thread[] = {"thread"};
    static const char *const thread_or_all[] = {"thread", "all"};

    if (begins_with(word, "-fsanitize=") && LIST_CONTAINS(word + 11, thread))
        reading->line->thread_sanitizer = true;
    else if (begins_with(word, "-fno-sanitize=") && LIST_CONTAINS(word + 14, thread_or_all))
        reading->line->thread_sanitizer = false;
}

/* Which of them comes last says whether there is debug information. */
static const char *const without_debug[] = {"-g0", "-ggdb0"};
static const char *const with_debug[] = {"-g",     "-g1",    "-g2",    "-g3",
                                         "-ggdb",  "-ggdb1", "-ggdb2", "-ggdb3",
                                         "-glldb", "-gmlt",  "-gfull", "-gline-tables-only"};

static void read_option(struct reading *reading, const char *word)
{
    if (IS_ONE_OF(word, stopping))
        reading->stops = true;
    else if (begins_with(word, "-o"))
        reading->output = word + 2;
    else if (begins_with(word, "--output="))
        reading->output = word + strlen("--output=");
    else if (IS_ONE_OF(word, unlinked))
        reading->without_runtime = true;
    else if (IS_ONE_OF(word, refused))
        reading->refused = word;
    else if (strcmp(word, "-m64") == 0 && reading->refused && begins_with(reading->refused, "-m"))
        reading->refused = NULL;
    else if (strcmp(word, "-w") == 0 || strcmp(word, "--no-warnings") == 0)
        reading->line->no_warnings = true;
    else if (begins_with(word, "-flto"))
        reading->line->lto = true;
    else if (IS_ONE_OF(word, without_debug))
        reading->line->no_debug = true;
    else if (IS_ONE_OF(word, with_debug) || begins_with(word, "-gdwarf") ||
             begins_with(word, "-gsplit-dwarf"))
        reading->line->no_debug = false;
    else if (begins_with(word, "-Wl,"))
        read_linker_words(reading, word + 4);
    else if (begins_with(word, "-x"))
        set_language(reading, word + 2);
    else if (begins_with(word, "--language="))
        set_language(reading, word + 11);
    else
        read_sanitizers(reading, word);
}

/* Reads the option at words[0], and its value if that is a word of its own. Returns how many words
 * that was. */
static size_t read_words(struct reading *reading, size_t count, char *const *words)
{
    const char *value = count > 1 ? words[1] : "";

    if (strcmp(words[0], "-x") == 0 || strcmp(words[0], "--language") == 0) {
        set_language(reading, value);
        return 2;
    }
    if (strcmp(words[0], "-Xlinker") == 0 || strcmp(words[0], "-z") == 0) {
        read_linker_words(reading, value);
        return 2;
    }
    if (strcmp(words[0], "-o") == 0 || strcmp(words[0], "--output") == 0)
        reading->output = value;
    if (IS_ONE_OF(words[0], with_value))
        return 2;
    reading->compiles |= strcmp(words[0], "-c") == 0 || strcmp(words[0], "--compile") == 0;
    read_option(reading, words[0]);
    return 1;
}

void darn_cc_line_read(struct darn_cc_line *line, size_t count, char *const *words)
{
    struct reading reading = {.line = line};
    bool only_inputs = false; /* after -- */

    *line = (struct darn_cc_line){0};
    line->raw = count && begins_with(words[0], "-cc1");
    for (size_t i = 0; i < count;) {
        bool is_input = only_inputs || words[i][0] != '-' || !words[i][1];

        if (is_input) {
            read_input(&reading, words[i++]);
        } else if (strcmp(words[i], "--") == 0) {
            only_inputs = true;
            i++;
        } else {
            i += read_words(&reading, count - i, words + i);
        }
    }
    line->links_program = reading.has_program_inputs && !reading.stops && !reading.without_runtime;
    line->demands_all = reading.has_program_inputs && !reading.stops && reading.without_runtime &&
                        reading.demands_all;
    line->refused = line->links_program ? reading.refused : NULL;
    if (reading.compiles && reading.has_program_inputs) {
        line->source = reading.input;
        line->object = reading.output;
    }
}

/* How the names begin, after -f or -fno-. */
static const char *const for_gcc[] = {
    "var-tracking",   "ipa-",          "conserve-stack",    "emit-struct-debug",
    "analyzer",       "guess-branch-", "allow-store-data-", "profile-partial-training",
    "callgraph-info", "dump-",         "reorder-functions", "toplevel-reorder",
    "crossjumping",   "graphite",      "loop-nest-",        "partial-inlining",
    "sched-",         "ira-",          "live-patching",     "code-hoisting",
    "opt-info",       "split-loops",   "compare-debug",     "tree-",
    "hardened",       "simple-early-",
};

bool darn_cc_line_is_for_gcc(const char *word)
{
    const char *name = begins_with(word, "-fno-") ? word + 5 : word + 2;

    if (!begins_with(word, "-f") || begins_with(name, "tree-vectorize") ||
        begins_with(name, "tree-slp-vectorize")) /* clang's, too */
        return false;
    for (size_t i = 0; i < sizeof(for_gcc) / sizeof(*for_gcc); i++)
        if (begins_with(name, for_gcc[i]))
            return true;
    return false;
}
