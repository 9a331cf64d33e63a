/*
 * claim: data ordered by std::atomic with and without fences is never reported
 * tsan: no
 * build: -O0
 * build: -O3
 * run: --budget=max --noise=random:50/20 x 6
 * run: x 3
 * predict: hb
 * expect: none
 */
#include <atomic>
#include <memory>
#include <thread>

namespace
{
constexpr int rounds = 400;

struct Message {
    int number;
    std::unique_ptr<int> owned;
};

std::atomic<Message *> box{nullptr};
std::atomic<bool> locked{false};
std::atomic<int> turn{0};
long guarded, by_turns;

void send()
{
    for (int i = 0; i < rounds; i++) {
        auto *message = new Message{i, std::make_unique<int>(i * 2)};
        Message *empty = nullptr;
        while (!box.compare_exchange_weak(empty, message, std::memory_order_release)) {
            empty = nullptr;
            std::this_thread::yield();
        }
    }
}

void critical()
{
    while (locked.exchange(true, std::memory_order_acquire))
        std::this_thread::yield();
    guarded++;
    locked.store(false, std::memory_order_release);
}

void alternate(int me)
{
    while (turn.load(std::memory_order_relaxed) != me)
        std::this_thread::yield();
    std::atomic_thread_fence(std::memory_order_acquire);
    by_turns++;
    std::atomic_thread_fence(std::memory_order_release);
    turn.store(!me, std::memory_order_relaxed);
}
} // namespace

int main()
{
    long wrong = 0;
    std::thread sender([] {
        send();
        for (int i = 0; i < rounds; i++) {
            critical();
            alternate(0);
        }
    });
    for (int i = 0; i < rounds; i++) {
        Message *message;
        while ((message = box.exchange(nullptr, std::memory_order_acquire)) == nullptr)
            std::this_thread::yield();
        wrong += message->number != i || *message->owned != 2 * i;
        delete message;
    }
    for (int i = 0; i < rounds; i++) {
        critical();
        alternate(1);
    }
    sender.join();
    return wrong != 0 || guarded != 2 * rounds || by_turns != 2 * rounds;
}
