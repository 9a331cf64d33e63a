#!/bin/bash
# needs: compiler
# darn cc --only=FILE: accesses to members of other structs that have the same name are left alone.
. "$(dirname "$0")/plugin.bash"
export PATH=$bin:$PATH

# FUNCTION KIND of each site, each once.
accesses() { "$bin/../tests/tools/sites" "$1" | awk '{ print $2, $3 }' | sort -u; }
whole_code() { objdump -dr "$1" | tail -n +4; }

# expect_untouched SOURCE OBJECT OPTION...: the object is what clang makes of the source.
expect_untouched() {
    local source=$1 object=$2 compiler=clang-19
    shift 2
    [[ $source == *.cc ]] && compiler=clang++-19
    $compiler "$@" -g -c "$source" -o plain.o
    expect_same "$(whole_code "$object")" "$(whole_code plain.o)"
}

cat >structs.h <<'END_OF_SOURCE'
struct a { int id; long size; };
struct b { int id; long size; };
struct outer { long size; struct a inner; struct a list[4]; };
END_OF_SOURCE
cat >grow.c <<'END_OF_SOURCE'
#include "structs.h"
void grow(struct a *list) { list->size += 1; }
long same(struct a *one) { return one->size; }
long other(struct b *one) { return one->size; }
END_OF_SOURCE
cat >far.c <<'END_OF_SOURCE'
#include "structs.h"
void put(struct a *to) { to->size = 7; }
long nested(struct outer *o) { return o->inner.size; }
long element(struct outer *o, int i) { return o->list[i].size; }
long plain(long *size) { return *size; }
long raw(struct b *one) { return *(char *)&one->size; }
void exchange(struct a *one) { __atomic_store_n(&one->size, 3, __ATOMIC_RELAXED); }
void stranger(struct b *one) { one->size = 8; }
long around(struct outer *o) { return o->size; }
END_OF_SOURCE
cat >strange.c <<'END_OF_SOURCE'
#include "structs.h"
void stranger(struct b *one) { one->size = 8; }
long around(struct outer *o) { return o->size; }
END_OF_SOURCE

# What may be the size of a struct a, and all that is called size.
near="grow read
grow write
same read"
far="element read
exchange write
nested read
plain read
put write
raw read"
all_near="grow read
grow write
other read
same read"
all_far="around read
element read
exchange write
nested read
plain read
put write
raw read
stranger write"

