/*
 * usage: browser PROGRAM — drives a browser (Chromium, headless) by its debugging protocol, for tests of pages. Commands
 * come from stdin, one in a line; what they answer goes to stdout:
 *
 *   open PATH          opens the file and waits until it is loaded
 *   size WIDTH HEIGHT  of the window
 *   scheme light|dark  what the user prefers
 *   key NAME           presses a key: j, ArrowDown, Home, ?
 *   type TEXT          puts the text into what has the focus
 *   get EXPRESSION     the value of an expression of JavaScript: a text as it is, anything else as JSON
 *   shot FILE          a picture of the window, as PNG
 *   cost               milliseconds of the processor that the thread of the page has used so far
 *   errors             what went wrong on the page since the last time, a line each: exceptions, console, refusals
 *
 * Exit status 0, or 1 with a line on stderr. It needs no network, and the browser is told to use none.
 */
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define PATIENCE 60000 /* milliseconds for one answer */

static struct {
    pid_t pid;
    int to, from;
    char *text; /* what was read, and not looked at */
    size_t length, room;
    char session[128];
    char profile[64];
    int64_t last; /* number of the last command */
    bool loaded;
    char *errors;
    size_t errors_length;
} browser;

static void stop(void)
{
    char command[128];

    if (browser.pid > 0) {
        kill(-browser.pid, SIGKILL);
        waitpid(browser.pid, NULL, 0);
    }
    if (browser.profile[0]) {
        snprintf(command, sizeof(command), "rm -rf '%s'", browser.profile);
        if (system(command))
            fprintf(stderr, "browser: %s stays\n", browser.profile);
    }
}

__attribute__((noreturn)) static void fail(const char *what)
{
    fprintf(stderr, "browser: %s\n", what);
    stop();
    exit(1);
}

static void start(const char *program)
{
    int in[2], out[2], nowhere = open("/dev/null", O_RDWR);
    char profile[128];

    snprintf(browser.profile, sizeof(browser.profile), "/tmp/darn-browser.XXXXXX");
    if (!mkdtemp(browser.profile) || pipe(in) || pipe(out) || nowhere < 0)
        fail("cannot be started");
    snprintf(profile, sizeof(profile), "--user-data-dir=%s", browser.profile);
    browser.pid = fork();
    if (!browser.pid) {
        /* The protocol is on descriptors 3 and 4: out of the way first, whatever the numbers are. */
        int reads = fcntl(in[0], F_DUPFD, 10), writes = fcntl(out[1], F_DUPFD, 10);

        setpgid(0, 0);
        setenv("HOME", browser.profile, 1);
        dup2(nowhere, 0);
        dup2(nowhere, 1);
        dup2(nowhere, 2);
        dup2(reads, 3);
        dup2(writes, 4);
        for (int fd = 5; fd < 64; fd++)
            close(fd);
        execlp(program, program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
               "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage",
               "--hide-scrollbars", "--remote-debugging-pipe", profile, "about:blank", NULL);
        _exit(127);
    }
    setpgid(browser.pid, browser.pid);
    close(in[0]);
    close(out[1]);
    browser.to = in[1];
    browser.from = out[0];
}

/* The next message. Each ends with a NUL. */
static json_t *receive(void)
{
    char *end;
    json_t *message;

    while (!browser.length || !(end = memchr(browser.text, '\0', browser.length))) {
        struct pollfd wait = {.fd = browser.from, .events = POLLIN};
        ssize_t got;

        if (browser.room - browser.length < 65536)
            browser.text = realloc(browser.text, browser.room = 2 * browser.room + 131072);
        if (!browser.text || poll(&wait, 1, PATIENCE) <= 0)
            fail("no answer");
        got = read(browser.from, browser.text + browser.length, browser.room - browser.length);
        if (got <= 0)
            fail("it has ended");
        browser.length += (size_t)got;
    }
    message = json_loads(browser.text, 0, NULL);
    browser.length -= (size_t)(end + 1 - browser.text);
    memmove(browser.text, end + 1, browser.length);
    return message;
}

