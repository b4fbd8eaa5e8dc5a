"""Test suites as drawings, in Graphviz DOT or Mermaid; written only, their JSON is what is read.

Each test is a cluster of its own. States that give an input are boxes, those that wait are round; Pass, Fail and
Inconclusive are drawn once for each test, with green, red and yellow behind them. Labels that lead from one state to
the same one share an arrow, so the many outputs that fail stay readable.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from outplay.formats.diagrams.dot_parts import dot_node, dot_text
from outplay.formats.diagrams.mermaid import MOST_EDGES, mermaid_text, whole_flowchart
from outplay.grouping import grouped
from outplay.suite.suite import Suite, TestCase
from outplay.tester.tester import End

_COLOURS = {End.PASS: "#d5efd5", End.FAIL: "#f6d0d0", End.INCONCLUSIVE: "#f6ecc4"}


def dot(suite: Suite) -> Iterable[str]:
    """Draw a test suite in Graphviz DOT."""
    yield "digraph {\n"
    for place, test in enumerate(suite.tests):
        yield f"  subgraph cluster_{place} {{\n    label={dot_text(test.name)};\n"
        for state, name in enumerate(test.automaton.names):
            end = test.end(state)
            shape = "box" if test.given(state) else "ellipse"
            fill = None if end is None else dot_text(_COLOURS[end])
            style = None if end is None else "filled"
            yield "  " + dot_node(f"n{place}_{state}", label=dot_text(name), shape=shape, style=style, fillcolor=fill)
        for start, labels, end_state in _arrows(test):
            ends = f"n{place}_{start} -> n{place}_{end_state}"
            yield "  " + dot_node(ends, label=dot_text(", ".join(labels)))
        mark = f"__start{place}"
        yield "  " + dot_node(mark, label=dot_text(""), shape="none")
        yield f"    {mark} -> n{place}_{test.initial};\n  }}\n"
    yield "}\n"


def mermaid(suite: Suite) -> Iterable[str]:
    """Draw a test suite as a Mermaid flowchart; one that is larger than Mermaid draws is refused."""
    tests, edges = list[TestCase](), 0
    for test in suite.tests:
        edges += sum(1 for _ in _arrows(test))
        if edges > MOST_EDGES:  # there may be very many more
            break
        tests.append(test)
    return whole_flowchart(_flowchart(tests), edges, "write .dot, or fewer tests")


def _flowchart(tests: list[TestCase]) -> Iterator[str]:
    yield "flowchart TB\n"
    ends: dict[End, list[str]] = {}
    for place, test in enumerate(tests):
        yield f'  subgraph g{place}["{mermaid_text(test.name)}"]\n'
        for state, name in enumerate(test.automaton.names):
            text, end = mermaid_text(name), test.end(state)
            yield f'    n{place}_{state}["{text}"]\n' if test.given(state) else f'    n{place}_{state}("{text}")\n'
            if end is not None:
                ends.setdefault(end, []).append(f"n{place}_{state}")
        for start, labels, target in _arrows(test):
            yield f'    n{place}_{start} -->|"{mermaid_text(", ".join(labels))}"| n{place}_{target}\n'
        yield f"    start{place}(( )) --> n{place}_{test.initial}\n  end\n"
    for end, nodes in sorted(ends.items(), key=lambda each: each[0].value):
        yield f"  classDef {end.value} fill:{_COLOURS[end]}\n  class {','.join(nodes)} {end.value}\n"


def _arrows(test: TestCase) -> Iterator[tuple[int, list[str], int]]:
    """The transitions, those between the same two states as one."""
    for start in range(test.automaton.state_count):
        targets = grouped((target, label.text) for label, target in test.moves(start).items())
        yield from ((start, labels, target) for target, labels in targets.items())
