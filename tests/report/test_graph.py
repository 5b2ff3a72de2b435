"""Drawings of sequences: what is in them, and that no name gets out of its box."""

import re
from typing import Any, get_args
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from syrupy.assertion import SnapshotAssertion

from declaring import TEXT, tool
from refract_asp import Catalog, Sequence, repair
from refract_asp.errors import InputError
from refract_asp.model import Call
from refract_asp.model.sequence import Reference
from refract_asp.model.stages import stages
from refract_asp.report.graph import (
    GraphFormat,
    drawing_of,
    graph,
    repair_drawings,
    repair_graph,
    stages_text,
)
from refract_asp.resources import catalog_path

TRIP = Sequence.load("""\
var1 = SkyScrapperSearchAirport(query="New York")
var2 = SkyScrapperSearchAirport(query="London")
var3 = SkyScrapperFlightSearch(originSkyId="$var1.skyId$", originEntityId="$var1.entityId$", to="$var2[0]$")
Book(flight="$var3$", day="$day$")
Pay(amount=3)
""")
EFFECTS = Catalog.load({"tools": [tool("Book", "write"), tool("Pay", "write")]})
TRAVEL = Catalog.load(catalog_path("travel"))
BROKEN_TRIP = """\
var1 = SkyScrapperSearchAirport(query="New York")
var3 = SkyScrapperFlightSearch(originSkyId="$var1.skyId$", originEntityId="$var1.entityIdd$", \
destinationSkyId="$var2.skyId$", destinationEntityId="$var2.entityId$", date="2024-08-15")
var4 = TripadvisorSearchLocatin(query="London")
TripadvisorSearchHotels(geoId="$var4.geoId$", checkIn="2024-08-15", checkOut="2024-08-18")
"""
TRIP_REPAIRED = repair(BROKEN_TRIP, TRAVEL)
SVG = "{http://www.w3.org/2000/svg}"

FORMATS: tuple[GraphFormat, ...] = get_args(GraphFormat)
SAFE = r'[^"\n\[\]{}<>|]*'
MERMAID = re.compile(
    rf'flowchart LR(\n  (subgraph stage\d+\["stage \d+"\]|end|  call\d+\["{SAFE}(<br/>{SAFE})?"\]'
    rf'|call\d+ (-\.->|-->\|"{SAFE}"\|) call\d+))*'
)
QUOTED = r'"(?:[^"\\\n]|\\.)*"'
DOT = re.compile(
    rf"digraph calls {{\n  rankdir=LR;\n  node \[shape=box\];(\n  (call\d+ \[label={QUOTED}\];"
    rf"|{{ rank=same;( call\d+;)+ }}|call\d+ -> call\d+ \[(style=dashed|label={QUOTED})\];))*\n}}"
)


@pytest.mark.parametrize("format", FORMATS)
def test_drawings(format: GraphFormat, snapshot: SnapshotAssertion) -> None:
    """Of a sequence, and of one before and after its repair."""
    assert graph(TRIP, format, EFFECTS) == snapshot
    assert repair_graph(TRIP_REPAIRED, format, TRAVEL) == snapshot
    given, repaired = (repair_graph(TRIP_REPAIRED, format, side=s) for s in ("given", "repaired"))  # type: ignore[arg-type]
    assert ("Locatin" in given, "Locatin" in repaired, ">given<" in given) == (True, False, False)


def test_stages(snapshot: SnapshotAssertion) -> None:
    assert stages_text(TRIP, EFFECTS) == snapshot
    assert stages_text(Sequence()) == "There are no calls."
    assert "hunter2" not in stages_text(Sequence.load('Login(password="hunter2")'))
    assert stages(TRIP) == ((0, 1, 4), (2,), (3,))
    assert stages(TRIP, EFFECTS) == ((0, 1), (2,), (3,), (4,))


def test_an_unknown_language_is_refused() -> None:
    with pytest.raises(InputError, match="Use mermaid, dot or svg"):
        graph(TRIP, "png")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="Use both, given or repaired"):
        repair_graph(TRIP_REPAIRED, side="left")  # type: ignore[arg-type]


HOSTILE = [
    'x"] --> call9["y', "a|b", "]]", "}}", "end", "<script>alert(1)</script>", "a\nb", "--> call1", "%% c",
    'click call1 "javascript:alert(1)"', "\\", '\\"', "\\N", "&quot;", "#quot;", "`**x**`", "\u202e", ";",
    "{", "x" * 999,
]  # fmt: skip


def reading(name: str, field: str, other: str) -> Sequence:
    """Return a call and one that reads from it, of these names."""
    source = Reference(label=name, path=(field, 0))
    return Sequence(calls=(Call(name=name, label=name), Call(name=other, arguments={"x": source})))


def assert_nothing_breaks_out(sequence: Sequence) -> None:
    assert MERMAID.fullmatch(graph(sequence))
    assert DOT.fullmatch(graph(sequence, "dot"))
    assert_harmless(graph(sequence, "svg"))


def assert_harmless(svg: str) -> None:
    """Whether a picture is XML, has no element or attribute but those that are drawn, and is of some size."""
    root = ElementTree.fromstring(svg)
    tags = {each.tag.removeprefix(SVG) for each in root.iter()}
    assert tags <= {"svg", "title", "style", "rect", "g", "path", "text"}
    names = {name for each in root.iter() for name in each.attrib}
    looks = {"viewBox", "width", "height", "role", "aria-label", "class", "text-anchor"}
    assert names <= looks | {"x", "y", "rx", "d"}
    assert float(root.attrib["width"]) < 1_500
    assert all(len(each.text or "") < 40 for each in root.iter(f"{SVG}text"))


