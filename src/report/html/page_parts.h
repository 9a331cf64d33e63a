/* The page without its data, from page.html, page.css and the scripts: embed.cmake makes it. */
#ifndef DARN_REPORT_PAGE_PARTS_H
#define DARN_REPORT_PAGE_PARTS_H

#include <stddef.h>

extern const unsigned char darn_page_before[], darn_page_after[];
extern const size_t darn_page_before_length, darn_page_after_length;

#endif
