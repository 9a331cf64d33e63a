// Exceptions, virtual bases, lambdas, static and thread-local objects: main() prints one line.
#include "shared.h"

#include <atomic>
#include <cstdio>
#include <memory>

int shared;

struct guard {
    int &n;
    explicit guard(int &x) : n(x)
    {
        n++;
    }
    ~guard()
    {
        n--;
    }
};

static int thrower(int n)
{
    guard g(shared);

    if (n > 3)
        throw std::runtime_error("big");
    if (n < 0)
        throw n;
    return n;
}

static int catcher(int n)
{
    try {
        guard g(counter());

        return thrower(n);
    } catch (const std::exception &e) {
        shared += e.what()[0];
        return -1;
    } catch (int v) {
        return v;
    } catch (...) {
        throw;
    }
}

static int never_throws(int n) noexcept
{
    return catcher(n) + shared;
}

static int function_try(int n)
try {
    return thrower(n);
} catch (...) {
    return shared;
}

static std::string global_text = std::string("hello") + std::to_string(bump());
static std::atomic<long> hits{0};

static int lambdas(int n)
{
    int local = n;
    auto by_reference = [&local](int x) {
        local += x;
        return local + shared;
    };
    auto by_value = [=, copy = std::vector<int>{1, 2, n}]() mutable {
        copy[0]++;
        return copy[0] + copy[2];
    };

    return by_reference(1) + by_value() + by_value();
}

struct pointed {
    int a;
    int next()
    {
        return a++;
    }
};

static int member_pointers(pointed *p, int pointed::*field, int (pointed::*function)())
{
    p->*field += 2;
    return (p->*function)();
}

static int objects()
{
    both b;
    square s(4);
    shape *shapes[] = {&b, &s};
    int sum = 0;

    for (auto *x : shapes) {
        sum += x->area();
        if (auto *q = dynamic_cast<square *>(x))
            sum += q->side;
    }
    return sum;
}

int main()
{
    stack<int> numbers;
    pointed p{1};
    auto array = std::make_unique<int[]>(10);
    auto shared_square = std::make_shared<square>(3);
    int sum = objects();

    for (int i = 0; i < 5; i++)
        numbers.push(i);
    sum += numbers.pop() + stack<int>::made++ + stack<long>::made;
    sum += member_pointers(&p, &pointed::a, &pointed::next);
    hits += sum;
    hits.fetch_sub(1, std::memory_order_relaxed);
    array[3] = sum;
    sum += shared_square->area() + array[3];
    for (int i = -2; i < 6; i++)
        sum += catcher(i) + never_throws(i > 0) + function_try(i);
    sum += lambdas(4) + per_thread + static_cast<int>(text.size()) + other() + bump();
    std::printf("%d %d %ld %s\n", sum, shared, hits.load(), global_text.c_str());
}
