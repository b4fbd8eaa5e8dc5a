// Least worst-case cost that is sure to reach a goal, as an engineer would write it in C++: Dijkstra's algorithm
// backwards from the goals on a binary heap, where a vertex of the system waits for its last edge, with the strategy.
//
// Usage and file as in win_tuned.cpp. Prints one JSON object; times are the best of ROUNDS.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <queue>
#include <vector>

template <class T>
std::vector<T> read(std::FILE* file, size_t count) {
    std::vector<T> values(count);
    if (std::fread(values.data(), sizeof(T), count, file) != count) std::exit(2);
    return values;
}

struct Game {
    uint32_t n, m;
    std::vector<uint32_t> first, target;
    std::vector<int64_t> cost;
    std::vector<uint8_t> owner, goal;
};

struct Incoming {
    std::vector<uint32_t> first, edge, source;

    explicit Incoming(const Game& game) : first(game.n + 2, 0), edge(game.m), source(game.m) {
        for (uint32_t target : game.target) ++first[target + 2];
        for (uint32_t v = 2; v < game.n + 2; ++v) first[v] += first[v - 1];
        for (uint32_t u = 0; u < game.n; ++u)
            for (uint32_t e = game.first[u]; e < game.first[u + 1]; ++e) {
                const uint32_t place = first[game.target[e] + 1]++;
                edge[place] = e;
                source[place] = u;
            }
    }
};

struct Solution {
    std::vector<int64_t> value;
    std::vector<int64_t> choice;
    std::vector<uint8_t> settled;

    Solution(const Game& game, const Incoming& incoming)
        : value(game.n, -1), choice(game.n, -1), settled(game.n, 0) {
        using Entry = std::pair<int64_t, uint32_t>;
        std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
        std::vector<uint32_t> left(game.n);
        for (uint32_t v = 0; v < game.n; ++v) {
            left[v] = game.first[v + 1] - game.first[v];
            if (game.goal[v]) queue.emplace(value[v] = 0, v);
        }
        while (!queue.empty()) {
            const auto [worth, v] = queue.top();
            queue.pop();
            if (settled[v]) continue;
            settled[v] = 1;
            for (uint32_t place = incoming.first[v]; place < incoming.first[v + 1]; ++place) {
                const uint32_t u = incoming.source[place], e = incoming.edge[place];
                if (settled[u] || game.goal[u]) continue;
                const int64_t offer = game.cost[e] + worth;
                if (game.owner[u]) {
                    value[u] = std::max(value[u], offer);
                    if (--left[u] == 0) queue.emplace(value[u], u);
                } else if (value[u] < 0 || offer < value[u]) {
                    value[u] = offer;
                    choice[u] = e;
                    queue.emplace(offer, u);
                }
            }
        }
    }
};

double seconds() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

int main(int count, char** arguments) {
    std::FILE* file = count > 1 ? std::fopen(arguments[1], "rb") : nullptr;
    if (!file) return 2;
    Game game;
    game.n = read<uint32_t>(file, 1)[0];
    game.m = read<uint32_t>(file, 1)[0];
    game.first = read<uint32_t>(file, game.n + size_t{1});
    game.target = read<uint32_t>(file, game.m);
    game.cost = read<int64_t>(file, game.m);
    game.owner = read<uint8_t>(file, game.n);
    game.goal = read<uint8_t>(file, game.n);
    const int rounds = count > 2 ? std::max(1, std::atoi(arguments[2])) : 3;
    double best = 1e300, best_with_index = 1e300;
    uint64_t checksum = 0;
    uint32_t winnable = 0;
    for (int round = 0; round < rounds; ++round) {
        const double begin = seconds();
        const Incoming incoming(game);
        const double indexed = seconds();
        const Solution solution(game, incoming);
        const double end = seconds();
        best = std::min(best, end - indexed);
        best_with_index = std::min(best_with_index, end - begin);
        checksum = winnable = 0;
        for (uint32_t v = 0; v < game.n; ++v)
            if (solution.settled[v]) checksum += solution.value[v], ++winnable;
    }
    std::printf("{\"seconds\": %.9f, \"seconds_with_index\": %.9f, \"checksum\": %llu, \"winnable\": %u}\n", best,
                best_with_index, static_cast<unsigned long long>(checksum), winnable);
}
