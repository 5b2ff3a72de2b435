"""Drawings of sequences: what is in them, and that no name gets out of its box."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from syrupy.assertion import SnapshotAssertion

from refract_asp import Catalog, Sequence
from refract_asp.errors import InputError
from refract_asp.model import Call
from refract_asp.model.sources import Reference
from refract_asp.report.graph import drawing_of, graph
from refract_asp.report.stages import stages_data, stages_text

TRIP = Sequence.load("""\
var1 = SkyScrapperSearchAirport(query="New York")
var2 = SkyScrapperSearchAirport(query="London")
var3 = SkyScrapperFlightSearch(originSkyId="$var1.skyId$", originEntityId="$var1.entityId$", to="$var2[0]$")
Book(flight="$var3$", day="$day$")
Pay(amount=3)
""")
EFFECTS = Catalog.load({"tools": [{"name": "Book", "effect": "write"}, {"name": "Pay", "effect": "write"}]})

SAFE = r'[^"\n\[\]{}<>|]*'
MERMAID = re.compile(
    rf'flowchart LR(\n  (subgraph stage\d+\["stage \d+"\]|end|  call\d+\["{SAFE}(<br/>{SAFE})?"\]'
    rf'|call\d+ (-\.->|-->\|"{SAFE}"\|) call\d+))*'
)
TEXT = r'"(?:[^"\\\n]|\\.)*"'
DOT = re.compile(
    rf"digraph calls {{\n  rankdir=LR;\n  node \[shape=box\];(\n  (call\d+ \[label={TEXT}\];"
    rf"|{{ rank=same;( call\d+;)+ }}|call\d+ -> call\d+ \[(style=dashed|label={TEXT})\];))*\n}}"
)


@pytest.mark.parametrize("format", ["mermaid", "dot"])
def test_a_drawing(format: str, snapshot: SnapshotAssertion) -> None:
    assert graph(TRIP, format, EFFECTS) == snapshot  # type: ignore[arg-type]


def test_stages(snapshot: SnapshotAssertion) -> None:
    assert stages_text(TRIP, EFFECTS) == snapshot


def test_stages_as_data() -> None:
    assert stages_data(TRIP)["stages"] == [[0, 1, 4], [2], [3]]
    assert stages_data(TRIP, EFFECTS)["stages"] == [[0, 1], [2], [3], [4]]


def test_an_unknown_language_is_refused() -> None:
    with pytest.raises(InputError, match="Use mermaid or dot"):
        graph(TRIP, "svg")  # type: ignore[arg-type]


HOSTILE = [
    'x"] --> call9["y', "a|b", "]]", "}}", "end", "<script>alert(1)</script>", "a\nb", "--> call1", "%% c",
    'click call1 "javascript:alert(1)"', "\\", '\\"', "\\N", "&quot;", "#quot;", "`**x**`", "\u202e", ";",
    "{", "x" * 999,
]  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names(name: str) -> None:
    calls = (
        Call(name=name, label=name),
        Call(name=name, arguments={name: Reference(label=name, path=(name, 0))}),
    )
    sequence = Sequence(calls=calls)
    mermaid, dot = graph(sequence), graph(sequence, "dot")
    assert MERMAID.fullmatch(mermaid), mermaid
    assert DOT.fullmatch(dot), dot
    assert len(mermaid.splitlines()) == 8
    assert max(map(len, mermaid.splitlines())) < 900


@given(st.text(max_size=20), st.text(max_size=20))
def test_no_name_breaks_out(name: str, field: str) -> None:
    calls = (
        Call(name=name, label=name),
        Call(name=field, arguments={"x": Reference(label=name, path=(field,))}),
    )
    sequence = Sequence(calls=calls)
    assert MERMAID.fullmatch(graph(sequence))
    assert DOT.fullmatch(graph(sequence, "dot"))


def test_secrets_are_hidden_in_stages() -> None:
    assert "hunter2" not in stages_text(Sequence.load('Login(password="hunter2")'))


def test_nothing_to_draw() -> None:
    assert graph(Sequence()) == "flowchart LR"
    assert stages_text(Sequence()) == "There are no calls."


def test_local_functions_stand_in_no_stage() -> None:
    lines = ["a = f()", 'b = next(x="$day$")', 'g(p="$a.q$", day="$b$")']
    sequence = Sequence.load(lines)
    assert drawing_of(sequence, inline={"next"}).stages == ((0,), (2,))
    drawn = graph(sequence, inline={"next"})
    assert '  call2("b<br/>next")\n' in drawn
    assert "  call2 -->" in drawn
    assert 'call2 [label="b\\nnext", style=rounded];' in graph(sequence, "dot", inline={"next"})
