/*
 * claim: virtual calls, vtable pointers and objects handed over between threads are never reported
 * build: -O0
 * build: -O2
 * run: --budget=max --noise=random:50/20 x 6
 * run: x 3
 * predict: hb
 * expect: none
 */
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace
{
struct Shape {
    virtual ~Shape() = default;
    virtual long area() const = 0;
    virtual void grow() = 0;
};

struct Square : Shape {
    long side;
    explicit Square(long length) : side(length)
    {
    }
    long area() const override
    {
        return side * side;
    }
    void grow() override
    {
        side++;
    }
};

struct Rectangle : virtual Square {
    long other;
    Rectangle(long a, long b) : Square(a), other(b)
    {
    }
    long area() const override
    {
        return side * other;
    }
};

std::mutex lock;
std::vector<std::unique_ptr<Shape>> shapes;
long total;

/* Takes shapes that the other thread made, and destroys them outside of the lock. */
void work(int first)
{
    for (int i = 0; i < 100; i++) {
        std::unique_ptr<Shape> mine;
        {
            std::lock_guard<std::mutex> guard(lock);
            mine = std::move(shapes.back());
            shapes.pop_back();
        }
        mine->grow();
        long area = mine->area();
        mine.reset(i % 2 ? static_cast<Shape *>(new Square(first)) : new Rectangle(first, 1));
        std::lock_guard<std::mutex> guard(lock);
        total += area;
        shapes.insert(shapes.begin(), std::move(mine));
    }
}
} // namespace

int main()
{
    for (int i = 0; i < 8; i++)
        shapes.push_back(std::make_unique<Rectangle>(2, 2));
    std::thread one(work, 1), two(work, 1);
    one.join();
    two.join();
    return shapes.size() != 8 || total <= 0;
}
