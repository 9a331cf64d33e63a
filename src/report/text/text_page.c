#include "report/text/text_page.h"

#include <inttypes.h>
#include <string.h>

#include "report/text/phrase.h"

#define MOST_FRAMES   32 /* of a stack: recursion has more, and they are all the same */
#define WIDEST_COLUMN 40

void darn_page_label(struct darn_page *page, const char *name)
{
    darn_say(&page->ink, "  ");
    darn_say_in(&page->ink, DARN_TINT_LABEL, name);
    darn_say(&page->ink, " ");
}

void darn_page_position(struct darn_page *page, const struct darn_access *access)
{
    const char *program = page->finding->program;

    darn_tint(&page->ink, DARN_TINT_BOLD);
    if (!darn_phrase_position(&page->ink, page->style, access->file, access->line, access->column))
        darn_say(&page->ink, "%s",
                 program ? darn_style_path(page->style, program) : "unknown place");
    darn_say(&page->ink, ": ");
}

static const char *name_of(const struct darn_frame *frame)
{
    return frame->function ? frame->function : "??";
}

/* How wide the functions of a stack are, so that their positions stand below each other. */
static int widest(const struct darn_stack *stack)
{
    size_t width = 0;

    for (size_t i = 0; i < stack->count && i < MOST_FRAMES; i++) {
        size_t length = strlen(name_of(&stack->frames[i]));

        if (length > width && length <= WIDEST_COLUMN)
            width = length;
    }
    return (int)width;
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

void darn_page_stack(struct darn_page *page, const struct darn_stack *stack)
{
    int width = widest(stack);

    for (size_t i = 0; i < stack->count && i < MOST_FRAMES; i++)
        say_frame(page, i, width, &stack->frames[i]);
    if (stack->count > MOST_FRAMES)
        darn_say(&page->ink, "    ... and %zu more\n", stack->count - MOST_FRAMES);
}
