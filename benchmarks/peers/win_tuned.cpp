// Least worst-case cost that is sure to reach a goal, as fast as C++ goes: the bar for our own kernel.
//
// The method is the optimal winning strategy of "Optimal Strategies for Testing Nondeterministic Systems"
// (section 4): Dijkstra's algorithm backwards from the goals, where a vertex of the system waits until all
// its edges lead to settled vertices. O((n + m) log C) with a radix heap, C the largest value.
//
// Usage: win FILE [ROUNDS]. FILE, little endian: uint32 n, m, first[n + 1], target[m]; int64 cost[m];
// uint8 owner[n] (0 tester, 1 system), goal[n]. Prints one JSON object; times are the best of ROUNDS.
#include "radix_heap.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <malloc.h>
#include <memory>
#include <vector>

[[noreturn]] void fail(const char* message) {
    std::fprintf(stderr, "win: %s\n", message);
    std::exit(2);
}

template <class T>
std::vector<T> read(std::FILE* file, size_t count) {
    std::vector<T> values(count);
    if (std::fread(values.data(), sizeof(T), count, file) != count) fail("the file is too short");
    return values;
}

struct Game {
    uint32_t n, m;
    std::vector<uint32_t> first, target;
    std::vector<int64_t> cost;
    std::vector<uint8_t> owner, goal;

    explicit Game(std::FILE* file) {
        n = read<uint32_t>(file, 1)[0];
        m = read<uint32_t>(file, 1)[0];
        first = read<uint32_t>(file, n + size_t{1});
        target = read<uint32_t>(file, m);
        cost = read<int64_t>(file, m);
        owner = read<uint8_t>(file, n);
        goal = read<uint8_t>(file, n);
    }
};

// Cost is uint32_t where every value fits, else int64_t: half the memory saves a seventh of the time.
template <class Cost>
struct Incoming {
    struct __attribute__((packed)) Edge {
        Vertex source;
        Cost cost;
    };
    std::unique_ptr<uint32_t[]> first;
    std::unique_ptr<Edge[]> edges;

    explicit Incoming(const Game& game)
        : first(std::make_unique<uint32_t[]>(game.n + size_t{1})),
          edges(std::make_unique_for_overwrite<Edge[]>(game.m)) {
        std::vector<uint32_t> next(game.n, 0);
        for (Vertex target : game.target) ++next[target];
        for (Vertex v = 0; v < game.n; ++v) {
            first[v + 1] = first[v] + next[v];
            next[v] = first[v];
        }
        for (Vertex u = 0; u < game.n; ++u)
            for (uint32_t e = game.first[u]; e < game.first[u + 1]; ++e)
                edges[next[game.target[e]]++] = {u, static_cast<Cost>(game.cost[e])};
    }
};

template <class Cost>
class Solver {
    static constexpr uint32_t kTester = std::numeric_limits<uint32_t>::max();
    static constexpr Cost kInfinite = std::numeric_limits<Cost>::max();

    // `open` counts the edges of a system vertex whose target is not settled. Both share a cache line.
    struct Node {
        Cost value;
        uint32_t open;
    };

    const Incoming<Cost>& incoming;
    const std::unique_ptr<Node[]> nodes;
    RadixHeap<Cost> heap;

    // A goal is a tester vertex that cannot improve, a dead end one that never gets an offer.
    static Node fresh(const Game& game, Vertex v) {
        const uint32_t degree = game.first[v + 1] - game.first[v];
        if (game.goal[v]) return {0, kTester};
        if (game.owner[v] == 0 || degree == 0) return {kInfinite, kTester};
        return {0, degree};
    }

    // Each edge offers once, when its target is settled; so the system's maximum needs no second look at them.
    void offer(Vertex u, Cost value) {
        Node& node = nodes[u];
        if (node.open == kTester) {
            if (value < node.value) heap.push(node.value = value, u);
        } else {
            node.value = std::max(node.value, value);
            if (--node.open == 0) heap.push(node.value, u);
        }
    }

    void relax(typename RadixHeap<Cost>::Item item) {
        if (item.key > nodes[item.vertex].value) return;  // overtaken by a cheaper offer
        for (uint32_t e = incoming.first[item.vertex]; e < incoming.first[item.vertex + 1]; ++e)
            offer(incoming.edges[e].source, item.key + incoming.edges[e].cost);
    }

