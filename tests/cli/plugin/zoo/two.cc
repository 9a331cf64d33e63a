#include "shared.h"

int other()
{
    stack<int> numbers;
    both b;
    shape *x = &b;

    numbers.push(2);
    text += "yz";
    per_thread++;
    b.tag = 9;
    return bump() + numbers.pop() + stack<int>::made + x->area() + static_cast<int>(text.size()) +
           per_thread;
}
