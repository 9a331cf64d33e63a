#include "driver/campaign/campaign_import.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "driver/process/installation.h"

struct importing {
    struct darn_listener *listener;
    const struct darn_campaign_import *import;
    json_t *tests;
};

static bool is_wanted(const struct importing *importing, const char *name)
{
    char *texts = strdup(importing->import->only ? importing->import->only : ""), *state;
    bool wanted = !*texts;

    for (char *text = strtok_r(texts, "|", &state); text && !wanted;
         text = strtok_r(NULL, "|", &state))
        wanted = strstr(name, text);
    free(texts);
    return wanted;
}

/* Takes the test over, and gives it another name if there is one of that name. */
static void add_test(struct importing *importing, const char *name, json_t *test)
{
    size_t i;
    json_t *other;
    int same = 1;
    char own[256];

    if (!is_wanted(importing, name)) {
        json_decref(test);
        return;
    }
    snprintf(own, sizeof(own), "%s", name);
    json_array_foreach(importing->tests, i,
                       other) if (strcmp(json_string_value(json_object_get(other, "name")), own) ==
                                  0)
    {
        snprintf(own, sizeof(own), "%.200s-%d", name, ++same);
        i = (size_t)-1; /* from the start */
    }
    json_object_set_new(test, "name", json_string(own));
    if (importing->import->timeout_ms && !json_object_get(test, "timeout"))
        json_object_set_new(test, "timeout", json_real(importing->import->timeout_ms / 1000.0));
    json_array_append_new(importing->tests, test);
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

/* ---- a command ---- */

/* Words as a shell reads them: blanks, quotes and backslashes; nothing else. False: a quote is
 * open at the end. */
static bool split(const char *text, json_t *words)
{
    char *word = malloc(strlen(text) + 1);
    char quote = 0;

    while (*text) {
        size_t used = 0;
        bool is_word = false;

        while (isspace((unsigned char)*text))
            text++;
        for (; *text && (quote || !isspace((unsigned char)*text)); text++) {
            is_word = true;
            if (quote ? *text == quote : *text == '\'' || *text == '"')
                quote = quote ? 0 : *text;
            else if (*text == '\\' && quote != '\'' && text[1])
                word[used++] = *++text;
            else
                word[used++] = *text;
        }
        word[used] = '\0';
        if (is_word)
            json_array_append_new(words, json_string(word));
    }
    free(word);
    return !quote;
}

static json_t *parameters_of(const struct importing *importing, const char *command)
{
    json_t *parameters = json_object();

    for (size_t i = 0; i < importing->import->parameters->count; i++) {
        const char *text = importing->import->parameters->items[i], *values = strchr(text, '=');
        char name[256];

        snprintf(name, sizeof(name), "{%.*s}", (int)(values - text), text);
        if (!strstr(command, name))
            continue;
        name[strlen(name) - 1] = '\0';
        json_object_set_new(parameters, name + 1, json_string(values + 1));
    }
    return parameters;
}

static int import_command(struct importing *importing, const char *command)
{
    json_t *words = json_array(), *test = json_object(), *parameters;
    char directory[PATH_MAX];

    json_object_set_new(test, "name", json_string(""));
    json_object_set_new(test, "command", words);
    if (!split(command, words) || !json_array_size(words)) {
        json_decref(test);
        return darn_tell_refusal(importing->listener, "--test: '%s' is no command", command);
    }
    json_object_set_new(test, "directory",
                        json_string(getcwd(directory, sizeof(directory)) ? directory : "/"));
    parameters = parameters_of(importing, command);
    if (json_object_size(parameters))
        json_object_set(test, "parameters", parameters);
    json_decref(parameters);
    add_test(importing, base_name(json_string_value(json_array_get(words, 0))), test);
    return 0;
}

/* ---- a folder ---- */

static int is_program(const struct dirent *entry)
{
    return entry->d_name[0] != '.' && !strstr(entry->d_name, ".so");
}

static int import_folder(struct importing *importing, const char *folder)
{
    struct dirent **entries;
    char directory[PATH_MAX], path[PATH_MAX + 256];
    int count = scandir(folder, &entries, is_program, alphasort);

    if (count < 0 || darn_absolute_path(folder, directory, sizeof(directory)))
        return darn_tell_refusal(importing->listener, "--folder=%s: %s", folder, strerror(errno));
    for (int i = 0; i < count; i++) {
        struct stat what;

        snprintf(path, sizeof(path), "%s/%s", directory, entries[i]->d_name);
        if (stat(path, &what) == 0 && S_ISREG(what.st_mode) && access(path, X_OK) == 0)
            add_test(importing, entries[i]->d_name,
                     json_pack("{s:s, s:[s], s:s}", "name", "", "command", path, "directory",
                               directory));
        free(entries[i]);
    }
    free(entries);
    return 0;
}

/* ---- what a command prints ---- */

/* To be freed; NULL when it fails. The words of `format` are quoted by the caller. */
static char *output_of(char *const *command)
{
    int pipes[2], status = 0;
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size), *from;
    pid_t pid;
    int c;

    if (pipe2(pipes, O_CLOEXEC))
        return NULL;
    fflush(NULL);
    pid = fork();
    if (pid == 0) {
        dup2(pipes[1], STDOUT_FILENO);
        execvp(command[0], command);
        _exit(127);
    }
    close(pipes[1]);
    from = fdopen(pipes[0], "r");
    while ((c = getc_unlocked(from)) != EOF)
        putc_unlocked(c, to);
    fclose(from);
    fclose(to);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (pid > 0 && status == 0)
        return text;
    free(text);
    return NULL;
}