static const char *text_at(const json_t *object, const char *one, const char *two, const char *three)
{
    object = json_object_get(object, one);
    if (two)
        object = json_object_get(object, two);
    return json_string_value(three ? json_object_get(object, three) : object);
}

static void keep_error(const char *what, const char *text)
{
    char *line = NULL;
    int length = asprintf(&line, "%s: %s\n", what, text ? text : "?");

    browser.errors = length < 0 ? NULL : realloc(browser.errors, browser.errors_length + (size_t)length + 1);
    if (!browser.errors)
        fail("out of memory");
    memcpy(browser.errors + browser.errors_length, line, (size_t)length + 1);
    browser.errors_length += (size_t)length;
    free(line);
}

static void hear(const json_t *event)
{
    const char *method = json_string_value(json_object_get(event, "method"));
    const json_t *about = json_object_get(event, "params");
    const char *type;

    if (!method)
        return;
    if (strcmp(method, "Page.loadEventFired") == 0)
        browser.loaded = true;
    if (strcmp(method, "Runtime.exceptionThrown") == 0) {
        type = text_at(about, "exceptionDetails", "exception", "description");
        keep_error("exception", type ? type : text_at(about, "exceptionDetails", "text", NULL));
    }
    if (strcmp(method, "Log.entryAdded") == 0 && (type = text_at(about, "entry", "level", NULL)) && strcmp(type, "error") == 0)
        keep_error("log", text_at(about, "entry", "text", NULL));
    if (strcmp(method, "Runtime.consoleAPICalled") == 0 && (type = text_at(about, "type", NULL, NULL)) &&
        (strcmp(type, "error") == 0 || strcmp(type, "warning") == 0 || strcmp(type, "assert") == 0))
        keep_error("console", type);
}

/* The result of a command; the caller gives it back. */
static json_t *call(const char *method, json_t *about)
{
    json_t *command = json_pack("{s:I, s:s, s:o}", "id", (json_int_t)++browser.last, "method", method, "params",
                                about ? about : json_object());
    char *text;

    if (browser.session[0])
        json_object_set_new(command, "sessionId", json_string(browser.session));
    text = json_dumps(command, JSON_COMPACT);
    if (!text || write(browser.to, text, strlen(text) + 1) < 0)
        fail("cannot be told anything");
    free(text);
    json_decref(command);
    for (;;) {
        json_t *message = receive(), *result;

        if (json_integer_value(json_object_get(message, "id")) != browser.last) {
            hear(message);
            json_decref(message);
            continue;
        }
        result = json_incref(json_object_get(message, "result"));
        if (!result)
            fail(json_dumps(message, 0));
        json_decref(message);
        return result;
    }
}

static void tell(const char *method, json_t *about)
{
    json_decref(call(method, about));
}

static void attach(void)
{
    json_t *made = call("Target.createTarget", json_pack("{s:s}", "url", "about:blank"));
    json_t *attached = call("Target.attachToTarget", json_pack("{s:s, s:b}", "targetId", text_at(made, "targetId", NULL, NULL), "flatten", 1));

    snprintf(browser.session, sizeof(browser.session), "%s", text_at(attached, "sessionId", NULL, NULL));
    json_decref(made);
    json_decref(attached);
    tell("Page.enable", NULL);
    tell("Runtime.enable", NULL);
    tell("Log.enable", NULL);
    tell("Performance.enable", json_pack("{s:s}", "timeDomain", "threadTicks"));
}

static void open_page(const char *path)
{
    char full[4096], url[4200];

    if (!realpath(path, full))
        fail(path);
    snprintf(url, sizeof(url), "file://%s", full);
    browser.loaded = false;
    tell("Page.navigate", json_pack("{s:s}", "url", url));
    while (!browser.loaded) {
        json_t *message = receive();

        hear(message);
        json_decref(message);
    }
}

