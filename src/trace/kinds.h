/* What events are called. */
#ifndef DARN_TRACE_KINDS_H
#define DARN_TRACE_KINDS_H

#include "trace/event.h"

/* "read", "acquire"; "unknown" for what is no kind. */
const char *darn_event_kind_name(unsigned kind);

/* "mutex", "descriptor", as findings have it; NULL for what is none. */
const char *darn_event_object_name(unsigned object);

/* "mutex", "read", "write", "spin", as the locks of findings have it. */
const char *darn_event_lock_name(unsigned lock);

#endif
