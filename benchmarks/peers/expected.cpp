// Least expected cost in C++: the same steps as outplay's, written straightforwardly with std::vector.
//   expected GAME ROUNDS EPSILON
// Reads a game graph (sizes, first, target, cost, probability, owner, goal), assumes that the goal is reached with
// probability 1 from everywhere, and prints as JSON the seconds of the fastest round, the sum of all values and whether
// the bounds are as narrow as asked.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <vector>

using Index = std::uint32_t;
constexpr Index none = 0xFFFFFFFFu;

struct Game {
    Index vertices = 0, edges = 0;
    std::vector<Index> first, target;
    std::vector<double> cost, probability;
    std::vector<std::uint8_t> owner, goal;
};

template <class T> void read(std::FILE* file, std::vector<T>& into, std::size_t count) {
    into.resize(count);
    if (std::fread(into.data(), sizeof(T), count, file) != count) std::exit(2);
}

Game load(const char* path) {
    Game game;
    std::FILE* file = std::fopen(path, "rb");
    if (!file || std::fread(&game.vertices, 4, 1, file) != 1 || std::fread(&game.edges, 4, 1, file) != 1) std::exit(2);
    read(file, game.first, game.vertices + 1);
    read(file, game.target, game.edges);
    read(file, game.cost, game.edges);
    read(file, game.probability, game.edges);
    read(file, game.owner, game.vertices);
    read(file, game.goal, game.vertices);
    std::fclose(file);
    return game;
}

struct Incoming {
    std::vector<Index> first, edge, source;
};

Incoming by_target(const Game& game) {
    Incoming in{std::vector<Index>(game.vertices + 2), std::vector<Index>(game.edges), std::vector<Index>(game.edges)};
    for (Index t : game.target) in.first[t + 2]++;
    for (Index v = 2; v < game.vertices + 2; v++) in.first[v] += in.first[v - 1];
    for (Index v = 0; v < game.vertices; v++)
        for (Index e = game.first[v]; e < game.first[v + 1]; e++) {
            Index place = in.first[game.target[e] + 1]++;
            in.edge[place] = e;
            in.source[place] = v;
        }
    return in;
}

std::vector<Index> distances(const Game& game, const Incoming& in) {
    std::vector<Index> queue, distance(game.vertices);
    std::vector<std::uint8_t> seen(game.goal);
    queue.reserve(game.vertices);
    for (Index v = 0; v < game.vertices; v++)
        if (game.goal[v]) queue.push_back(v);
    for (std::size_t at = 0; at < queue.size(); at++)
        for (Index p = in.first[queue[at]]; p < in.first[queue[at] + 1]; p++) {
            Index before = in.source[p];
            if (seen[before]) continue;
            seen[before] = 1;
            distance[before] = distance[queue[at]] + 1;
            queue.push_back(before);
        }
    return distance;
}

struct Found {
    Index number = 0, lowest = 0, edge = 0, component = 0;
};

Index components(const Game& game, std::vector<Found>& about, std::vector<Index>& finished) {
    std::vector<Index> stack, path;
    Index found = 0, count = 0;
    auto open = [&](Index v) {
        about[v].number = about[v].lowest = ++found;
        about[v].edge = game.first[v];
        stack.push_back(v);
        path.push_back(v);
    };
    for (Index root = 0; root < game.vertices; root++) {
        if (about[root].number || game.goal[root]) continue;
        open(root);
        while (!path.empty()) {
            Index v = path.back();
            Found& own = about[v];
            bool deeper = false;
            while (own.edge < game.first[v + 1]) {
                Index t = game.target[own.edge++];
                if (game.goal[t] || about[t].component) continue;
                if (!about[t].number) {
                    open(t);
                    deeper = true;
                    break;
                }
                if (about[t].number < own.lowest) own.lowest = about[t].number;
            }
            if (deeper) continue;
            path.pop_back();
            finished.push_back(v);
            if (!path.empty() && own.lowest < about[path.back()].lowest) about[path.back()].lowest = own.lowest;
            if (own.lowest == own.number) {
                count++;
                for (Index member = none; member != v;) {
                    member = stack.back();
                    stack.pop_back();
                    about[member].component = count;
                }
            }
        }
    }
    return count;
}

