"""Test suites drawn."""

from __future__ import annotations

import pytest

from outplay.errors import FormatError
from outplay.formats.common.source import LIMITS, Source
from outplay.formats.diagrams.dot_syntax import parse_dot
from outplay.formats.suites.suite_drawing import dot, mermaid
from outplay.suite.suite import Suite, case_of

LAMP = case_of(
    [
        ("t0", "?press", "t1"),
        ("t0", "!hum", "fail"),
        ("t0", "!light", "fail"),
        ("t1", "!light", "pass"),
        ("t1", "delta", "inconclusive"),
    ],
    name='the "lamp"',
)


def test_mermaid_shows_each_test_with_its_ends():
    assert "".join(mermaid(Suite(tests=(LAMP,)))) == (
        "flowchart TB\n"
        '  subgraph g0["the #34;lamp#34;"]\n'
        '    n0_0["t0"]\n'
        '    n0_1("t1")\n'
        '    n0_2("fail")\n'
        '    n0_3("pass")\n'
        '    n0_4("inconclusive")\n'
        '    n0_0 -->|"?press"| n0_1\n'
        '    n0_0 -->|"!hum, !light"| n0_2\n'
        '    n0_1 -->|"!light"| n0_3\n'
        '    n0_1 -->|"delta"| n0_4\n'
        "    start0(( )) --> n0_0\n"
        "  end\n"
        "  classDef fail fill:#f6d0d0\n  class n0_2 fail\n"
        "  classDef inconclusive fill:#f6ecc4\n  class n0_4 inconclusive\n"
        "  classDef pass fill:#d5efd5\n  class n0_3 pass\n"
    )


def test_dot_shows_each_test_as_a_cluster():
    text = "".join(dot(Suite(tests=(LAMP, case_of([], initial="pass", name="empty")))))
    assert text.count("subgraph cluster_") == 2
    assert 'label="the \\"lamp\\"";' in text
    assert '  n0_0 [label="t0", shape=box];\n' in text
    assert '  n0_2 [label="fail", shape=ellipse, style=filled, fillcolor="#f6d0d0"];\n' in text
    assert '  n0_0 -> n0_2 [label="!hum, !light"];\n' in text
    assert "    __start1 -> n1_0;\n" in text


def test_the_dot_file_is_well_formed():
    text = "".join(dot(Suite(tests=(LAMP,))))
    drawing = parse_dot(Source("s.dot", text), keep={"label"}, limits=LIMITS)
    assert len(drawing.nodes) == 6
    assert len(drawing.edges) == 5


def test_more_than_mermaid_draws_is_refused():
    many = tuple(case_of([("t", "delta", "pass")], name=f"n{number}") for number in range(600))
    with pytest.raises(FormatError, match="more than the 500 edges"):
        mermaid(Suite(tests=many))
    with pytest.raises(FormatError, match="characters are more than"):
        mermaid(Suite(tests=(case_of([("t", "delta", "pass")], name="n" * 60_000),)))
