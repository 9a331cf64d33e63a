/*
 * claim: objects owned by std::shared_ptr, destroyed by whoever is last, are never reported
 * tsan: no
 * build: -O0
 * build: -O2
 * run: --budget=max --noise=random:50/20 x 6
 * run: x 3
 * predict: hb
 * expect: none
 */
#include <atomic>
#include <memory>
#include <thread>
#include <vector>

namespace
{
std::atomic<int> alive{0};

struct Object {
    std::vector<int> values;
    explicit Object(int value) : values(8, value)
    {
        alive++;
    }
    ~Object()
    {
        for (int &value : values)
            value = -1; /* the last owner may write */
        alive--;
    }
};

void work(std::vector<std::shared_ptr<const Object>> objects, std::weak_ptr<const Object> first,
          std::atomic<long> &sum)
{
    for (auto &object : objects) {
        auto copy = object;
        object.reset();
        sum += copy->values[3];
    }
    if (auto still = first.lock())
        sum += still->values[0] - still->values[7];
}
} // namespace

int main()
{
    for (int round = 0; round < 10; round++) {
        std::atomic<long> sum{0};
        std::vector<std::shared_ptr<const Object>> objects;
        for (int i = 0; i < 20; i++)
            objects.push_back(std::make_shared<const Object>(i));
        std::weak_ptr<const Object> first = objects[0];
        std::thread one(work, objects, first, std::ref(sum)),
            two(work, objects, first, std::ref(sum));
        objects.clear();
        one.join();
        two.join();
        if (sum != 2 * 190 || alive != 0)
            return 1;
    }
    return 0;
}
