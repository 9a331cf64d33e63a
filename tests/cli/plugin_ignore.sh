#!/bin/bash
# needs: compiler
# more: all levels of optimization
# What the user does not want to have watched has no sites, also where it would have been inlined
# into a function that is watched.
. "$(dirname "$0")/plugin.bash"

cat >part.h <<'END'
extern int in_header;
static inline void from_header(void) { in_header = 1; }
END
cat >part.c <<'END'
#include <darn.h>
#include "part.h"
int by_macro, by_attribute, by_list, listed_too, in_header, watched;
DARN_IGNORE_FUNCTION static void with_macro(void) { by_macro = 1; }
__attribute__((disable_sanitizer_instrumentation)) static void with_attribute(void) { by_attribute = 1; }
static void listed(void) { by_list = 1; }
static void listed_as_well(void) { listed_too = 1; }
static void small(void) { watched = 1; }
void all(void)
{
    with_macro();
    with_attribute();
    listed();
    listed_as_well();
    from_header();
    small();
}
END
all="by_list in_header listed_too watched"

# Which variables have sites, in alphabetic order, at every level.
expect_variables() {
    local level source=$1 expected=$2

    shift 2
    for level in $levels; do
        build $(compiler_of $source) $level "$@" -c $source -o object.o
        expect_same "$level: $(sites object.o | awk '{ print $5 }' | LC_ALL=C sort -u | xargs)" \
            "$level: $expected"
    done
}
# with_list LINE...: all variables but these must be left, given the list.
expect_with_list() {
    local expected=$1

    shift
    printf '%s\n' "$@" >list
    expect_variables part.c "$expected" --darn-ignorelist=list
}

claim "functions that are marked in the source"
expect_variables part.c "$all"

claim "functions of a list"
expect_with_list "in_header listed_too watched" 'fun:listed'
expect_with_list "in_header watched" 'fun:listed*'
expect_with_list "in_header watched" '# a comment' '' '  fun:listed  ' 'fun:list*_well'
expect_with_list "$all" 'fun:liste'

claim "files of a list"
expect_with_list "by_list listed_too watched" 'src:*part.h'
expect_with_list "" 'src:*part.?'
expect_with_list "$all" 'src:*other.c'

claim "sections of a list that are for us, or for TSan"
for section in thread darn '*' 'address|thread'; do
    expect_with_list "in_header watched" "[$section]" 'fun:listed*'
done
expect_with_list "$all" '[address]' 'fun:listed*'
expect_with_list "in_header listed_too watched" '[address]' 'fun:all' '[thread]' 'fun:listed'
expect_with_list "in_header listed_too watched" 'fun:listed' '[memory]' 'fun:listed_as_well'

claim "entries with a category, or of another kind, are somebody else's"
expect_with_list "$all" 'fun:listed=init' 'global:watched' 'type:int'

claim "the list of the environment"
echo 'fun:listed*' >list
DARN_IGNORELIST=$PWD/list expect_variables part.c "in_header watched"

claim "functions of C++ by their name in the source, or that of the linker"
cat >part.cc <<'END'
int first, second, third;
namespace bank {
struct teller { void count(); void pay() { second = 1; } };
void teller::count() { first = 1; pay(); }
}
void outside() { third = 1; bank::teller().pay(); }
END
echo 'fun:pay' >list
expect_variables part.cc "first third" --darn-ignorelist=list
echo 'fun:_ZN4bank6teller*' >list
expect_variables part.cc "third" --darn-ignorelist=list

# LLVM inlines what must be inlined whatever its attributes, and the accesses are then the caller's.
claim "functions that must be inlined (known not to work: a change here is news)"
cat >forced.c <<'END'
int marked, by_list;
__attribute__((always_inline, disable_sanitizer_instrumentation)) static inline void with_attribute(void)
{
    marked = 1;
}
__attribute__((always_inline)) static inline void listed(void) { by_list = 1; }
void all(void) { with_attribute(); listed(); }
END
echo 'fun:listed' >list
expect_variables forced.c "by_list marked" --darn-ignorelist=list

finish
