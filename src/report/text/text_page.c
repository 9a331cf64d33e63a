#include "report/text/text_page.h"

#include <inttypes.h>
#include <string.h>

#include "report/symbol/frames.h"
#include "report/text/phrase.h"

#define MOST_FRAMES   32 /* of a stack: recursion has more, and they are all the same */
#define WIDEST_COLUMN 40

void darn_page_label(struct darn_page *page, const char *name)
{
    darn_say(&page->ink, "  ");
    darn_say_in(&page->ink, DARN_TINT_LABEL, name);
    darn_say(&page->ink, " ");
}

struct darn_frame darn_page_place(const struct darn_finding_access *access)
{
    struct darn_frame place = {
        .file = access->file, .dir = access->dir, .line = access->line, .column = access->column};
    const struct darn_frame *telling =
        darn_frame_is_library(&place) ? darn_frames_telling(&access->stack) : NULL;

    return telling ? *telling : place;
}

void darn_page_position(struct darn_page *page, const struct darn_finding_access *access)
{
    const char *program = page->finding->program;
    struct darn_frame place = darn_page_place(access);

    darn_tint(&page->ink, DARN_TINT_BOLD);
    if (!darn_phrase_position(&page->ink, page->style, place.file, place.line, place.column))
        darn_say(&page->ink, "%s",
                 program ? darn_style_path(page->style, program) : "unknown place");
    darn_say(&page->ink, ": ");
}

static const char *name_of(const struct darn_frame *frame)
{
    return frame->function ? frame->function : "??";
}

/*
 * Which frames are shown: policy. Of what lies between two functions of the program (qsort, what
 * std::call_once is made of) there is one line, outside of them there is nothing. Only what the
 * program has called in the C library is worth a line: `abort`, but not what that is made of.
 */
enum frame_part { SHOWN, FOLDED, LEFT_OUT };

static enum frame_part part_of(const struct darn_finding_stack *stack, size_t at)
{
    size_t first = at, end = at;

    if (!darn_frame_is_plumbing(&stack->frames[at]))
        return SHOWN;
    while (first > 0 && darn_frame_is_plumbing(&stack->frames[first - 1]))
        first--;
    while (end < stack->count && darn_frame_is_plumbing(&stack->frames[end]))
        end++;
    if (first == 0 && end == stack->count) /* there is nothing else */
        return SHOWN;
    if (first == 0)
        return at + 1 == end && darn_frame_is_libc(&stack->frames[at]) ? SHOWN : LEFT_OUT;
    if (end == stack->count)
        return LEFT_OUT;
    return end - first == 1 ? SHOWN : FOLDED;
}

static bool is_shown(const struct darn_finding_stack *stack, size_t at)
{
    return part_of(stack, at) == SHOWN;
}

/* How wide the functions of a stack are, so that their positions stand below each other. */
static int widest(const struct darn_finding_stack *stack)
{
    size_t width = 0;

    for (size_t i = 0; i < stack->count && i < MOST_FRAMES; i++) {
        size_t length = strlen(name_of(&stack->frames[i]));

        if (is_shown(stack, i) && length > width && length <= WIDEST_COLUMN)
            width = length;
    }
    return (int)width;
}

/* One line for all that are folded from here on. */
static size_t say_folded(struct darn_page *page, const struct darn_finding_stack *stack, size_t at)
{
    size_t count = 0;
    bool is_c = true;

    for (; at < stack->count && part_of(stack, at) == FOLDED; at++, count++)
        is_c &= darn_frame_is_libc(&stack->frames[at]);
    darn_say(&page->ink, "    ... %zu frames of the %s library\n", count, is_c ? "C" : "C++");
    return at;
}

static void say_frame(struct darn_page *page, size_t number, int width,
                      const struct darn_frame *frame)
{
    struct darn_ink *ink = &page->ink;

    darn_say(ink, "    #%zu %-*s  ", number, width, name_of(frame));
    if (!darn_phrase_position(ink, page->style, frame->file, frame->line, frame->column)) {
        if (frame->module)
            darn_say(ink, "(%s+0x%" PRIx64 ")", darn_style_path(page->style, frame->module),
                     frame->offset);
        else
            darn_say(ink, "(0x%" PRIx64 ")", frame->pc);
    }
    darn_say(ink, "\n");
}

void darn_page_stack(struct darn_page *page, const struct darn_finding_stack *stack)
{
    int width = widest(stack);
    size_t number = 0, more = 0;

    for (size_t i = 0; i < stack->count;) {
        enum frame_part part = part_of(stack, i);

        if (number == MOST_FRAMES)
            more += part == SHOWN;
        else if (part == SHOWN)
            say_frame(page, number++, width, &stack->frames[i]);
        if (part == FOLDED && number < MOST_FRAMES)
            i = say_folded(page, stack, i);
        else
            i++;
    }
    if (more)
        darn_say(&page->ink, "    ... and %zu more\n", more);
}
