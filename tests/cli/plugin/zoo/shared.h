// Included by one.cc and two.cc: what both define alike must become one.
#include <stdexcept>
#include <string>
#include <vector>

extern int shared;
int other();

inline int &counter()
{
    static int n = 3;

    return n;
}

inline int bump()
{
    return ++counter() + shared++;
}

template <typename T> struct stack {
    std::vector<T> items;
    static int made;
    void push(T v)
    {
        items.push_back(v);
    }
    T pop()
    {
        T v = items.back();

        items.pop_back();
        return v;
    }
};
template <typename T> int stack<T>::made = 7;

inline thread_local int per_thread = bump();
inline thread_local std::string text = "x";

struct shape {
    int tag = 1;
    virtual ~shape()
    {
    }
    virtual int area() const = 0;
};
struct square : shape {
    int side;
    explicit square(int s) : side(s)
    {
    }
    int area() const override
    {
        return side * side + tag;
    }
};
struct left : virtual shape {
    int l = 2;
};
struct right : virtual shape {
    int r = 3;
};
struct both : left, right {
    int area() const override
    {
        return l + r + tag;
    }
};
