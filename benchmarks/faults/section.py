"""What was measured, as a section of the results page."""

from __future__ import annotations

import re
import statistics
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction

from benchmarks.faults.measuring import Results
from benchmarks.faults.playing import LIMIT, Found
from benchmarks.faults.systems import System
from benchmarks.faults.testers import TESTERS
from benchmarks.page import table

TITLE = "Labels until a tester finds a fault"
SAID = """\
Each input, each output, each silence and each reset counts 1; what is not found within {limit:,} counts as that. A
mutant is wrong in one place: an output or a target changed, a transition missing or added, an output doubled, the order
of two swapped, and in programs and register automata also a guard, a number, an assignment or a part of an expression;
it is proven not to conform (those that do are left out). Each tester plays each mutant with several seeds; systems
answer by chance, each answer as likely as another. *uniform* draws among inputs and waiting and begins again with a
chance; *greedy* goes the shortest way to what was not taken yet, and *greedy waiting* waits for the answer to what it
asked before it begins again (of either the best for each system is shown); *hypothesis* is its stateful testing, a rule
for each input and one for waiting; *random Wp* is AALpy's; *walk* is `run --tester walk`. *outplay run* is a run with
default options, of which a run that ends early counts as not found; *suspicion* is the game alone, without a run.
Systems without a row for *outplay run* were played with mutants of an earlier drawing; the car alarm, the chat with
races and the TCP server with those of `--drawing 'drawn after shares were set'`. *possible* is what the best tester
needs on average who knows the mutant: the least expected number of labels, by a search of all pairs of states. *any
tester* is proven to be needed on average by whoever knows the list of these mutants, but not which of them it is, and
on a machine by whoever knows how its mutants are drawn; it is looked for where half of the best peer is not reached.
The ratio is that of the means, to the best of the peers. *chat, one state* is the chat with faults of one of its states
alone, which no change of the program makes. *lock* is a lock server whose leases run out by themselves: an output that
may come comes before an input half of the time there, as in the chat with races. The 200 mutants of the car alarm have
its 30 among them. TCP, SSH, MQTT and m76 are learned machines of 57, 31, 18 and 210 states; here answers have states of
their own. Their mutants are followed beside one play of each seed, which is the same as playing each. On m76 a run is
too short for all faults, so that no tester can be the best at each of them: see *As good as every peer at every fault*.
*ms a move* is time of the processor, on the right system.
"""
OURS = "outplay run"
SETTINGS = ("uniform", "greedy")
"""Testers with a setting, of which the best for each system is shown."""
PROMISE = """\
Is the mean of *outplay run* at most half of that of the best peer or, where the best possible play is more than that,
at most 1.5 times the best possible? And is a mutant missed that a peer finds?"""
HEAD = (
    "system",
    "states",
    "mutants (left out)",
    "tester",
    "plays",
    "median",
    "mean",
    "undetected",
    "ratio",
    "ms a move",
)
_TESTER, _MEAN, _RATIO = (HEAD.index(name) for name in ("tester", "mean", "ratio"))


def section(systems: Sequence[System], testers: Sequence[str], results: Results, left_out: dict[str, int]) -> str:
    """The whole text."""
    played = [system for system in systems if system.name in results.possible]
    rows = [row for system in played for row in _rows(system, testers, results, left_out[system.name])]
    ours = [system for system in played if (system.name, OURS) in results.found]
    return _text(rows, [_held(system, testers, results) for system in ours])


def _text(rows: Sequence[Sequence[object]], said: Sequence[str]) -> str:
    summary = f"\n\n{PROMISE} {'; '.join(said)}.\n" if said else ""
    return SAID.format(limit=LIMIT) + "\n" + table(HEAD, rows) + summary


def beside(before: str, now: str) -> str:
    """The section as it was, with what was played now in place of what was said of it before.

    A play is the same with the same seed, so a tester that did not change need not play again; its ratio may be another
    where the best of the peers is.
    """
    rows, said = _by_system(before)
    rows_now, said_now = _by_system(now)
    for system, testers in rows_now.items():
        rows[system] = _with_ratios(rows.get(system, {}) | testers)
    return _text([row for testers in rows.values() for row in testers.values()], list((said | said_now).values()))


def _with_ratios(rows: dict[str, list[str]]) -> dict[str, list[str]]:
    """The rows of a system, each with the ratio of its mean to that of the best peer."""
    means = {tester: float(row[_MEAN].strip("≥ ").replace(",", "")) for tester, row in rows.items()}
    peers = [means[one] for one, row in rows.items() if row[_TESTER] in TESTERS and TESTERS[row[_TESTER]].peer]
    if not peers:
        return rows
    found = {}
    for tester, row in rows.items():
        least = "≥ " if row[_MEAN].startswith("≥") else ""
        found[tester] = [*row[:_RATIO], f"{least}{means[tester] / min(peers):.2f}", *row[_RATIO + 1 :]]
    return found


