#include "report/html/coverage_page.h"

#include <stdlib.h>
#include <string.h>

#include "report/text/source.h"

#define AROUND 3 /* lines before and after one that is marked */

static const char head[] =
    "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
    "'unsafe-inline'\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<meta name=\"color-scheme\" content=\"light dark\">\n<title>darn coverage</title>\n<style>\n"
    ":root { --all: #2e7d32; --some: #b26a00; --none: #c62828; --soft: #8884; font: 15px/1.45 "
    "system-ui, sans-serif }\n"
    "body { max-width: 75rem; margin: 1.5rem auto; padding: 0 1rem }\n"
    "table { border-collapse: collapse } th, td { padding: .2rem 1rem .2rem 0; text-align: right "
    "}\n"
    "th:first-child, td:first-child { text-align: left }\n"
    ".source { font: 13px/1.5 ui-monospace, monospace; border: 1px solid var(--soft); overflow-x: "
    "auto }\n"
    ".source > * { border-left: .35rem solid transparent } .source div, summary { white-space: "
    "pre; tab-size: 4 }\n"
    ".source .all { border-color: var(--all) } .source .some { border-color: var(--some) }\n"
    ".source .none { border-color: var(--none) } summary { cursor: pointer; list-style: none }\n"
    "summary:hover { background: var(--soft) } ul { margin: .2rem 0 .6rem 6rem; padding: 0 }\n"
    ".never { color: var(--none) } b { display: inline-block; width: 6rem; font-weight: 400; "
    "text-align: right;\n"
    "padding-right: 1rem; opacity: .7 } svg { max-width: 34rem; font: 11px system-ui; fill: "
    "currentColor }\n"
    "path { fill: none; stroke: var(--all); stroke-width: 2 } svg line { stroke: var(--soft) }\n"
    "</style>\n</head>\n<body>\n<h1>Coverage of concurrency</h1>\n";

static void put_text(const char *text, FILE *out)
{
    for (; *text; text++)
        switch (*text) {
        case '<':
            fputs("&lt;", out);
            break;
        case '>':
            fputs("&gt;", out);
            break;
        case '&':
            fputs("&amp;", out);
            break;
        case '"':
            fputs("&quot;", out);
            break;
        default: /* what is no text could turn it around, or hide it */
            if ((unsigned char)*text >= ' ' || *text == '\t')
                fputc(*text, out);
        }
}

static int by_place(const void *a, const void *b)
{
    const struct darn_coverage_mark *one = a, *other = b;
    int files = strcmp(one->file, other->file);

    if (files)
        return files;
    if (one->line != other->line)
        return one->line > other->line ? 1 : -1;
    if (one->seen != other->seen)
        return one->seen ? -1 : 1;
    return strcmp(one->text, other->text);
}

/* The marks of one file, or of one line. */
struct coverage_marks {
    const struct darn_coverage_mark *first;
    size_t count, seen;
};

static struct coverage_marks marks_at(const struct darn_coverage_page *page, size_t from,
                                      bool of_line)
{
    struct coverage_marks marks = {.first = &page->marks[from]};

    for (size_t i = from; i < page->count; i++) {
        const struct darn_coverage_mark *mark = &page->marks[i];

        if (strcmp(mark->file, marks.first->file) != 0 ||
            (of_line && mark->line != marks.first->line))
            break;
        marks.count++;
        marks.seen += mark->seen;
    }
    return marks;
}

static void put_files(const struct darn_coverage_page *page, FILE *out)
{
    fputs("<table>\n<tr><th>File</th><th>Seen</th><th>Possible, not seen</th></tr>\n", out);
    for (size_t i = 0, number = 0; i < page->count; number++) {
        struct coverage_marks marks = marks_at(page, i, false);

        fprintf(out, "<tr><td><a href=\"#file-%zu\">", number);
        put_text(marks.first->file, out);
        fprintf(out, "</a></td><td>%zu</td><td>%zu</td></tr>\n", marks.seen,
                marks.count - marks.seen);
        i += marks.count;
    }
    fputs("</table>\n", out);
}

/* ---- one file ---- */

