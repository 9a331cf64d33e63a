/*
 * claim: a member changed by a method is reported with the name of the member
 * build: -O0
 * build: -O2
 * run: --halt-on-error --report-unknown-origin=0 --noise=var:this->hits:1000/1000 x 20
 * run: --halt-on-error --report-unknown-origin=0 --budget=max --noise=random:1000/1000 x 20
 * expect: data-race on this->hits at COUNT and COUNT
 */
#include <thread>

namespace
{
class Cache
{
    char padding[64];
    int hits = 0;

  public:
    Cache() : padding()
    {
    }
    virtual ~Cache() = default;
    virtual int count() const
    {
        return hits + padding[0];
    }
    void hit()
    {
        hits++; /* race: COUNT */
    }
};

void work(Cache *cache)
{
    for (int i = 0; i < 300; i++) {
        cache->hit();
        std::this_thread::yield();
    }
}
} // namespace

int main()
{
    auto *cache = new Cache;
    std::thread one(work, cache), two(work, cache);
    one.join();
    two.join();
    bool counted = cache->count() > 0;
    delete cache;
    return !counted;
}