def _by_system(text: str) -> tuple[dict[str, dict[str, list[str]]], dict[str, str]]:
    """The rows of each system in a section by tester, and whether its mean is as low as it should be."""
    rows: dict[str, dict[str, list[str]]] = {}
    for line in re.findall(r"^\| (.*) \|$", text, re.MULTILINE)[2:]:
        cells = [cell.strip() for cell in line.split(" | ")]
        if cells[0]:
            testers = rows[cells[0]] = {}
        tester = _family(cells[3])
        testers[tester] = cells
    found = re.findall(r"(?:\? |; )([^;?]+?) (yes|no) (\([^)]*\))", text)
    return rows, {name: f"{name} {held} {why}" for name, held, why in found}


def needs_room(system: System, testers: Sequence[str], results: Results) -> bool:
    """Whether half of the best peer is not reached, so that it matters whether that can be done at all."""
    found = _by_tester(system, testers, results)
    return OURS in found and _mean(found[OURS]) > _best_peer(found) / 2


def _held(system: System, testers: Sequence[str], results: Results) -> str:
    """Whether a system's mean is as low as it should be, in words."""
    found = _by_tester(system, testers, results)
    mean, possible = _mean(found[OURS]), statistics.mean(results.possible[system.name])
    possible = max(possible, results.at_least.get(system.name, 0.0))
    best = _best_peer(found)
    room = possible <= best / 2
    held = mean <= best / 2 if room else mean <= 1.5 * possible
    bound = (
        f"half of the best peer is {_number(best / 2)}" if room else f"1.5 times the best is {_number(1.5 * possible)}"
    )
    missed = len(_missed(system, found, results))
    words = f", {missed} mutants missed in more plays than by a peer" if missed else ""
    return f"{system.name} {'yes' if held else 'no'} ({_number(mean)}, {bound}{words})"


def _missed(system: System, testers: Iterable[str], results: Results) -> list[int]:
    """The mutants that some peer finds in more of its plays."""

    def share(tester: str, number: int) -> Fraction:
        plays = results.found[system.name, tester].get(number, ())
        return Fraction(sum(one.labels is not None for one in plays), max(1, len(plays)))

    peers = [tester for tester in testers if TESTERS[tester].peer]
    numbers = results.found[system.name, OURS]
    return [number for number in numbers if any(share(peer, number) > share(OURS, number) for peer in peers)]


def _best_peer(found: dict[str, list[Found]]) -> float:
    return min((_mean(plays) for tester, plays in found.items() if TESTERS[tester].peer), default=float("nan"))


def _rows(system: System, testers: Sequence[str], results: Results, left_out: int) -> Iterator[tuple[object, ...]]:
    found = _by_tester(system, testers, results)
    possible = results.possible[system.name]
    best = _best_peer(found)
    head = (system.name, system.table.state_count, f"{len(possible)} ({left_out})")
    for tester, plays in found.items():
        labels = [_labels(one) for one in plays]
        lost = sum(one.labels is None for one in plays)
        pace = results.pace.get((system.name, tester), float("nan"))
        counts = len(plays), f"{statistics.median(labels):,.0f}", _number(_mean(plays)), f"{lost / len(plays):.1%}"
        yield *head, tester, *counts, f"{_mean(plays) / best:.2f}", f"{pace:.3f}"
        head = ("", "", "")
    middle, mean = statistics.median(possible), statistics.mean(possible)
    yield *head, "possible", "", f"{middle:,.0f}", _number(mean), "", f"{mean / best:.2f}", ""
    if system.name in results.at_least:
        least = results.at_least[system.name]
        yield *head, "any tester", "", "", f"≥ {_number(least)}", "", f"≥ {least / best:.2f}", ""


def _by_tester(system: System, testers: Sequence[str], results: Results) -> dict[str, list[Found]]:
    """What each tester found; of those that differ in one setting only the best one."""
    found = {
        one: [play for plays in results.found[system.name, one].values() for play in plays]
        for one in testers
        if (system.name, one) in results.found
    }
    best: dict[str, str] = {}
    for tester in sorted(found, key=lambda one: _mean(found[one])):
        best.setdefault(_family(tester), tester)
    return {tester: plays for tester, plays in found.items() if best[_family(tester)] == tester}


def _family(tester: str) -> str:
    """The name that testers share which differ in one setting."""
    first = tester.partition(" ")[0]
    return first if first in SETTINGS else tester


def _labels(found: Found) -> int:
    return LIMIT if found.labels is None else found.labels


def _mean(plays: Sequence[Found]) -> float:
    return statistics.mean(map(_labels, plays))


def _number(value: float) -> str:
    return f"{value:,.1f}" if value < 100 else f"{value:,.0f}"
