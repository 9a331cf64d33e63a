// Names in C++: members, references, templates, lambdas, namespaces.
struct item {
    int x;
    long y;
    void set(int v);
    int get() const;
    static int shared;
};
struct derived : item {
    int z;
};
struct polymorphic {
    int first, second;
    virtual ~polymorphic();
    void set(int v);
};
template <typename T> struct box {
    T value;
    void put(T v)
    {
        value = v;
    }
};
struct view {
    int *begin, *end;
    int &at(int i)
    {
        return begin[i];
    }
};
namespace bank
{
int total;
struct {
    int till;
} one;
extern int elsewhere;
} // namespace bank
int item::shared;

/* site: set write - 4 this->x */
void item::set(int v)
{
    x = v;
}

/* site: get read - 8 this->y */
int item::get() const
{
    return static_cast<int>(y);
}

/* site: reference write - 4 r */
void reference(int &r)
{
    r++;
}

/* site: member_of_reference write - 8 it.y */
void member_of_reference(item &it)
{
    it.y = 1;
}

/* site: member_of_rvalue write - 8 it.y */
void member_of_rvalue(item &&it)
{
    it.y = 1;
}

/* site: static_member write - 4 shared */
void static_member()
{
    item::shared = 3;
}

/* site: in_namespace write - 4 one.till */
void in_namespace(int v)
{
    bank::one.till = v;
}

/* site: out_of_namespace read - 4 one.till */
int out_of_namespace()
{
    return bank::one.till;
}

/* not yet: with_namespace write - 4 bank::total */
void with_namespace()
{
    bank::total = 1;
}

/* not yet: from_elsewhere write - 4 bank::elsewhere */
void from_elsewhere()
{
    bank::elsewhere = 1;
}

/* site: put write - 8 this->value */
/* site: put write - 4 this->value */
void in_template(box<long> &b, box<int> *c)
{
    b.put(4);
    c->put(4);
}

/* site: operator() write - 4 *q */
/* may: operator() read - 8 q */
void in_lambda(int *q)
{
    auto f = [q](int n) { *q = n; };

    f(4);
}

/* site: at read - 8 this->begin */
/* site: through_call write - 4 v.at() */
view v;
void through_call(int i)
{
    v.at(i) = 5;
}

/* site: inherited_first write - 4 d->x */
void inherited_first(derived *d)
{
    d->x = 1;
}

/* site: inherited write - 8 d->y */
void inherited(derived *d)
{
    d->y = 1;
}

/* site: own_of_derived write - 4 d->z */
void own_of_derived(derived *d)
{
    d->z = 1;
}

/* Its virtual functions are elsewhere; with -fstandalone-debug its debug info is here. */
/* site: set_polymorphic write - 4 p->second */
void set_polymorphic(polymorphic *p)
{
    p->second = 1;
}
