// Compatible states as an engineer would write it in C++: the game on all ordered pairs of states, Algorithm 2 of van den
// Bos 2020 with a queue; predecessors of a pair by walking the incoming transitions of both states label by label.
//
// Usage: pairs FILE ROUNDS. The file has states, transitions and inputs as 32-bit numbers, then first, label and target.
// Prints one JSON object; the time is the best of ROUNDS.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

using Row = std::vector<std::pair<uint32_t, uint32_t>>;  // label, state

struct Answer {
    uint64_t compatible = 0, ranks = 0;
};

Answer solve(uint32_t n, uint32_t inputs, const std::vector<Row>& rows) {
    std::vector<Row> back(n);
    for (uint32_t q = 0; q < n; q++)
        for (auto [label, target] : rows[q]) back[target].push_back({label, q});
    for (auto& row : back) std::sort(row.begin(), row.end());
    std::vector<int32_t> rank(uint64_t(n) * n, -1);
    std::vector<uint16_t> count(uint64_t(n) * n, 0);
    std::vector<uint64_t> queue;
    for (uint32_t p = 0; p < n; p++)
        for (uint32_t q = 0; q < n; q++) {
            uint16_t common = 0;
            for (size_t i = 0, j = 0; i < rows[p].size() && j < rows[q].size();) {
                if (rows[p][i].first < rows[q][j].first) i++;
                else if (rows[p][i].first > rows[q][j].first) j++;
                else { common += rows[p][i].first >= inputs; i++; j++; }
            }
            count[uint64_t(p) * n + q] = common;
            if (!common && p != q) { rank[uint64_t(p) * n + q] = 0; queue.push_back(uint64_t(p) * n + q); }
        }
    for (size_t head = 0; head < queue.size(); head++) {
        uint64_t pair = queue[head];
        auto &one = back[pair / n], &other = back[pair % n];
        for (size_t i = 0, j = 0; i < one.size() && j < other.size();) {
            if (one[i].first < other[j].first) { i++; continue; }
            if (one[i].first > other[j].first) { j++; continue; }
            uint32_t label = one[i].first;
            size_t start = j;
            for (; i < one.size() && one[i].first == label; i++)
                for (j = start; j < other.size() && other[j].first == label; j++) {
                    uint64_t before = uint64_t(one[i].second) * n + other[j].second;
                    if (rank[before] >= 0 || (label >= inputs && --count[before])) continue;
                    rank[before] = rank[pair] + 1;
                    queue.push_back(before);
                }
        }
    }
    Answer answer;
    for (uint32_t p = 0; p < n; p++)
        for (uint32_t q = 0; q < p; q++) {
            int32_t found = rank[uint64_t(p) * n + q];
            if (found < 0) answer.compatible++;
            else answer.ranks += found;
        }
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
    auto first = read<uint32_t>(file, sizes[0] + 1), label = read<uint32_t>(file, sizes[1]),
         target = read<uint32_t>(file, sizes[1]);
    std::vector<Row> rows(sizes[0]);
    for (uint32_t q = 0; q < sizes[0]; q++)
        for (uint32_t e = first[q]; e < first[q + 1]; e++) rows[q].push_back({label[e], target[e]});
    double best = 1e300;
    Answer answer;
    for (int round = 0; round < std::atoi(argv[2]); round++) {
        auto began = std::chrono::steady_clock::now();
        answer = solve(sizes[0], sizes[2], rows);
        best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count());
    }
    std::printf("{\"seconds\": %.9g, \"compatible\": %llu, \"ranks\": %llu}\n", best,
                (unsigned long long)answer.compatible, (unsigned long long)answer.ranks);
}