template <class Key> std::vector<Index> sorted_by(Key key, const std::vector<Index>& order, Index most) {
    std::vector<Index> start(most + 2), listed(order.size());
    for (Index v : order) start[key(v) + 1]++;
    for (Index k = 1; k < most + 2; k++) start[k] += start[k - 1];
    for (Index v : order) listed[start[key(v)]++] = v;
    return listed;
}

struct Decisions {
    std::vector<Index> vertex, row, action, edge, outcome, state;
    std::vector<double> cost, leave, chance;
    std::vector<std::uint8_t> folded;
};

Decisions fold(const Game& game, const Incoming& in, const std::vector<Index>& distance) {
    std::vector<Found> about(game.vertices);
    std::vector<Index> finished, state_of(game.vertices, none);
    finished.reserve(game.vertices);
    Index count = components(game, about, finished), farthest = 0;
    for (Index steps : distance) farthest = std::max(farthest, steps);
    std::vector<Index> near = sorted_by([&](Index v) { return distance[v]; }, finished, farthest);
    std::vector<Index> listed = sorted_by([&](Index v) { return about[v].component; }, near, count);
    Decisions d;
    d.folded.assign(game.vertices, 0);
    for (Index v : listed)
        if (game.owner[v] && in.first[v + 1] - in.first[v] == 1) {
            Index before = in.source[in.first[v]];
            d.folded[v] = !game.owner[before] && !game.goal[before];
        }
    Index last = 0;
    for (Index v : listed) {
        if (d.folded[v]) continue;
        if (about[v].component != last) {
            last = about[v].component;
            d.row.push_back(d.vertex.size());
        }
        state_of[v] = d.vertex.size();
        d.vertex.push_back(v);
    }
    d.row.push_back(d.vertex.size());
    for (Index v = 0; v < game.vertices; v++)
        if (game.goal[v]) state_of[v] = d.vertex.size();
    d.outcome.reserve(game.edges + 1);
    d.state.reserve(game.edges);
    d.chance.reserve(game.edges);
    for (Index v : d.vertex) {
        d.action.push_back(d.cost.size());
        Index end = game.owner[v] ? game.first[v] + 1 : game.first[v + 1];
        for (Index e = game.first[v]; e < end; e++) {
            Index through = game.owner[v] ? v : game.target[e];
            double paid = game.owner[v] ? 0.0 : game.cost[e], away = 1.0;
            std::size_t begin = d.state.size();
            if (!game.owner[v] && !d.folded[through]) {
                if (through == v) continue;
                d.state.push_back(state_of[through]);
                d.chance.push_back(1.0);
            } else {
                double sum = 0.0, going = 0.0;
                for (Index a = game.first[through]; a < game.first[through + 1]; a++) sum += game.probability[a];
                for (Index a = game.first[through]; a < game.first[through + 1]; a++) {
                    double p = game.probability[a] / sum;
                    paid += p * game.cost[a];
                    if (game.target[a] == v) {
                        away = 0.0;
                        continue;
                    }
                    going += p;
                    d.state.push_back(state_of[game.target[a]]);
                    d.chance.push_back(p);
                }
                if (begin == d.state.size()) continue;
                if (away < 1.0) away = std::fmin(going, 1.0);
            }
            d.outcome.push_back(begin);
            d.edge.push_back(e);
            d.cost.push_back(paid);
            d.leave.push_back(away);
        }
    }
    d.action.push_back(d.cost.size());
    d.outcome.push_back(d.state.size());
    return d;
}

// Solve a small component for the chosen actions, without a subtraction.
void eliminate(const Decisions& d, Index low, Index high, const std::vector<Index>& choice, std::vector<double>& value,
               std::vector<double>& room) {
    Index size = high - low, width = size + 2;
    room.assign(size * width, 0.0);
    for (Index s = low; s < high; s++) {
        double* row = &room[(s - low) * width];
        row[size + 1] = d.cost[choice[s]];
        for (Index o = d.outcome[choice[s]]; o < d.outcome[choice[s] + 1]; o++) {
            Index t = d.state[o];
            if (low <= t && t < high) {
                row[t - low] += d.chance[o];
            } else {
                row[size] += d.chance[o];
                row[size + 1] += d.chance[o] * value[t];
            }
        }
    }
    for (Index gone = size; gone-- > 0;) {
        double* row = &room[gone * width];
        double away = row[size];
        for (Index j = 0; j < gone; j++) away += row[j];
        if (away <= 0.0) return;
        for (Index j = 0; j < gone; j++) row[j] /= away;
        row[size] /= away;
        row[size + 1] /= away;
        for (Index i = 0; i < gone; i++) {
            double* other = &room[i * width];
            double share = other[gone];
            if (share > 0.0) {
                for (Index j = 0; j < gone; j++) other[j] += share * row[j];
                other[size] += share * row[size];
                other[size + 1] += share * row[size + 1];
            }
        }
    }
    for (Index s = 0; s < size; s++) {
        double worth = room[s * width + size + 1];
        for (Index j = 0; j < s; j++) worth += room[s * width + j] * value[low + j];
        value[low + s] = worth;
    }
}

