// Compatible states in C++, tuned: each unordered pair once, outputs as bits, the pairs of rank 1 found by looking forward
// from those that share an output, the rest by a worklist from there (Algorithm 2 of van den Bos 2020).
//
// Usage: pairs FILE ROUNDS. The file has states, transitions and inputs as 32-bit numbers, then first, label and
// target. Prints one JSON object; the time is the best of ROUNDS.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

struct Rows {
    std::vector<uint32_t> first, label, other;
};

struct Answer {
    uint64_t compatible = 0, ranks = 0;
};

static inline uint64_t number(uint64_t p, uint64_t q) { return p > q ? p * (p - 1) / 2 + q : q * (q - 1) / 2 + p; }

Answer solve(uint32_t n, uint32_t inputs, const Rows& rows) {
    const uint32_t edges = rows.label.size();
    uint32_t labels = inputs;
    for (auto label : rows.label) labels = std::max(labels, label + 1);
    const uint32_t words = std::max(1u, (labels - inputs + 63) / 64);
    std::vector<uint64_t> mask(uint64_t(n) * words, 0);
    Rows back{std::vector<uint32_t>(n + 1, 0), std::vector<uint32_t>(edges), std::vector<uint32_t>(edges)};
    std::vector<std::pair<uint64_t, uint32_t>> order(edges);
    for (uint32_t q = 0; q < n; q++)
        for (uint32_t e = rows.first[q]; e < rows.first[q + 1]; e++) {
            order[e] = {(uint64_t(rows.other[e]) << 32) | rows.label[e], q};
            back.first[rows.other[e] + 1]++;
            if (rows.label[e] >= inputs)
                mask[uint64_t(q) * words + (rows.label[e] - inputs) / 64] |= 1ull << ((rows.label[e] - inputs) % 64);
        }
    std::sort(order.begin(), order.end());
    for (uint32_t q = 0; q < n; q++) back.first[q + 1] += back.first[q];
    for (uint32_t e = 0; e < edges; e++) back.label[e] = uint32_t(order[e].first), back.other[e] = order[e].second;
    const uint64_t pairs = uint64_t(n) * (n - 1) / 2;
    std::vector<int32_t> rank(pairs, -1);
    std::vector<uint16_t> common(pairs, 0);
    std::vector<std::pair<uint32_t, uint32_t>> queue;
    for (uint32_t p = 0; p < n; p++)
        for (uint32_t q = 0; q < p; q++) {
            uint64_t shared = 0;
            for (uint32_t w = 0; w < words; w++) shared |= mask[uint64_t(p) * words + w] & mask[uint64_t(q) * words + w];
            if (!shared) rank[number(p, q)] = 0;
        }
    for (uint32_t p = 0; p < n; p++)
        for (uint32_t q = 0; q < p; q++) {
            if (rank[number(p, q)] == 0) continue;
            uint16_t left = 0;
            bool given = false;
            for (uint32_t i = rows.first[p], j = rows.first[q]; i < rows.first[p + 1] && j < rows.first[q + 1];) {
                if (rows.label[i] < rows.label[j]) { i++; continue; }
                if (rows.label[i] > rows.label[j]) { j++; continue; }
                uint32_t s = rows.other[i], t = rows.other[j];
                bool apart = s != t && rank[number(s, t)] == 0;
                if (rows.label[i] >= inputs) left += !apart;
                else given |= apart;
                i++, j++;
            }
            common[number(p, q)] = left;
            if (!left || given) queue.push_back({p, q});
        }
    for (auto [p, q] : queue) rank[number(p, q)] = 1;
    for (size_t head = 0; head < queue.size(); head++) {
        auto [p, q] = queue[head];
        const int32_t next = rank[number(p, q)] + 1;
        for (uint32_t i = back.first[p], j = back.first[q]; i < back.first[p + 1] && j < back.first[q + 1];) {
            if (back.label[i] < back.label[j]) { i++; continue; }
            if (back.label[i] > back.label[j]) { j++; continue; }
            const uint32_t label = back.label[i], start = j;
            for (; i < back.first[p + 1] && back.label[i] == label; i++)
                for (j = start; j < back.first[q + 1] && back.label[j] == label; j++) {
                    const uint32_t s = back.other[i], t = back.other[j];
                    const uint64_t before = number(s, t);
                    if (rank[before] >= 0 || (label >= inputs && --common[before])) continue;
                    rank[before] = next;
                    queue.push_back({s, t});
                }
        }
    }
    Answer answer;
    for (auto found : rank) found < 0 ? answer.compatible++ : answer.ranks += found;
    return answer;
}

template <class T>
std::vector<T> read(std::FILE* file, size_t count) {
    std::vector<T> values(count);
    if (std::fread(values.data(), sizeof(T), count, file) != count) std::exit(2);
    return values;
}

int main(int, char** argv) {
    std::FILE* file = std::fopen(argv[1], "rb");
    if (!file) return 2;
    auto sizes = read<uint32_t>(file, 3);
    Rows rows{read<uint32_t>(file, sizes[0] + 1), read<uint32_t>(file, sizes[1]), read<uint32_t>(file, sizes[1])};
    double best = 1e9;
    Answer answer;
    for (int round = 0; round < std::atoi(argv[2]); round++) {
        auto began = std::chrono::steady_clock::now();
        answer = solve(sizes[0], sizes[2], rows);
        best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count());
    }
    std::printf("{\"seconds\": %.9g, \"compatible\": %llu, \"ranks\": %llu}\n", best,
                (unsigned long long)answer.compatible, (unsigned long long)answer.ranks);
}