/* ---- CTest: ctest --show-only=json-v1 ---- */

/* Environment as CTest has it, a list of NAME=VALUE. */
static json_t *environment_of(const json_t *list)
{
    json_t *environment = json_object(), *each;
    size_t i;

    json_array_foreach(list, i, each)
    {
        const char *text = json_string_value(each), *value = text ? strchr(text, '=') : NULL;
        char *name = value ? strndup(text, (size_t)(value - text)) : NULL;

        if (name)
            json_object_set_new(environment, name, json_string(value + 1));
        free(name);
    }
    return environment;
}

/* False: CTest would not run it, either. */
static bool take_property(json_t *test, const char *name, json_t *value)
{
    if (strcmp(name, "DISABLED") == 0)
        return !json_is_true(value);
    if (strcmp(name, "WORKING_DIRECTORY") == 0)
        json_object_set(test, "directory", value);
    else if (strcmp(name, "TIMEOUT") == 0)
        json_object_set(test, "timeout", value);
    else if (strcmp(name, "SKIP_RETURN_CODE") == 0)
        json_object_set(test, DARN_CAMPAIGN_SKIP, value);
    else if (strcmp(name, "ENVIRONMENT") == 0)
        json_object_set_new(test, "environment", environment_of(value));
    else if (strcmp(name, "WILL_FAIL") == 0 && json_is_true(value))
        json_object_set_new(test, "oracle", json_string("test \"$DARN_STATUS\" -ne 0"));
    return true;
}

static void add_ctest(struct importing *importing, const json_t *each)
{
    json_t *test = json_object(), *property;
    const char *name = json_string_value(json_object_get(each, "name"));
    size_t i;
    bool runs = name && json_array_size(json_object_get(each, "command"));

    json_object_set_new(test, "name", json_string(""));
    json_object_set(test, "command", json_object_get(each, "command"));
    json_array_foreach(json_object_get(each, "properties"), i, property)
    {
        const char *of = json_string_value(json_object_get(property, "name"));

        runs = runs && of && take_property(test, of, json_object_get(property, "value"));
    }
    if (runs)
        add_test(importing, name, test);
    else
        json_decref(test);
}