struct Swept {
    std::vector<double> value;
    std::vector<Index> choice;
    double above = 0.0, below = 0.0;
};

Swept sweep(const Decisions& d, double tolerance, double margin) {
    constexpr Index small = 64;
    Swept result;
    std::vector<double>& v = result.value;
    v.assign(d.vertex.size() + 1, 0.0);
    result.choice.assign(d.vertex.size(), 0);
    std::vector<double> moved(d.vertex.size()), room;
    for (std::size_t r = 0; r + 1 < d.row.size(); r++) {
        Index low = d.row[r], high = d.row[r + 1], size = high - low;
        for (Index s = low; s < high; s++) v[s] = -1.0;
        for (Index s = low; s < high; s++) {
            double best = -1.0;
            for (Index a = d.action[s]; a < d.action[s + 1]; a++) {
                double offer = d.cost[a], known = 0.0;
                for (Index o = d.outcome[a]; o < d.outcome[a + 1]; o++)
                    if (v[d.state[o]] >= 0.0) {
                        known += d.chance[o];
                        offer += d.chance[o] * v[d.state[o]];
                    }
                if (known > 0.0 && (best < 0.0 || offer < best * known)) best = offer / known;
            }
            v[s] = std::fmax(best, 0.0);
        }
        double try_at = tolerance;
        bool due = false;
        for (int count = 1; count < 1000000; count++) {
            double change = 0.0, along = 0.0, apart = 0.0;
            bool steady = count % 3 != 1 && !due;
            due = false;
            if (size > 1)
                for (Index s = low; s < high; s++) {
                    double best = -1.0;
                    if (steady) {
                        Index a = result.choice[s];
                        best = d.cost[a];
                        for (Index o = d.outcome[a]; o < d.outcome[a + 1]; o++) best += d.chance[o] * v[d.state[o]];
                        if (d.leave[a] < 1.0) best /= d.leave[a];
                    } else {
                        for (Index a = d.action[s]; a < d.action[s + 1]; a++) {
                            double offer = d.cost[a];
                            for (Index o = d.outcome[a]; o < d.outcome[a + 1]; o++) offer += d.chance[o] * v[d.state[o]];
                            if (d.leave[a] < 1.0) offer /= d.leave[a];
                            if (best < 0.0 || offer < best) {
                                best = offer;
                                result.choice[s] = a;
                            }
                        }
                    }
                    double move = best - v[s], turn = move - moved[s];
                    change = std::fmax(change, std::fabs(move) / d.cost[result.choice[s]]);
                    v[s] = best;
                    along += move * turn;
                    apart += turn * turn;
                    moved[s] = move;
                }
            bool slow = size <= small && count % 24 == 0;
            if (change > try_at && !slow) {
                if (count % 6 == 0 && apart > 0.0) {
                    double further = -along / apart;
                    if (0.0 < further && further < 1000.0)
                        for (Index s = low; s < high; s++) v[s] = std::fmax(0.0, v[s] + further * moved[s]);
                }
                continue;
            }
            if (steady && !slow) {
                due = true;
                continue;
            }
            try_at = change * 0.25;
            double over = 0.0, worst = 0.0;
            for (Index s = low; s < high; s++) {
                double now = v[s], best = -1.0;
                for (Index a = d.action[s]; a < d.action[s + 1]; a++) {
                    double ahead = (1.0 - d.leave[a]) * now, paid = d.cost[a];
                    for (Index o = d.outcome[a]; o < d.outcome[a + 1]; o++) ahead += d.chance[o] * v[d.state[o]];
                    over = std::fmax(over, (now + margin * now - ahead) / paid - 1.0);
                    if (best < 0.0 || paid + ahead < best) {
                        best = paid + ahead;
                        result.choice[s] = a;
                    }
                }
                double paid = d.cost[result.choice[s]];
                worst = std::fmax(worst, 1.0 - (now - margin * now - (best - paid)) / paid);
            }
            if ((over <= tolerance && worst <= tolerance) || change == 0.0) {
                result.above = std::fmax(result.above, over);
                result.below = std::fmax(result.below, worst);
                break;
            }
            if (slow) eliminate(d, low, high, result.choice, v, room);
        }
    }
    return result;
}

