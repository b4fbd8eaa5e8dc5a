// Least jokers to a goal and, with that many in all, least moves, as an engineer would write it in C++: layers of
// attractors for the jokers, then for each number of jokers a bucket queue over the moves, with the strategy.
//
// joker FILE [ROUNDS]. The file is that of win_tuned.cpp with moves (0 or 1) in the place of costs. Prints one JSON
// object; times are the best of ROUNDS.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
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
    std::vector<uint8_t> moves, owner, goal;
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

struct Change {
    uint32_t vertex;
    int32_t left, moves, edge;
};

struct Solution {
    const Game& game;
    const Incoming& incoming;
    std::vector<int32_t> jokers, moves, nearest;
    std::vector<std::vector<uint32_t>> layers;
    std::vector<Change> changes;

    Solution(const Game& game, const Incoming& incoming)
        : game(game), incoming(incoming), jokers(game.n, -1), moves(game.n, -1), nearest(game.n, -1) {
        find_layers();
        find_nearest();
        find_moves();
    }

    void find_layers() {
        std::vector<uint32_t> left(game.n), asked, stack;
        std::vector<uint8_t> was_asked(game.n, 0);
        for (uint32_t v = 0; v < game.n; ++v) {
            left[v] = game.first[v + 1] - game.first[v];
            if (game.goal[v]) jokers[v] = 0, stack.push_back(v);
        }
        for (int32_t layer = 0; !stack.empty(); ++layer) {
            layers.emplace_back();
            while (!stack.empty()) {
                const uint32_t v = stack.back();
                stack.pop_back();
                layers.back().push_back(v);
                for (uint32_t place = incoming.first[v]; place < incoming.first[v + 1]; ++place) {
                    const uint32_t u = incoming.source[place];
                    if (jokers[u] >= 0) continue;
                    if (game.owner[u] && --left[u] > 0) {
                        if (!was_asked[u]) was_asked[u] = 1, asked.push_back(u);
                        continue;
                    }
                    jokers[u] = layer;
                    stack.push_back(u);
                }
            }
            for (uint32_t u : asked)
                if (jokers[u] < 0) jokers[u] = layer + 1, stack.push_back(u);
            asked.clear();
        }
    }

    void find_nearest() {
        std::vector<uint32_t> here, ahead;
        for (uint32_t v = 0; v < game.n; ++v)
            if (game.goal[v]) nearest[v] = 0, here.push_back(v);
        for (int32_t near = 0; !here.empty(); ++near) {
            while (!here.empty()) {
                const uint32_t v = here.back();
                here.pop_back();
                if (nearest[v] < near) continue;
                for (uint32_t place = incoming.first[v]; place < incoming.first[v + 1]; ++place) {
                    const uint32_t u = incoming.source[place];
                    const int32_t offer = near + game.moves[incoming.edge[place]];
                    if (nearest[u] >= 0 && nearest[u] <= offer) continue;
                    nearest[u] = offer;
                    (offer == near ? here : ahead).push_back(u);
                }
            }
            here.swap(ahead);
        }
    }

    void find_moves() {
        std::vector<int32_t> worth(game.n, -1), offer(game.n), most(game.n), choice(game.n);
        std::vector<uint32_t> left(game.n), active;
        std::vector<uint8_t> pending(game.n, 0);
        std::vector<std::vector<uint32_t>> buckets;
        const auto push = [&](uint32_t v, int32_t value) {
            if (buckets.size() <= static_cast<size_t>(value)) buckets.resize(value + 1);
            buckets[value].push_back(v);
        };
        for (uint32_t v = 0; v < game.n; ++v)
            if (game.goal[v]) moves[v] = worth[v] = 0, changes.push_back({v, 0, 0, -1});
        for (int32_t level = 0; level < static_cast<int32_t>(layers.size()); ++level) {
            for (uint32_t v : layers[level])
                if (worth[v] < 0) active.push_back(v);
            for (uint32_t v : active) pending[v] = 1;
            for (uint32_t v : active) {
                const bool mine = !game.owner[v];
                int32_t best = -1, largest = 0, edge = -1;
                uint32_t unknown = 0;
                for (uint32_t e = game.first[v]; e < game.first[v + 1]; ++e) {
                    const uint32_t u = game.target[e];
                    const int32_t beyond = worth[u] + game.moves[e];
                    const bool known = !pending[u] && worth[u] >= 0;
                    if ((mine ? known : level > 0 && worth[u] >= 0) && (best < 0 || beyond < best))
                        best = beyond, edge = e;
                    if (known)
                        largest = std::max(largest, beyond);
                    else
                        ++unknown;
                }
                if (!mine && unknown == 0 && (best < 0 || largest <= best)) best = largest, edge = -1;
                offer[v] = best, choice[v] = edge, most[v] = largest, left[v] = unknown;
                if (best >= 0) push(v, best);
            }
            for (int32_t value = 0; value < static_cast<int32_t>(buckets.size()); ++value) {
                while (!buckets[value].empty()) {
                    const uint32_t v = buckets[value].back();
                    buckets[value].pop_back();
                    if (!pending[v]) continue;
                    pending[v] = 0;
                    if (worth[v] != value) {
                        if (worth[v] < 0) moves[v] = value;
                        worth[v] = value;
                        changes.push_back({v, level, value, choice[v]});
                    }
                    for (uint32_t place = incoming.first[v]; place < incoming.first[v + 1]; ++place) {
                        const uint32_t u = incoming.source[place];
                        if (!pending[u]) continue;
                        int32_t edge = incoming.edge[place], beyond = value + game.moves[edge];
                        if (game.owner[u]) {
                            most[u] = std::max(most[u], beyond);
                            if (--left[u] > 0) continue;
                            beyond = most[u], edge = -1;
                        }
                        if (offer[u] >= 0 && offer[u] <= beyond) continue;
                        offer[u] = beyond, choice[u] = edge;
                        push(u, beyond);
                    }
                }
            }
            std::erase_if(active, [&](uint32_t v) { return worth[v] <= nearest[v]; });
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
    const auto moves = read<int64_t>(file, game.m);
    game.moves.assign(moves.begin(), moves.end());
    game.owner = read<uint8_t>(file, game.n);
    game.goal = read<uint8_t>(file, game.n);
    const int rounds = count > 2 ? std::max(1, std::atoi(arguments[2])) : 3;
    double best = 1e300;
    uint64_t jokers = 0, moves_in_all = 0, changes = 0;
    uint32_t reached = 0;
    for (int round = 0; round < rounds; ++round) {
        const double begin = seconds();
        const Incoming incoming(game);
        const Solution solution(game, incoming);
        best = std::min(best, seconds() - begin);
        jokers = moves_in_all = reached = 0;
        changes = solution.changes.size();
        for (uint32_t v = 0; v < game.n; ++v)
            if (solution.jokers[v] >= 0) jokers += solution.jokers[v], moves_in_all += solution.moves[v], ++reached;
    }
    std::printf("{\"seconds\": %.9f, \"jokers\": %llu, \"moves\": %llu, \"reached\": %u, \"changes\": %llu}\n", best,
                static_cast<unsigned long long>(jokers), static_cast<unsigned long long>(moves_in_all), reached,
                static_cast<unsigned long long>(changes));
}
