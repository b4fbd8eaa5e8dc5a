"""Paper 004, chapter 5: arenas and test assumptions, test cases and strategies, conformance as a game."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from helpers.automata import random_automaton
from helpers.places import EXAMPLES
from helpers.seeds import seeds
from helpers.soundness import unsound
from outplay import Automaton, automaton, explore, read_model, win
from outplay.conformance import check
from outplay.model.label import SILENCE, Label
from outplay.model.suspension import SuspensionAutomaton
from outplay.strategy.win import NoSureWin, SureWin
from outplay.suite.from_tester import case_from_answer, case_from_tester
from outplay.suite.suite import case_of
from outplay.tester.tester import ByTrace, End, Give, Stop, Wait

PRINTER = read_model(EXAMPLES / "printer" / "printer.aut")
MP3 = read_model(EXAMPLES / "mp3" / "mp3.aut")
PRINT, SCAN, PRINTED, SCANNED = (Label.parse(text) for text in ("?print", "?scan", "!printed", "!scanned"))


# Theorem 5.16: input-fair as input-eager, output-eager as nondeterministic.

Place = tuple[int, int]  # a state of the automaton, and who moved last


def arena_moves(spec: SuspensionAutomaton, place: Place, given: Label | None) -> list[tuple[Place, bool]]:
    """Definition 5.12 for the nondeterministic assumption: where it may lead, and whether the input was carried out."""
    moves, found = spec.moves(place[0]), set()
    for shown in (label for label in moves if not label.is_input):
        if given is None or shown != SILENCE:
            found.add(((moves[shown], 2), False))
        if given is not None:
            found.add(((moves[given], 1), True))
    return sorted(found)


def avoids_fairly(spec: SuspensionAutomaton, strategy: dict[Place, Label | None], goal: int) -> bool:
    """Definitions 5.14 and 5.15: is there an input-fair play of the strategy that never reaches the goal?

    A play is followed with the proposals made and those carried out so far; both only grow. It is fair when it comes
    round with nothing proposed that was not carried out in that state some time.
    """
    start = ((spec.initial[0], 1), frozenset(), frozenset())
    after, stack = {}, [start]
    while stack:
        node = stack.pop()
        place, proposed, done = node
        if node in after or place[0] == goal:
            continue
        given = strategy[place]
        now = proposed | {(place[0], given)} if given is not None else proposed
        after[node] = [
            (to, now, done | {(place[0], given)} if taken else done) for to, taken in arena_moves(spec, place, given)
        ]
        stack += after[node]
    # Strike out what cannot go on for ever without the goal and without proposing or carrying out anything new.
    lasting = {node for node in after if node[1] <= node[2]}
    while True:
        kept = {node for node in lasting if any(to in lasting and to[1:] == node[1:] for to in after[node])}
        if kept == lasting:
            return bool(lasting)
        lasting = kept


def tiny(seed: int) -> Automaton:
    """So small that all strategies can be tried: two states with two inputs, or three with one."""
    labels, states = (("?a", "!x", "!y", "?b"), 2) if seed % 2 else (("?a", "!x", "!y"), 3)
    return random_automaton(seed, least=states, most=states, labels=labels, share=0.6)


def strategies(spec: SuspensionAutomaton, places: list[Place]) -> Iterator[dict[Place, Label | None]]:
    options = [[(place, given) for given in (None, *spec.inputs(place[0]))] for place in places]
    return map(dict, itertools.product(*options))


@seeds(range(120))
def test_theorem_5_16_a_fair_system_is_beaten_exactly_when_an_eager_tester_wins(seed):
    game = explore(tiny(seed), assumption="input-fair")
    eager = explore(tiny(seed), assumption="input-eager")
    spec = game.origin.specification
    places = [(state, by) for state in range(game.origin.states) for by in (1, 2)]
    for goal in range(game.origin.states):
        beaten = any(not avoids_fairly(spec, strategy, goal) for strategy in strategies(spec, places))
        assert beaten == isinstance(win(game, game.names[goal]), SureWin)
        assert beaten == isinstance(win(eager, game.names[goal]), SureWin)


def test_fairness_makes_a_difference_often():
    gained = 0
    for seed in range(60):
        fair, free = (explore(tiny(seed), assumption=each) for each in ("input-fair", "nondeterministic"))
        for name in (fair.names[goal] for goal in range(fair.origin.states)):
            gained += isinstance(win(fair, name), SureWin) and isinstance(win(free, name), NoSureWin)
    assert gained >= 10


@seeds(range(200))
def test_theorem_5_16_output_eager_and_nondeterministic_are_won_together(seed):
    model = random_automaton(seed, least=2, most=6, share=(0.2, 0.4, 0.6), copies=2, silence=0.4)
    games = [explore(model, assumption=each) for each in ("output-eager", "nondeterministic")]
    for name in (games[0].names[goal] for goal in range(games[0].origin.states)):
        assert len({isinstance(win(game, name), SureWin) for game in games}) == 1


# Examples 5.6 to 5.24: the MP3 player and the printer.

ASSUMPTIONS = ("input-eager", "input-fair", "output-eager", "nondeterministic")


def test_example_5_7_all_inputs_before_any_output_is_up_to_the_assumption():
    assert {a: isinstance(win(explore(PRINTER, assumption=a), "both"), SureWin) for a in ASSUMPTIONS} == {
        "input-eager": True,
        "input-fair": True,
        "output-eager": False,
        "nondeterministic": False,
    }


def mixed(model: Automaton) -> set[str]:
    """The states that enable inputs and outputs."""
    kinds = {name: {label.kind for label, _ in model.moves(state)} for state, name in enumerate(model.names)}
    return {name for name, both in kinds.items() if {"?", "!"} <= both}


def test_the_mixed_states_are_those_of_the_figures():
    assert mixed(MP3) == {"playing", "playing_repeat"}
    assert mixed(PRINTER) == {"printing", "scanning"}


FIGURE_5_4 = case_of(
    [
        ("t0", "!printed", "fail"),
        ("t0", "!scanned", "fail"),
        ("t0", "?print", "t1"),
        ("t1", "!scanned", "fail"),
        ("t1", "?scan", "t2"),
        ("t1", "!printed", "t3"),
        ("t2", "!printed", "pass"),
        ("t2", "!scanned", "pass"),
        ("t2", "delta", "fail"),
        ("t3", "delta", "pass"),
        ("t3", "!printed", "fail"),
        ("t3", "!scanned", "fail"),
    ]
)
EXAMPLE_5_21 = {
    (),
    (PRINT,),
    (PRINT, PRINTED),
    (PRINT, PRINTED, SILENCE),
    (PRINT, SCAN),
    (PRINT, SCAN, PRINTED),
    (PRINT, SCAN, SCANNED),
}


def example_5_24(trace: tuple[Label, ...]) -> Give | Wait | Stop:
    if trace in ((PRINT, SCAN, PRINTED), (PRINT, SCAN, SCANNED), (PRINT, PRINTED, SILENCE)):
        return Stop()
    return {(): Give(PRINT), (PRINT,): Give(SCAN)}.get(trace, Wait())


def test_figure_5_4_is_the_test_case_of_example_5_24():
    case = case_from_tester(ByTrace(example_5_24), SuspensionAutomaton(PRINTER))
    for end in End:
        assert set(case.traces(end)) == set(FIGURE_5_4.traces(end))
    assert unsound(FIGURE_5_4, SuspensionAutomaton(PRINTER)) is None
    assert {trace[:length] for trace in case.traces(End.PASS) for length in range(len(trace) + 1)} == EXAMPLE_5_21


def test_example_5_21_gives_scan_where_its_trace_set_has_silence():
    # As the strategy is written, after printing it gives ?scan, which is enabled; the text's set waits there.
    spec = SuspensionAutomaton(PRINTER)

    def written(trace: tuple[Label, ...]) -> Give | Wait | Stop:
        state = spec.initial[0]
        for label in trace:
            state = spec.moves(state)[label]
        enabled = spec.inputs(state)
        if len(trace) >= 3:
            return Stop()
        return Give(PRINT) if PRINT in enabled else Give(SCAN) if SCAN in enabled else Wait()

    case = case_from_tester(ByTrace(written), spec)
    assert set(case.traces(End.PASS)) == {
        (PRINT, PRINTED, SCAN),
        (PRINT, SCAN, PRINTED),
        (PRINT, SCAN, SCANNED),
    }


def test_an_eager_tester_does_not_fail_a_printer_that_prints_first():
    # Rule 3 in the proof of Theorem 5.20 would: under input-eager no play shows !printed before ?scan.
    case = case_from_answer(win(explore(PRINTER, assumption="input-eager"), "both"))
    assert unsound(case, SuspensionAutomaton(PRINTER)) is None
    assert case.verdict([PRINT, PRINTED]) in (End.INCONCLUSIVE, None)
    assert case.verdict([SCAN, SCANNED]) in (End.INCONCLUSIVE, None)


# Conformance as a game: 2.4, 2.45 and 5.29.


def cycle(*steps: str) -> Automaton:
    """An automaton of lines such as `1 x y 2`: from 1 to 2 with !x and with !y."""
    rows = [line.split() for line in steps]
    return automaton([(row[0], f"!{label}", row[-1]) for row in rows for label in row[1:-1]])


def test_example_2_45_needs_twelve_labels():
    spec = cycle("1 x y 2", "2 x y 3", "3 x y 4", "4 y 1")
    impl = cycle("1 y 2", "2 y 3", "3 x 1")
    found = check(spec, impl)
    assert not found.conforms
    assert "".join(label.gate for label in found.counterexample) == "yyx" * 4


def test_an_automaton_conforms_to_itself_once_all_inputs_are_accepted():
    for model in (MP3, PRINTER):
        given = [label for label in model.used_labels if label.is_input]
        steps = [(model.names[s], label, model.names[t]) for s, label, t in model.transitions()]
        enabled = {(s, label) for s, label, _ in steps}
        steps += [(name, label, name) for name in model.names for label in given if (name, label) not in enabled]
        complete = automaton(steps, states=model.names)
        assert check(model, complete, "alternating").conforms
        assert not check(complete, model, "alternating").conforms  # inputs are missing