static int import_ctest(struct importing *importing, const char *build)
{
    char *command[] = {"ctest", "--test-dir", (char *)build, "--show-only=json-v1", NULL};
    char *text = output_of(command);
    json_t *root = text ? json_loads(text, 0, NULL) : NULL, *each;
    size_t i;

    free(text);
    if (!json_is_array(json_object_get(root, "tests")))
        return darn_tell_refusal(importing->listener,
                                 "--ctest=%s: ctest does not say which tests there are", build);
    json_array_foreach(json_object_get(root, "tests"), i, each) add_ctest(importing, each);
    json_decref(root);
    return 0;
}

/* ---- Meson: what it has written for tools ---- */

static int import_meson(struct importing *importing, const char *build)
{
    char path[PATH_MAX], directory[PATH_MAX];
    json_t *root, *each;
    size_t i;

    snprintf(path, sizeof(path), "%s/meson-info/intro-tests.json", build);
    root = json_load_file(path, 0, NULL);
    if (!json_is_array(root) || darn_absolute_path(build, directory, sizeof(directory)))
        return darn_tell_refusal(importing->listener, "--meson=%s: there is no list of tests in %s",
                                 build, path);
    json_array_foreach(root, i, each)
    {
        const char *workdir = json_string_value(json_object_get(each, "workdir"));
        const char *name = json_string_value(json_object_get(each, "name"));
        json_t *test = json_object();

        json_object_set_new(test, "name", json_string(""));
        json_object_set(test, "command", json_object_get(each, "cmd"));
        json_object_set_new(test, "directory", json_string(workdir ? workdir : directory));
        if (json_object_size(json_object_get(each, "env")))
            json_object_set(test, "environment", json_object_get(each, "env"));
        if (json_number_value(json_object_get(each, "timeout")) > 0)
            json_object_set(test, "timeout", json_object_get(each, "timeout"));
        add_test(importing, name ? name : "test", test);
    }
    json_decref(root);
    return 0;
}

/* ---- Automake: what its Makefile calls TESTS ---- */

static void add_automake(struct importing *importing, const char *directory, const char *name)
{
    char path[PATH_MAX + 256];

    snprintf(path, sizeof(path), *name == '/' ? "%.0s%s" : "%s/%s", directory, name);
    if (access(path, X_OK) == 0)
        add_test(importing, base_name(name),
                 json_pack("{s:s, s:[s], s:s, s:{s:s}, s:i}", "name", "", "command", path,
                           "directory", directory, "environment", "srcdir", ".", DARN_CAMPAIGN_SKIP,
                           77));
    else
        darn_tell_warning(importing->listener, "%s is not there: make check TESTS= builds it",
                          path);
}

static int import_automake(struct importing *importing, const char *build)
{
    char directory[PATH_MAX];
    char script[] = "printf 'include Makefile\\ndarn-tests:\\n\\t@echo $(TESTS)\\n' |"
                    " make -s --no-print-directory -C \"$0\" -f - darn-tests";
    char *command[] = {"sh", "-c", script, (char *)build, NULL};
    char *text = output_of(command), *state;

    if (!text || darn_absolute_path(build, directory, sizeof(directory))) {
        free(text);
        return darn_tell_refusal(importing->listener,
                                 "--automake=%s: make does not say what TESTS is there", build);
    }
    for (char *name = strtok_r(text, " \n", &state); name; name = strtok_r(NULL, " \n", &state))
        add_automake(importing, directory, name);
    free(text);
    return 0;
}

json_t *darn_campaign_import(struct darn_listener *listener,
                             const struct darn_campaign_import *import)
{
    struct importing importing = {listener, import, json_array()};
    int result = 0;

    for (size_t i = 0; !result && i < import->commands->count; i++)
        result = import_command(&importing, import->commands->items[i]);
    if (!result && import->folder)
        result = import_folder(&importing, import->folder);
    if (!result && import->ctest)
        result = import_ctest(&importing, import->ctest);
    if (!result && import->meson)
        result = import_meson(&importing, import->meson);
    if (!result && import->automake)
        result = import_automake(&importing, import->automake);
    if (!result && !json_array_size(importing.tests))
        result = darn_tell_refusal(listener, "there is no test");
    if (!result)
        return importing.tests;
    json_decref(importing.tests);
    return NULL;
}