NAMES = st.sampled_from(HOSTILE) | st.text(max_size=20)


@given(NAMES, NAMES)
def test_no_name_breaks_out(name: str, field: str) -> None:
    sequence = reading(name, field, field)
    assert_nothing_breaks_out(sequence)
    lines = graph(sequence).splitlines()
    assert (len(lines), max(map(len, lines)) < 900) == (8, True)


def test_local_functions_stand_in_no_stage() -> None:
    lines = ["a = f()", 'b = next(x="$day$")', 'g(p="$a.q$", day="$b$")']
    sequence = Sequence.load(lines)
    assert drawing_of(sequence, inline={"next"}).stages == ((0,), (2,))
    drawn = graph(sequence, inline={"next"})
    assert '  call2("b<br/>next")\n' in drawn
    assert "  call2 -->" in drawn
    assert 'call2 [label="b\\nnext", style=rounded];' in graph(sequence, "dot", inline={"next"})


BECAME = [
    ("Gett(id=1)\nGet(id=1)", ["changed", None], ["changed", None]),
    ("a = Get(id=1)\nGet(id=1)", [None, "removed"], [None]),
    ('Use(x="$b.y$")\nb = Use(x=1)', ["moved", None], [None, "moved"]),
    ("Get(id=[1, 2])", ["changed"], ["changed", "changed"]),
    ("Qqqqq(zzz=1)", ["unresolved"], ["unresolved"]),
]


@pytest.mark.parametrize(("calls", "before", "after"), BECAME)
def test_what_became_of_a_call(calls: str, before: list[Any], after: list[Any]) -> None:
    get = tool("Get", "read", id={"type": "integer", "required": True})
    tools = [get, tool("Use", returns={"y": "string"}, x={"required": True})]
    level = "cheapest" if "removed" in before else "admissible"
    drawings = repair_drawings(repair(calls, {"tools": tools}, level=level))  # type: ignore[arg-type]
    assert [[node.changed for node in each.nodes] for each in drawings] == [before, after]


def test_secrets_are_hidden_in_drawings() -> None:
    tools = {"tools": [tool("Login", password=TEXT)]}
    drawn = repair_graph(repair("Logn(password=12345678)", tools))
    assert ("Login" in drawn, "12345678" in drawn) == (True, False)
    valid = repair("Login()", tools)
    assert repair_graph(valid) == graph(valid.given)  # once, as nothing changed


def test_a_long_sequence_is_cut() -> None:
    lines = [f"v{n} = f(x='$v{n - 1}.y$')" if n else "v0 = f()" for n in range(600)]
    sequence = Sequence.load("\n".join(lines))
    for format in FORMATS:
        drawn = graph(sequence, format)
        assert "100 more calls are not drawn" in drawn
        assert "v499" in drawn
        assert "v500" not in drawn


def test_no_boxes_overlap() -> None:
    """Calls of one column stand one below the other, and columns beside each other."""
    lines = [f"v{n} = f(x='$v{n * 7 % max(n, 1)}.y$', z='$v{n // 2}.y$')" for n in range(60)]
    root = ElementTree.fromstring(graph(Sequence.load("\n".join(lines)), "svg"))
    drawn = [each.attrib for each in root.iter(f"{SVG}rect") if "box" in each.attrib["class"]]
    boxes = [[float(each[name]) for name in ("x", "y", "width", "height")] for each in drawn]
    assert len(boxes) == 60
    assert len({x for x, *_ in boxes}) > 3
    for number, (x, y, width, height) in enumerate(boxes):
        assert 0 <= x <= float(root.attrib["width"]) - width
        assert 0 <= y <= float(root.attrib["height"]) - height
        for other_x, other_y, other_width, other_height in boxes[number + 1 :]:
            is_beside = x + width <= other_x or other_x + other_width <= x
            assert is_beside or y + height <= other_y or other_y + other_height <= y


def boxes_of(part: str) -> dict[str, tuple[str, ...]]:
    """Return for each label in a drawing the place and width of its box."""
    found = re.findall(r'<rect x="(\d+)" y="(\d+)" width="(\d+)".*?</g>', part, re.DOTALL)
    labels = re.findall(r">(v\d)</text>", part)
    top = min(int(y) for _, y, _ in found)
    return {k: (x, str(int(y) - top), w) for k, (x, y, w) in zip(labels, found, strict=True)}


def test_a_call_has_one_place_before_and_after() -> None:
    tools = [tool("Find", "read", {"id": TEXT}, q={"required": True})]
    tools += [tool("Show", "read", {"x": TEXT}, id={"required": True})]
    calls = 'v1 = Find(q=1)\nv2 = Shw(id="$v9.id$")\nv3 = Show(id="$v1.id$")'
    drawn = repair_graph(repair(calls, {"tools": tools}), "svg")
    before, after = drawn.split(">repaired</text>")
    before = re.sub(r".*</style>\s*<rect[^>]*>", "", before, flags=re.DOTALL)
    given, repaired = boxes_of(before), boxes_of(after)
    assert set(given) == {"v1", "v2", "v3"}
    assert given == {label: repaired[label] for label in given}
    assert ("missing v9" in before, "missing v9" in after) == (True, False)


def test_long_names_are_broken_and_not_cut() -> None:
    name = "Real_Time_Product_Search_ProductOffersAndReviews"
    root = ElementTree.fromstring(graph(Sequence.load(f"{name}()"), "svg"))
    texts = [each.text or "" for each in root.iter(f"{SVG}text") if "line" in each.attrib["class"]]
    assert ("".join(texts), len(texts)) == (name, 2)
