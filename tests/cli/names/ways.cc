/* As ways.c, in C++. */
#include <array>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

struct account {
    long id, balance;
};
struct config {
    static int level;
};
int config::level;
template <typename T> struct counted {
    static inline long made;
};
namespace shop
{
int total;
}
namespace
{
int hidden;
}

struct job {
    int id, steps;
    void run()
    {
        steps += 1; /* name: this->steps */
    }
};
struct base {
    long a;
    int common;
};
struct middle {
    long z;
};
struct derived : middle, base {
    int own;
    void go()
    {
        common += 1; /* name: this->common */
    }
};
struct far_base {
    int deep;
    virtual ~far_base()
    {
    }
};
struct virtually : virtual far_base {
    int x;
};
struct bits {
    unsigned on : 1, level : 4;
    void up()
    {
        level++; /* name: this->level */
    }
};
struct variant {
    int kind;
    union {
        int i;
        float f;
    } u;
    void set()
    {
        u.f += 1; /* name: this->u.f */
    }
};
template <typename T> struct box {
    long pad;
    T held;
    void put(T v)
    {
        held = v; /* name: this->held */
    }
};
struct server {
    int queue, served;
    std::function<void()> make()
    {
        return [this] {
            served += 1; /* name: this->served */
        };
    }
};
struct list {
    struct node {
        node *next;
        int load;
    } * head;
    void go()
    {
        head->next->load += 1; /* name: this->head->next->load */
    }
};
struct slots {
    int *data;
    int &operator[](int i)
    {
        return data[i];
    }
};
class guarded
{
    int pad, value;

  public:
    int &get()
    {
        return value;
    }
};

static inline void add_to(int &number)
{
    number += 1; /* name: number */
}

template <typename T> static void add_any(T &any)
{
    any.balance += 1; /* name: any.balance */
}

static job *a_job;
static derived *a_derived, *another;
static virtually *a_virtual;
static bits *some_bits;
static variant *a_variant;
static box<int> *a_box;
static list *a_list;
static slots *some_slots;
static guarded *a_guarded;
static int *an_int;
static account *an_account;
static account &reference = *new account{};
static std::vector<int> *numbers;
static std::vector<account> accounts;
static std::unique_ptr<account> owned;
static std::shared_ptr<account> shared;
static std::unique_ptr<int[]> owned_array;
static std::vector<std::unique_ptr<account>> all;
static std::array<int, 8> fixed;
static std::pair<int, long> both, *bound;
static std::map<int, account> by_number;
static std::optional<int> maybe;
static std::function<void()> *functions[4];
static long account::*volatile member = &account::balance;
static volatile int zero;

__attribute__((noinline)) static void plain(long me)
{
    static int calls = zero;

    shop::total += 1;               /* name: total */
    hidden += static_cast<int>(me); /* name: hidden */
    config::level += 1;             /* name: level */
    counted<int>::made += 1;        /* name: made */
    calls += 1;                     /* name: calls */
    a_job->run();
    a_derived->go();
    another->common += 1;     /* name: another->common */
    a_virtual->deep += 1;     /* name: *a_virtual */
    an_account->*member += 1; /* name: *an_account */
    some_bits->up();
    a_variant->set();
    a_box->put(static_cast<int>(me));
    a_list->go();
    add_to(*an_int);
    add_any(*an_account);
    reference.balance += 1; /* name: reference.balance */
    for (auto *function : functions)
        (*function)();
}

__attribute__((noinline)) static void library(long me)
{
    auto &[left, right] = *bound;
    account &found = by_number.find(1)->second;

    (*numbers)[3] += 1;          /* name: (*numbers)[3] */
    (*numbers)[zero] += 1;       /* name: (*numbers)[] */
    accounts[2].balance += 1;    /* name: accounts[2].balance */
    accounts.at(1).balance += 1; /* name: accounts.at().balance */
    owned->balance += 1;         /* name: owned->balance */
    shared->balance += 1;        /* name: shared->balance */
    owned_array[3] += 1;         /* name: owned_array[3] */
    all[1]->balance += 1;        /* name: all[1]->balance */
    fixed[5] += 1;               /* name: fixed[5] */
    both.first += 1;             /* name: both.first */
    both.second += me;           /* name: both.second */
    left += 1;                   /* name: left */
    right += 1;                  /* name: right */
    found.balance += 1;          /* name: found.balance */
    *maybe += 1;                 /* name: *maybe */
    (*some_slots)[3] += 1;       /* name: (*some_slots)[3] */
    a_guarded->get() += 1;       /* name: a_guarded->get() */
    for (auto &each : accounts)
        each.balance += 1; /* name: each.balance */
    for (auto it = accounts.begin(); it != accounts.end(); ++it)
        it->balance += 1; /* name: it->balance */
}

template <typename T> static void fill(T *&p)
{
    if (!zero)
        p = new T();
}

int main()
{
    int captured = 0;
    account local{}, *pointer = new account{};
    server a_server{};

    fill(a_job), fill(a_derived), fill(another), fill(a_virtual), fill(some_bits), fill(a_variant),
        fill(a_box), fill(a_list);
    fill(some_slots), fill(a_guarded), fill(an_int), fill(an_account), fill(bound);
    a_list->head = new list::node{new list::node{nullptr, 0}, 0};
    some_slots->data = new int[5]();
    numbers = new std::vector<int>(10);
    accounts.resize(5);
    owned = std::make_unique<account>();
    shared = std::make_shared<account>();
    owned_array.reset(new int[5]());
    all.push_back(std::make_unique<account>());
    all.push_back(std::make_unique<account>());
    by_number[1];
    maybe = 1;
    functions[0] = new std::function<void()>([&] {
        captured += 1; /* name: captured */
    });
    functions[1] = new std::function<void()>([&local] {
        local.balance += 1; /* name: local.balance */
    });
    functions[2] = new std::function<void()>([pointer] {
        pointer->balance += 1; /* name: pointer->balance */
    });
    functions[3] = new std::function<void()>(a_server.make());
    std::thread one([] { plain(1), library(1); }), two([] { plain(2), library(2); });
    one.join();
    two.join();
    return hidden + fixed[5] + static_cast<int>(both.second) + captured;
}