/* A key with one letter writes it, too. */
static void press(const char *key)
{
    json_t *down = json_pack("{s:s, s:s}", "type", "keyDown", "key", key);

    if (strlen(key) == 1)
        json_object_set_new(down, "text", json_string(key));
    tell("Input.dispatchKeyEvent", down);
    tell("Input.dispatchKeyEvent", json_pack("{s:s, s:s}", "type", "keyUp", "key", key));
}

static void get(const char *expression)
{
    json_t *answer = call("Runtime.evaluate", json_pack("{s:s, s:b, s:b}", "expression", expression, "returnByValue", 1, "awaitPromise", 1));
    const json_t *value = json_object_get(json_object_get(answer, "result"), "value");
    char *text = value && !json_is_string(value) ? json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT) : NULL;

    if (json_object_get(answer, "exceptionDetails"))
        printf("exception: %s\n", text_at(answer, "result", "description", NULL));
    else
        puts(json_is_string(value) ? json_string_value(value) : text ? text : "undefined");
    free(text);
    json_decref(answer);
}

static void take_picture(const char *path)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    json_t *answer = call("Page.captureScreenshot", json_pack("{s:s}", "format", "png"));
    FILE *file = fopen(path, "w");
    unsigned bits = 0, count = 0;

    if (!file)
        fail(path);
    for (const char *c = text_at(answer, "data", NULL, NULL); c && *c && *c != '='; c++) {
        bits = bits << 6 | (unsigned)(strchr(letters, *c) - letters);
        count += 6;
        if (count >= 8)
            fputc((int)(bits >> (count -= 8) & 255), file);
    }
    if (fclose(file))
        fail(path);
    json_decref(answer);
}

static void print_cost(void)
{
    json_t *answer = call("Performance.getMetrics", NULL), *metric;
    size_t i;

    json_array_foreach(json_object_get(answer, "metrics"), i, metric)
    {
        if (strcmp(text_at(metric, "name", NULL, NULL), "TaskDuration") == 0)
            printf("%.0f\n", 1000 * json_number_value(json_object_get(metric, "value")));
    }
    json_decref(answer);
}

static void set_size(const char *text)
{
    int width = 0, height = 0;

    if (sscanf(text, "%d %d", &width, &height) != 2)
        fail("size WIDTH HEIGHT");
    tell("Emulation.setDeviceMetricsOverride",
         json_pack("{s:i, s:i, s:i, s:b}", "width", width, "height", height, "deviceScaleFactor", 1, "mobile", 0));
}

static void obey(const char *command, const char *rest)
{
    if (strcmp(command, "open") == 0)
        open_page(rest);
    else if (strcmp(command, "size") == 0)
        set_size(rest);
    else if (strcmp(command, "scheme") == 0)
        tell("Emulation.setEmulatedMedia", json_pack("{s:[{s:s, s:s}]}", "features", "name", "prefers-color-scheme", "value", rest));
    else if (strcmp(command, "key") == 0)
        press(rest);
    else if (strcmp(command, "type") == 0)
        tell("Input.insertText", json_pack("{s:s}", "text", rest));
    else if (strcmp(command, "get") == 0)
        get(rest);
    else if (strcmp(command, "shot") == 0)
        take_picture(rest);
    else if (strcmp(command, "cost") == 0)
        print_cost();
    else if (strcmp(command, "errors") == 0) {
        fputs(browser.errors ? browser.errors : "", stdout);
        browser.errors_length = 0;
        if (browser.errors)
            browser.errors[0] = '\0';
    } else
        fail(command);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    char *line = NULL;
    size_t room = 0;

    if (argc != 2)
        fail("usage: browser PROGRAM < commands");
    signal(SIGPIPE, SIG_IGN);
    start(argv[1]);
    attach();
    while (getline(&line, &room, stdin) >= 0) {
        char *rest;

        line[strcspn(line, "\n")] = '\0';
        rest = line + strcspn(line, " ");
        if (*rest)
            *rest++ = '\0';
        if (*line)
            obey(line, rest);
    }
    stop();
    return 0;
}