static void put_marked(const struct coverage_marks *marks, const char *source, FILE *out)
{
    const char *class = marks->seen == marks->count ? "all" : marks->seen ? "some" : "none";

    fprintf(out, "<details class=\"%s\"><summary><b>%u</b><b>", class, marks->first->line);
    if (marks->seen == marks->count)
        fprintf(out, "%zu</b>", marks->seen);
    else
        fprintf(out, "%zu of %zu</b>", marks->seen, marks->count);
    put_text(source, out);
    fputs("</summary><ul>\n", out);
    for (size_t i = 0; i < marks->count; i++) {
        fprintf(out, "<li%s>", marks->first[i].seen ? "" : " class=\"never\"");
        put_text(marks->first[i].text, out);
        fputs("</li>\n", out);
    }
    fputs("</ul></details>\n", out);
}

/* Of a file that cannot be read there are the marks only: `source` is NULL then. */
static void put_lines(const struct darn_coverage_page *page, size_t from, size_t end, FILE *source,
                      FILE *out)
{
    char *text = NULL;
    size_t room = 0;
    size_t start = from;
    bool gap = false;

    for (unsigned line = 1; source && getline(&text, &room, source) >= 0; line++) {
        bool is_before = from < end && line + AROUND >= page->marks[from].line;
        bool is_behind = from > start && page->marks[from - 1].line + AROUND >= line;

        text[strcspn(text, "\r\n")] = '\0';
        if (from < end && line == page->marks[from].line) {
            struct coverage_marks marks = marks_at(page, from, true);

            put_marked(&marks, text, out);
            from += marks.count;
            gap = false;
        } else if (is_before || is_behind) {
            fprintf(out, "<div><b>%u</b><b></b>", line);
            put_text(text, out);
            fputs("</div>\n", out);
            gap = false;
        } else if (!gap) {
            fputs("<div><b>⋯</b></div>\n", out);
            gap = true;
        }
    }
    free(text);
    while (from < end) {
        struct coverage_marks marks = marks_at(page, from, true);

        put_marked(&marks, "", out);
        from += marks.count;
    }
}

static void put_sources(const struct darn_coverage_page *page, FILE *out)
{
    for (size_t i = 0, number = 0; i < page->count; number++) {
        struct coverage_marks marks = marks_at(page, i, false);
        FILE *source = darn_source_open(NULL, marks.first->file);

        fprintf(out, "<h2 id=\"file-%zu\">", number);
        put_text(marks.first->file, out);
        fprintf(out, "</h2>\n%s<div class=\"source\">\n",
                source ? "" : "<p>The source is not where it was.</p>\n");
        put_lines(page, i, i + marks.count, source, out);
        fputs("</div>\n", out);
        if (source)
            fclose(source);
        i += marks.count;
    }
}

/* ---- the curve ---- */

static void put_curve(const struct darn_coverage_page *page, FILE *out)
{
    const double wide = 460, high = 170, left = 50, bottom = 30, top = 10;
    size_t most = page->points ? page->curve[page->points - 1] : 0;
    double x = left;

    if (page->points < 2 || !most)
        return;
    fprintf(out,
            "<svg viewBox=\"0 0 %g %g\" role=\"img\" aria-label=\"%zu facts after %zu files\">\n",
            wide, high, most, page->points);
    fprintf(out, "<line x1=\"%g\" x2=\"%g\" y1=\"%g\" y2=\"%g\"/>", left, wide, high - bottom,
            high - bottom);
    fprintf(out, "<text x=\"%g\" y=\"%g\" text-anchor=\"end\">%zu</text>", left - 6, top + 8, most);
    fprintf(out, "<text x=\"%g\" y=\"%g\" text-anchor=\"end\">0</text>", left - 6, high - bottom);
    fprintf(out, "<text x=\"%g\" y=\"%g\" text-anchor=\"end\">%zu files</text>\n<path d=\"M%g %g",
            wide, high - 10, page->points, left, high - bottom);
    for (size_t i = 0; i < page->points; i++) {
        double y = high - bottom - (high - bottom - top) * (double)page->curve[i] / (double)most;

        x = left + (wide - left) * (double)(i + 1) / (double)page->points;
        fprintf(out, "V%.1fH%.1f", y, x);
    }
    fputs("\"/>\n</svg>\n", out);
}

void darn_coverage_page_write(const struct darn_coverage_page *page, FILE *out)
{
    qsort(page->marks, page->count, sizeof(*page->marks), by_place);
    fputs(head, out);
    fputs("<p>", out);
    put_text(page->about, out);
    fputs("</p>\n", out);
    put_curve(page, out);
    put_files(page, out);
    fputs("<p>Numbers beside a line: what was seen of how threads meet there, of what is possible. "
          "Click on it.</p>\n",
          out);
    put_sources(page, out);
    fputs("</body>\n</html>\n", out);
}
