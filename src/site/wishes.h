/*
 * What `darn cc` wants of the plugin: variables of the environment, for clang hands nothing else
 * over to it.
 */
#ifndef DARN_SITE_WISHES_H
#define DARN_SITE_WISHES_H

#define DARN_FUNCTIONS_VARIABLE  "DARN_FUNCTIONS" /* neither empty nor "0": functions are told */
#define DARN_WARNINGS_VARIABLE   "DARN_WARNINGS"  /* "0": no warnings about waits */
#define DARN_SECTIONS_VARIABLE   "DARN_SECTIONS"  /* "0": no sections are looked for */
#define DARN_STATS_VARIABLE      "DARN_STATS"     /* neither empty nor "0": what it costs is told */
#define DARN_IGNORELIST_VARIABLE "DARN_IGNORELIST" /* the path of what is not watched */
#define DARN_PROFILE_VARIABLE    "DARN_PROFILE"    /* the path of a profile: --profile */
#define DARN_ONLY_VARIABLE       "DARN_ONLY"       /* the path of a repository: --only, */
#define DARN_HEAL_VARIABLE       "DARN_HEAL"       /* and where it lies in the field */

#endif
