/* Whether a file is a profile (trace/profile.h), before somebody reads it who cannot say so. */
#ifndef DARN_DRIVER_PROFILE_CHECK_H
#define DARN_DRIVER_PROFILE_CHECK_H

/* The number of the first line that does not belong into a profile; 0: there is none; negative when
 * the file cannot be read. */
int darn_profile_bad_line(const char *path);

#endif
