"""References inside texts: what is one, what is text, the escape between them, and the spellings of others."""

from pathlib import Path
from typing import Any

import pytest

from refract_asp import Catalog, Refractor, Sequence
from refract_asp.formats.references import mark_malformed, respell
from refract_asp.model import Constant, Reference, Structure, Template
from refract_asp.model.sequence import slots_of
from yaml_files import read_yaml, tables

TABLES = tables(__file__)

# -- other spellings -------------------------------------------------------------------

X = Reference(label="var1", path=("x",))


def test_labels_written_like_one_count() -> None:
    reader = {"name": "B", "arguments": {"a": "${var9.x}", "b": "${v9.x}"}}
    sequence = Sequence.load([{"name": "A", "label": "var1"}, reader])
    kin = Reference(label="var9", path=("x",))
    assert sequence.calls[1].arguments == {"a": kin, "b": Constant(value="${v9.x}")}


TOOLS = Catalog.load(TABLES["tools"])


@pytest.mark.parametrize("form", ["$l.p$", "$l.p", "${l.p}", "{{l.p}}"])
def test_a_repair_writes_references_as_they_came_in(form: str) -> None:
    def written(label: str, field: str) -> str:
        return form.replace("l", label).replace("p", field, 1) if label != "l" else form

    given = {"place": written("var7", "place"), "id": written("var1", "idd")}
    first = {"name": "A", "arguments": {}, "label": "var1"}
    calls = [first, {"name": "B", "arguments": given, "label": None}]
    result = Refractor(TOOLS, confirm="never").repair(calls)
    wanted = {"place": written("var1", "place"), "id": written("var1", "id")}
    assert result.sequence.dump()[1]["arguments"] == wanted
    missing = [calls[0], {"name": "B", "arguments": {"id": written("var1", "id")}, "label": None}]
    filled = Refractor(TOOLS, confirm="never").repair(missing)
    assert filled.sequence.dump()[1]["arguments"] == wanted


def test_labels_that_memory_knows() -> None:
    arguments = {"place": "${known.place}", "id": "{{known.id}} of ${HOME}"}
    calls = [{"name": "B", "arguments": arguments, "label": None}]
    memory = {"known": {"place": "x", "id": "y"}}
    refractor = Refractor(TOOLS)
    result = refractor.repair(calls, memory=memory)
    assert result.verdict == "valid"
    assert {slot.label for s in result.given.calls[0].arguments.values() for slot in slots_of(s)
            if isinstance(slot, Reference)} == {"known"}  # fmt: skip
    assert result.sequence.dump() == calls
    wrong = [{"name": "B", "arguments": {"place": "${known.plce}"}, "label": None}]
    mended = refractor.repair(wrong, memory=memory)
    assert mended.answer(confirmed=True).dump()[0]["arguments"] == {"place": "${known.place}"}


def test_respelling_leaves_the_rest_alone() -> None:
    values: dict[str, Any] = TABLES["respelling leaves the rest alone, values"]
    sequence = Sequence.load([{"name": "A", "label": "var1"}, {"name": "B", "arguments": values}])
    assert respell(sequence, ["var1", "other"]) is sequence
    assert respell(sequence, []) is sequence
    respelt = respell(sequence, ["known"])
    arguments = respelt.calls[1].arguments
    known = Reference(label="known", path=("x",))
    assert arguments["a"] == Structure(value=[known, Constant(value={"b": "${HOME}"})])
    assert arguments["c"] == Template(parts=("to ", known, ", then ", X))
    assert arguments["d"] == Constant(value="\\${known.x}")
    assert respelt.dump() == sequence.dump()


# -- what means a reference and cannot be read as one ----------------------------------

DECLARED = {("items",), ("items", 0), ("items", 0, "id"), ("id",)}
MEANT = read_yaml(Path(__file__).with_name("meant.yaml"))


@pytest.mark.parametrize(("text", "meant"), [*MEANT, ("a.id" * 200, None)])
def test_what_clearly_means_a_reference(text: str, meant: Any) -> None:
    made = [("Find", "a"), ("Twice", "c1"), ("Twice", "d")]
    calls: list[Any] = [{"name": name, "label": label} for name, label in made]
    sequence = Sequence.load([*calls, {"name": "Read", "arguments": {"id": {"k": [text]}}}])
    given_source = sequence.calls[-1].arguments["id"]
    marked = mark_malformed(sequence, (), lambda tool, path: path in DECLARED)
    if meant is None:
        assert marked is sequence
        return
    read = Reference(label=meant[0], path=tuple(meant[1]), written=text)
    assert marked.calls[-1].arguments["id"] == Structure(value={"k": Structure(value=[read])})
    assert given_source == sequence.calls[-1].arguments["id"]
    assert marked.dump() == sequence.dump()