claim "the struct is what darn sections infer finds"
build darn-cc -O1 -shared -fPIC grow.c -o grow.so
try darn sections infer -o typed grow.so
expect_same "$(grep -o '"type": "[^"]*"' typed)" '"type": "a"'
sed 's/ "type": "a",//' typed >untyped
expect_lacks "$(cat untyped)" type

for level in -O1 -O2 -O3; do
    claim "members of other structs are left alone ($level)"
    build darn-cc --only=typed $level -c grow.c -o grow.o
    expect_same "$(accesses grow.o)" "$near"
    build darn-cc --only=typed $level -c far.c -o far.o
    expect_same "$(accesses far.o)" "$far"
    build darn-cc --only=typed $level -c strange.c -o strange.o
    expect_untouched strange.c strange.o $level

    claim "without the struct the name counts ($level)"
    build darn-cc --only=untyped $level -c grow.c -o grow.o
    expect_same "$(accesses grow.o)" "$all_near"
    build darn-cc --only=untyped $level -c far.c -o far.o
    expect_same "$(accesses far.o)" "$all_far"
done

for options in -O0 "-O2 -fno-strict-aliasing"; do
    claim "where structs may be anything, the name counts ($options)"
    build darn-cc --only=typed $options -c grow.c -o grow.o
    expect_same "$(accesses grow.o)" "$all_near"
    build darn-cc --only=typed $options -c far.c -o far.o
    expect_same "$(accesses far.o)" "$all_far"
done

claim "structs without a name, in unions, and those that may alias others are not told apart"
cat >any.c <<'END_OF_SOURCE'
typedef struct { int id; long size; } nameless;
union both { struct { int id; long size; } one; struct b { int id; long size; } two; };
struct __attribute__((may_alias)) view { int id; long size; };
struct packet { int kind; union { struct { int id; long size; }; char bytes[16]; }; };
long use(nameless *one) { return one->size; }
long either(union both *u) { return u->two.size; }
long look(struct view *v) { return v->size; }
long part(struct packet *p) { return p->size; }
END_OF_SOURCE
cp any.c any.cc
build darn-cc --only=typed -O2 -c any.c -o any.o
expect_same "$(accesses any.o)" "either read
look read
part read
use read"
# Here the first of them has a name: that of its typedef.
build darn-c++ --only=typed -O2 -c any.cc -o any.o
expect_same "$(accesses any.o)" "either read
look read
part read"

claim "C and C++ share a struct"
cp grow.c both.cc
cp far.c far.cc
for level in -O1 -O2; do
    build darn-c++ --only=typed $level -c far.cc -o far.o
    expect_same "$(accesses far.o)" "$far"
done
build darn-c++ -O1 -shared -fPIC both.cc -o both.so
try darn sections infer -o both both.so
expect_same "$(grep -o '"type": "[^"]*"' both)" '"type": "_ZTS1a"'
build darn-cc --only=both -O2 -c far.c -o far.o
expect_same "$(accesses far.o)" "$far"
echo 'struct whole { int id; struct part { int id; long size; } part; };' >part.h
{ cat part.h; echo 'void grow(struct whole *w) { w->part.size += 1; }'; } >part.c
{ cat part.h; echo 'long peek(whole *w) { return w->part.size; }'; } >part.cc
sed 's/"type": "a"/"type": "part"/' typed >in_c
sed 's/"type": "a"/"type": "_ZTSN5whole4partE"/' typed >in_cc
sed 's/"type": "a"/"type": "_ZTSN5whole1aE"/' typed >in_none
for repository in in_c in_cc in_none; do
    build darn-cc --only=$repository -O2 -c part.c -o part_c.o
    build darn-c++ --only=$repository -O2 -c part.cc -o part_cc.o
    if [ $repository = in_none ]; then
        expect_untouched part.c part_c.o -O2
        expect_untouched part.cc part_cc.o -O2
    else
        expect_same "$(accesses part_c.o)" "grow read
grow write"
        expect_same "$(accesses part_cc.o)" "peek read"
    fi
done

claim "C++: namespaces, base classes and templates"
cat >classes.h <<'END_OF_SOURCE'
namespace company { struct account { int id; long size; void grow(); }; }
struct account { int id; long size; };
struct special : company::account { int more; };
namespace { struct hidden { int id; long size; }; }
template <class T> struct queue { T *first; long size; };
END_OF_SOURCE
cat >classes.cc <<'END_OF_SOURCE'
#include "classes.h"
void company::account::grow() { size += 1; }
END_OF_SOURCE
cat >uses.cc <<'END_OF_SOURCE'
#include "classes.h"
static hidden *the_hidden;
void set(void *to) { the_hidden = static_cast<hidden *>(to); }
long same(company::account *one) { return one->size; }
long derived(special *one) { return one->size; }
long reference(company::account &one) { return one.size; }
long plain(long &size) { return size; }
long global(account *one) { return one->size; }
long unnamed() { return the_hidden->size; }
long templated(queue<int> *one) { return one->size; }
END_OF_SOURCE
cat >unnamed.cc <<'END_OF_SOURCE'
#include "classes.h"
static hidden *the_hidden;
void set(void *to) { the_hidden = static_cast<hidden *>(to); }
void grow() { the_hidden->size += 1; }
long peek() { return the_hidden->size; }
long same(company::account *one) { return one->size; }
long longs(queue<long> *one) { return one->size; }
END_OF_SOURCE
build darn-c++ -O1 -shared -fPIC classes.cc -o classes.so
try darn sections infer -o classes classes.so
expect_same "$(grep -o '"type": "[^"]*"' classes)" '"type": "_ZTSN7company7accountE"'
build darn-c++ -O1 -shared -fPIC unnamed.cc -o unnamed.so
try darn sections infer -o unnamed unnamed.so
expect_same "$(grep -o '"type": "[^"]*"' unnamed)" '"type": "_ZTSN12_GLOBAL__N_16hiddenE"'
sed 's/_ZTSN12_GLOBAL__N_16hiddenE/_ZTS5queueIlE/' unnamed >template
for level in -O1 -O2; do
    build darn-c++ --only=classes $level -c uses.cc -o uses.o
    expect_same "$(accesses uses.o)" "derived read
plain read
reference read
same read"
    build darn-c++ --only=unnamed $level -c unnamed.cc -o unnamed.o
    expect_same "$(accesses unnamed.o)" "grow read
grow write
peek read"
    build darn-c++ --only=unnamed $level -c uses.cc -o uses.o
    expect_same "$(accesses uses.o)" "plain read
unnamed read"
    build darn-c++ --only=template $level -c uses.cc -o uses.o
    expect_same "$(accesses uses.o)" "plain read"
    build darn-c++ --only=template $level -c unnamed.cc -o unnamed.o
    expect_has "$(accesses unnamed.o)" "longs read"
    expect_lacks "$(accesses unnamed.o)" "same read"
done
for options in -O0 "-O2 -fno-strict-aliasing"; do
    build darn-c++ --only=classes $options -c uses.cc -o uses.o
    expect_same "$(accesses uses.o)" "derived read
global read
plain read
reference read
same read
templated read
unnamed read"
done

claim "one place in a template is as many as there are structs"
cat >box.h <<'END_OF_SOURCE'
template <class T> struct box { T *first; long size; void __attribute__((noinline)) grow() { size += 1; } };
END_OF_SOURCE
for type in int long; do
    echo "#include \"box.h\"
void grow_$type(box<$type> *b) { b->grow(); }" >box_$type.cc
done
build darn-c++ -O1 -shared -fPIC box_int.cc -o box.so
try darn sections infer -o box box.so
expect_same "$(grep -o '"type": "[^"]*"' box)" '"type": "_ZTS3boxIiE"'
for level in -O1 -O2; do
    build darn-c++ --only=box $level -c box_int.cc -o box_int.o
    expect_same "$(accesses box_int.o)" "grow read
grow write"
    build darn-c++ --only=box $level -c box_long.cc -o box_long.o
    expect_untouched box_long.cc box_long.o $level
done

claim "a section of copies over several structs is over none of them"
cat >copies.cc <<'END_OF_SOURCE'
struct a { int id; long size; };
struct b { long size; int id; };
struct c { int id, more; long size; };
static inline void grow(long &size) { size += 1; }
void grow_all(a *one, b *two, c *three) { grow(one->size); grow(two->size); grow(three->size); }
END_OF_SOURCE
for level in -O1 -O2; do
    build darn-c++ $level -shared -fPIC copies.cc -o copies.so
    try darn sections infer -o copies copies.so
    expect_lacks "$(cat copies)" '"type"'
    build darn-c++ --only=copies $level -c copies.cc -o copies.o
    expect_same "$("$bin/../tests/tools/sites" copies.o | awk '{ print $3 }' | sort | uniq -c | tr -s ' ')" " 3 read
 3 write"
done

claim "what a pointer points to is not the pointer"
cat >buffer.c <<'END_OF_SOURCE'
struct buffer { char *data; int n; };
struct frame { struct buffer *now; char text[16]; };
void turn(struct buffer *b) { b->data += 1; }
void put(struct buffer *b, int i) { b->data[i] = 1; }
void mark(struct frame *f, int i) { f->text[i] = 1; }
END_OF_SOURCE
build darn-cc -O1 -shared -fPIC buffer.c -o buffer.so
try darn sections infer -o buffer buffer.so
expect_same "$(grep -o '"variable": "[^"]*"' buffer)" '"variable": "b->data"'
sed 's/"b->data", "type": "buffer"/"b->data[]"/' buffer >elements
sed 's/"b->data", "type": "buffer"/"f->text"/' buffer >array
for level in -O1 -O2; do
    build darn-cc --only=buffer $level -c buffer.c -o buffer.o
    expect_same "$(accesses buffer.o)" "put read
turn read
turn write"
    build darn-cc --only=elements $level -c buffer.c -o buffer.o
    expect_has "$(accesses buffer.o)" "put write"
    build darn-cc --only=array $level -c buffer.c -o buffer.o
    expect_has "$(accesses buffer.o)" "mark write"
done
finish
