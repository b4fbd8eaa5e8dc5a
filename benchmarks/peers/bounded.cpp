// Bounded reachability as an engineer would write it in C++: all layers one after the other, two of them in memory,
// probability and cost of a vertex side by side, every change of the strategy noted and sorted by vertex at the end.
//
// Usage: bounded FILE ROUNDS STEPS TOLERANCE. The file is that of win_tuned.cpp, followed by the probability of each edge as
// doubles. Every edge counts one move. Prints one JSON object; the time is the best of ROUNDS.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

template <class T>
std::vector<T> read(std::FILE* file, size_t count) {
    std::vector<T> values(count);
    if (std::fread(values.data(), sizeof(T), count, file) != count) std::exit(2);
    return values;
}

struct Edge {
    double cost, probability;
    uint32_t target;
};

struct Game {
    uint32_t n, m;
    std::vector<uint32_t> first;
    std::vector<Edge> edges;
    std::vector<uint8_t> owner, goal;
};

struct Odds {
    double probability, cost;
};

struct Change {
    uint32_t vertex, left, edge;
};

struct Solution {
    std::vector<Odds> now, before;
    std::vector<uint32_t> choice, row;
    std::vector<std::pair<uint32_t, uint32_t>> changes;  // moves left from, edge; in rows of their vertex

    Solution(const Game& game, uint32_t steps, double tolerance)
        : now(game.n), before(game.n), choice(game.n, game.m), row(game.n + 2) {
        std::vector<Change> noted;
        for (uint32_t v = 0; v < game.n; ++v) now[v] = before[v] = {game.goal[v] ? 1.0 : 0.0, 0.0};
        for (uint32_t left = 1; left <= steps; ++left) {
            std::swap(now, before);
            bool moved = false;
            for (uint32_t v = 0; v < game.n; ++v) {
                if (game.goal[v]) continue;
                now[v] = game.owner[v] ? system(game, v) : tester(game, v, left, tolerance, noted);
                moved |= now[v].probability != before[v].probability || now[v].cost != before[v].cost;
            }
            if (!moved) break;
        }
        for (const Change& change : noted) ++row[change.vertex + 2];
        for (uint32_t v = 2; v < game.n + 2; ++v) row[v] += row[v - 1];
        changes.resize(noted.size());
        for (const Change& change : noted) changes[row[change.vertex + 1]++] = {change.left, change.edge};
    }

    Odds system(const Game& game, uint32_t v) const {
        Odds odds{0.0, 0.0};
        for (uint32_t e = game.first[v]; e < game.first[v + 1]; ++e) {
            const Edge& edge = game.edges[e];
            const Odds& beyond = before[edge.target];
            odds.probability += edge.probability * beyond.probability;
            odds.cost = std::max(odds.cost, edge.cost + beyond.cost);
        }
        return odds;
    }

    Odds tester(const Game& game, uint32_t v, uint32_t left, double tolerance, std::vector<Change>& noted) {
        double best = 0.0;
        for (uint32_t e = game.first[v]; e < game.first[v + 1]; ++e)
            best = std::max(best, before[game.edges[e].target].probability);
        Odds odds{0.0, 0.0};
        uint32_t chosen = game.m;
        const double enough = best - tolerance * best;
        for (uint32_t e = game.first[v]; best > 0 && e < game.first[v + 1]; ++e) {
            const Odds& beyond = before[game.edges[e].target];
            if (beyond.probability < enough) continue;
            const double cost = game.edges[e].cost + beyond.cost;
            if (chosen == game.m || cost < odds.cost || (cost == odds.cost && e == choice[v])) {
                odds = {beyond.probability, cost};
                chosen = e;
            }
        }
        if (chosen != choice[v]) noted.push_back({v, left, choice[v] = chosen});
        return odds;
    }
};

double seconds() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

int main(int count, char** words) {
    std::FILE* file = count == 5 ? std::fopen(words[1], "rb") : nullptr;
    if (!file) return 2;
    const auto sizes = read<uint32_t>(file, 2);
    Game game{sizes[0], sizes[1], read<uint32_t>(file, sizes[0] + 1), {}, {}, {}};
    const auto target = read<uint32_t>(file, game.m);
    const auto cost = read<int64_t>(file, game.m);
    game.owner = read<uint8_t>(file, game.n);
    game.goal = read<uint8_t>(file, game.n);
    const auto probability = read<double>(file, game.m);
    for (uint32_t e = 0; e < game.m; ++e) game.edges.push_back({double(cost[e]), probability[e], target[e]});

    double best = 1e300, total = 0, worst = 0;
    size_t changes = 0;
    for (int round = 0; round < std::atoi(words[2]); ++round) {
        const double began = seconds();
        const Solution solution(game, std::atoi(words[3]), std::atof(words[4]));
        best = std::min(best, seconds() - began);
        total = worst = 0;
        for (const Odds& odds : solution.now) total += odds.probability, worst += odds.cost;
        changes = solution.changes.size();
    }
    std::printf("{\"seconds\": %.9f, \"probability\": %.17g, \"cost\": %.17g, \"changes\": %zu}\n", best, total, worst,
                changes);
}