struct Answer {
    std::vector<double> low, high;
    std::vector<std::int64_t> choice, rank;
};

Answer carry_back(const Game& game, const Incoming& in, const Decisions& d, const Swept& swept, double rounding) {
    double infinity = std::numeric_limits<double>::infinity();
    Answer answer{std::vector<double>(game.vertices, infinity), std::vector<double>(game.vertices, infinity),
                  std::vector<std::int64_t>(game.vertices, -1), std::vector<std::int64_t>(game.vertices, -1)};
    for (Index v = 0; v < game.vertices; v++)
        if (game.goal[v]) answer.low[v] = answer.high[v] = 0.0;
    for (std::size_t s = 0; s < d.vertex.size(); s++) {
        answer.low[d.vertex[s]] = swept.value[s] / (1.0 + swept.above);
        answer.high[d.vertex[s]] = swept.value[s] / (1.0 - swept.below);
        if (!game.owner[d.vertex[s]]) answer.choice[d.vertex[s]] = d.edge[swept.choice[s]];
    }
    for (Index v = 0; v < game.vertices; v++) {
        if (!d.folded[v]) continue;
        double total = 0.0, least = 0.0, most = 0.0;
        for (Index e = game.first[v]; e < game.first[v + 1]; e++) {
            total += game.probability[e];
            least += game.probability[e] * (game.cost[e] + answer.low[game.target[e]]);
            most += game.probability[e] * (game.cost[e] + answer.high[game.target[e]]);
        }
        answer.low[v] = least / total * (1.0 - rounding);
        answer.high[v] = most / total * (1.0 + rounding);
    }
    std::vector<Index> queue;
    queue.reserve(game.vertices);
    for (Index v = 0; v < game.vertices; v++)
        if (game.goal[v]) {
            answer.rank[v] = 0;
            queue.push_back(v);
        }
    for (std::size_t at = 0; at < queue.size(); at++)
        for (Index p = in.first[queue[at]]; p < in.first[queue[at] + 1]; p++) {
            Index before = in.source[p];
            if (answer.rank[before] >= 0 || (!game.owner[before] && answer.choice[before] != in.edge[p])) continue;
            answer.rank[before] = answer.rank[queue[at]] + 1;
            queue.push_back(before);
        }
    return answer;
}

int main(int, char** words) {
    Game game = load(words[1]);
    int rounds = std::atoi(words[2]);
    double epsilon = std::atof(words[3]), fastest = 1e300, sum = 0.0;
    bool kept = true;
    Index most = 0;
    for (Index v = 0; v < game.vertices; v++) most = std::max(most, game.first[v + 1] - game.first[v]);
    double unit = std::ldexp(1.0, -53), rounding = (2 * most + 8) * unit;
    for (int round = 0; round < rounds; round++) {
        auto begin = std::chrono::steady_clock::now();
        Incoming in = by_target(game);
        Decisions d = fold(game, in, distances(game, in));
        Swept swept = sweep(d, 0.49 * epsilon, 3 * rounding + 16 * unit);
        Answer answer = carry_back(game, in, d, swept, rounding);
        std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
        fastest = std::fmin(fastest, taken.count());
        sum = 0.0;
        kept = true;
        for (Index v = 0; v < game.vertices; v++) {
            sum += answer.low[v];
            kept = kept && answer.high[v] - answer.low[v] <= epsilon * answer.high[v];
        }
    }
    std::printf("{\"seconds\": %.9g, \"sum\": %.17g, \"kept\": %s}\n", fastest, sum, kept ? "true" : "false");
}