    // A large random graph is all cache misses: asking early, in three steps, halves the time. Always inline,
    // since g++ takes a function that only prefetches for one without effect and drops its calls.
    [[gnu::always_inline]] void want_vertex(Vertex v) const {
        __builtin_prefetch(&incoming.first[v]);
        __builtin_prefetch(&nodes[v]);
    }
    [[gnu::always_inline]] void want_edges(Vertex v) const {
        __builtin_prefetch(incoming.edges.get() + incoming.first[v]);
    }
    [[gnu::always_inline]] void want_sources(Vertex v) const {
        for (uint32_t e = incoming.first[v]; e < incoming.first[v + 1]; ++e)
            __builtin_prefetch(&nodes[incoming.edges[e].source], 1);
    }

    void take_least() {
        const auto& items = heap.least();
        for (size_t i = 0; i < items.size(); ++i) {
            if (i + 6 < items.size()) want_vertex(items[i + 6].vertex);
            if (i + 4 < items.size()) want_edges(items[i + 4].vertex);
            if (i + 2 < items.size()) want_sources(items[i + 2].vertex);
            relax(items[i]);
        }
    }

public:
    Solver(const Game& game, const Incoming<Cost>& incoming)
        : incoming(incoming), nodes(std::make_unique_for_overwrite<Node[]>(game.n)) {
        for (Vertex v = 0; v < game.n; ++v) {
            nodes[v] = fresh(game, v);
            if (game.goal[v]) heap.push(0, v);
        }
        const auto soon = [this](Vertex v, size_t rivals) __attribute__((always_inline)) {
            if (rivals <= 6) want_sources(v);
            else if (rivals <= 24) want_edges(v);
            else if (rivals <= 256) want_vertex(v);
        };
        do take_least();
        while (heap.advance(soon));
    }

    bool won(Vertex v) const { return nodes[v].open == kTester ? nodes[v].value != kInfinite : !nodes[v].open; }
    uint64_t value(Vertex v) const { return static_cast<uint64_t>(nodes[v].value); }
};

double seconds() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

template <class Cost>
void report(const Game& game, int rounds) {
    double best = 1e300, best_with_index = 1e300;
    uint64_t checksum = 0;  // modulo 2^64
    uint32_t winnable = 0;
    for (int round = 0; round < rounds; ++round) {
        const double begin = seconds();
        const Incoming<Cost> incoming(game);
        const double indexed = seconds();
        const Solver<Cost> solver(game, incoming);
        const double end = seconds();
        best = std::min(best, end - indexed);
        best_with_index = std::min(best_with_index, end - begin);
        checksum = winnable = 0;
        for (Vertex v = 0; v < game.n; ++v) {
            if (solver.won(v)) checksum += solver.value(v), ++winnable;
        }
    }
    std::printf("{\"seconds\": %.9f, \"seconds_with_index\": %.9f, \"checksum\": %llu, \"winnable\": %u}\n", best,
                best_with_index, static_cast<unsigned long long>(checksum), winnable);
}

int main(int count, char** arguments) {
    if (count < 2) fail("usage: win FILE [ROUNDS]");
    std::FILE* file = std::fopen(arguments[1], "rb");
    if (!file) fail("the file cannot be opened");
    const Game game(file);
    std::fclose(file);
    mallopt(M_MMAP_MAX, 0);  // with the next line: only the first round pays for fresh pages
    mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
    const int rounds = count > 2 ? std::max(1, std::atoi(arguments[2])) : 3;
    const auto [least, most] = std::minmax_element(game.cost.begin(), game.cost.end());
    if (game.m && *least < 0) fail("costs must be at least 0");
    const int64_t highest = game.m ? *most : 0, visits = game.n + int64_t{1};  // a best play visits no vertex twice
    if (highest > std::numeric_limits<int64_t>::max() / visits) fail("costs are too large");
    const bool narrow = highest < std::numeric_limits<uint32_t>::max() / visits;
    narrow ? report<uint32_t>(game, rounds) : report<int64_t>(game, rounds);
}
