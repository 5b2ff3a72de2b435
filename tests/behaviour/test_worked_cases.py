"""Worked cases, each file of `cases` a document: tools, calls that are wrong, and what a repair makes of them."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from refract_asp import Catalog, Refractor, RepairResult, Sequence, check
from yaml_files import read_yaml, tables

TABLES = tables(__file__)

COMPILED: dict[str, Refractor] = {}
KNOWN = ("memory", "history", "goals", "level")


def cases() -> Iterator[Any]:
    for file in sorted(Path(__file__).with_name("cases").glob("*.yaml")):
        document = read_yaml(file)
        for name, case in document.pop("cases").items():
            yield pytest.param({**document, **case}, id=f"{file.stem}: {name}")


def said(result: RepairResult) -> dict[str, Any]:
    """Return what a case may say of a result, by the name under which it does."""
    return {
        **{name: getattr(result, name) for name in ("verdict", "ambiguous", "total", "cost")},
        **{name: list(getattr(result, name)) for name in ("unresolved", "unmet", "undecided")},
        "repaired": str(result.sequence),
        "codes": [violation.code for violation in result.violations],
        "messages": [violation.message for violation in result.violations],
        "outcomes": [each.verdict for each in result.outcomes],
        "asks": list(result.sequence.asks),
        "edits": [edit.kind for edit in result.edits],
        "patterns": [edit.pattern for edit in result.edits],
        "tools": [call.name for call in result.sequence.calls],
        "labels": [call.label for call in result.sequence.calls],
        "confirmed": [confirm.call for confirm in result.confirms],
        "alternatives": [str(other.sequence) for other in result.alternatives],
    }


@pytest.mark.parametrize("case", list(cases()))
def test_a_case(case: dict[str, Any], tmp_path: Path) -> None:
    case = dict(case)
    options = dict(case.pop("options", {}))
    rules, is_answered = case.pop("rules", None), case.pop("answered", True)
    key = repr((case["catalog"], options, rules))
    if rules is not None:
        own = tmp_path / "own.lp"
        own.write_text(rules, "utf-8")
        options["encodings"] = [*options.get("encodings", ()), own]
    refractor = COMPILED.get(key) or Refractor(case["catalog"], **options)
    COMPILED[key] = refractor
    del case["catalog"]
    calls, by = case.pop("calls"), case.pop("by", "repair")
    known = {name: case.pop(name) for name in KNOWN if name in case}
    result = getattr(refractor, by)(calls, **known)
    found, text = said(result), str(result.sequence)
    case.pop("why", None)
    for name, expected in case.items():
        if name in ("holds", "lacks"):
            assert (expected in text) == (name == "holds"), text
        elif name == "ends":
            assert text.endswith(expected.strip()), text
        elif name == "alternative":
            assert any(expected in other for other in found["alternatives"])
        elif name == "reason":
            assert expected in " | ".join(confirm.reason for confirm in result.confirms)
        else:
            told = expected.strip() if isinstance(expected, str) else expected
            assert found[name] == told, name
    if is_answered and result.verdict in ("repaired", "needs_input"):
        answered = result.answer(confirmed=True)
        assert refractor.check(answered, **known).violations == ()


# -- the sentence that a violation is told in, where one code has several --------------


TEXT = {"type": "string"}
CATALOG = Catalog.load(TABLES["catalog"])


def told(calls: str, code: str, format: str = "pretty") -> list[str]:
    """Return the messages of a code."""
    found = check(Sequence.load(calls, format), CATALOG).violations
    return [each.message for each in found if each.code == code]


def test_a_copy_names_the_call_that_it_repeats() -> None:
    calls = 'b = f(x="0")\na = f(x="1")\nb = f(x="2")\na = f(x="1")\na = f(x="1")'
    assert told(calls, "duplicate_call") == ["f is called as in call 2, with the same label"] * 2


def test_a_call_that_reads_from_itself() -> None:
    for calls, message in (
        ('a = f(x="$a.y$")', "f reads from itself: $a.y$ is what it returns"),
        ('a = f(x="$b.y$")\nb = f(x="$a.y$")', "$b.y$ reads from a call that comes later"),
    ):
        assert told(calls, "read_before_written") == [message]
    again = 'a = f(x="1")\na = f(x="$a.y$")'
    assert told(again, "read_before_written") == [], "it reads from the call before it"


@pytest.mark.parametrize(("call", "positions"), TABLES["arguments by position"])
def test_arguments_by_position(call: str, positions: list[int]) -> None:
    properties = {name: {"type": "string"} for name in "abc"}
    unordered = {"name": "g", "input_schema": {"properties": properties}}
    catalog = Catalog.load([unordered]) if call.startswith("g") else CATALOG
    violations = check(Sequence.load(call, "python"), catalog).violations
    name = call.partition("(")[0]
    said = f"no parameter of {name} can take the argument at position"
    messages = [each.message for each in violations if each.code == "undeclared_parameter"]
    assert messages == [f"{said} {at}" for at in positions]
    assert told("f(y='v')", "undeclared_parameter", "python") == ["f has no parameter y"]
