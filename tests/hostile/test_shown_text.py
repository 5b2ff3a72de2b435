"""Names and values of whoever wrote the input, in every text that is printed: no tricks."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from declaring import tool
from refract_asp import Memory, RefractError, Refractor, Report, Sequence, check, repair
from refract_asp.errors import LONGEST, LONGEST_TEXT, shown
from refract_asp.model import Call, Constant, Goal, Reference, Structure, Template
from refract_asp.model.catalog import Catalog, Parameter, Tool
from refract_asp.report.text import summary
from renderers import RENDERERS

HOSTILE: dict[str, str] = json.loads(Path(__file__).with_name("hostile.json").read_text("utf-8"))[
    "texts"
] | {"marks": "x" + "\u0301\u0338" * 500, "long": "x" * 5_000}
"""What somebody could put into a name, after an `x`."""


def catalog(bad: str) -> Catalog:
    """A catalog that is hostile in every place."""
    text = {"type": "string", "description": bad}
    fields = {bad: text, f"a{bad}": {"type": "number"}, "list": {"type": "array", "items": text}}
    returns: dict[str, Any] = {"type": "object", "properties": fields}
    inner = {bad: {"type": "string", "enum": [bad, "b"]}, "n": {"type": "integer"}}
    strict = {"type": "object", "properties": inner, "required": [bad]}

    def made(name: str, schemas: dict[str, Any], **more: Any) -> Tool:
        parameters = {}
        for each, schema in schemas.items():
            told = {"description": bad, **schema}
            parameters[each] = Parameter(name=each, required=each == f"p{bad}", json_schema=told)
        return Tool(name=f"{name}{bad}", description=bad, parameters=parameters, **more)

    declared: dict[str, Any] = {
        f"p{bad}": {"type": "string"},
        f"e{bad}": {"enum": [f"m{bad}", f"n{bad}", 3]},
        f"d{bad}": {"type": "string", "default": bad},
        f"o{bad}": {**strict, "additionalProperties": False},
        f"n{bad}": {"type": "number", "minimum": 5},
        f"r{bad}": {"type": "string", "pattern": "^y+$"},
        "count": {"type": "integer"},
    }
    either = {"anyOf": [{"required": [f"k{bad}"]}, {"required": ["l"]}]}
    together = {"input_schema": either, "additional_parameters": True}
    tools = (
        made("a", declared, effect="read", output_schema=returns),
        made("b", {f"p{bad}": {}}, effect="write", output_schema=returns, **together),
        made("c", {f"p{bad}": {"type": f"t{bad}", "minimum": bad}}),
        made("s", {}, effect="read"),
    )
    return Catalog(tools=tools, name=bad)


def sequence(bad: str) -> Sequence:
    """A sequence with every violation, hostile in every place."""
    a, label = f"a{bad}", f"v{bad}"
    text = Constant(value=bad)
    good = {f"p{bad}": text}
    broken_value = {bad: bad, f"q{bad}": bad, "n": bad}

    def call(name: str, arguments: dict[str, Any], label: str | None = None, **more: Any) -> Call:
        return Call(name=name, arguments=arguments, label=label, **more)

    read = lambda *path: Reference(label=label, path=path)  # noqa: E731
    calls = [
        call(a, good, label, id=bad),
        call(a, good, label),  # the same twice
        call(f"aa{bad}", good, f"w{bad}"),  # no such tool
        call(a, {f"pp{bad}": text, f"zz{bad}": text}),  # no such parameters, and one is missing
        call(a, {f"p{bad}": read(f"{bad}z", 0, bad)}, f"u{bad}"),  # no such field
        call(a, {f"p{bad}": Reference(label=f"lost{bad}", path=(bad,))}),
        call(a, {f"p{bad}": Reference(label=f"variable{bad}", bare=True)}),
        call(a, {f"p{bad}": Reference(label="q9", bare=True)}),
        call(a, {f"p{bad}": Reference(label=f"late{bad}", path=(bad,))}),
        call(a, good, f"late{bad}"),
        call(a, {**good, f"e{bad}": Constant(value=f"mm{bad}")}),
        call(a, {**good, f"o{bad}": Constant(value=broken_value)}),
        call(a, {**good, f"n{bad}": Constant(value=bad), f"r{bad}": text}),
        call(a, {**good, "count": Constant(value=[bad, "7"])}),
        call(a, {**good, f"n{bad}": read("list")}),  # another type
        call(a, {f"p{bad}": Template(parts=(bad, read(bad), Reference(label=f"text{bad}")))}),
        call(a, {**good, f"o{bad}": Structure(value={bad: read("list"), "n": text})}),
        call(f"b{bad}", good),  # arguments that do not go together
        call(f"c{bad}", {f"p{bad}": text}),  # a broken schema
        call(f"s{bad}", {}, f"t{bad}"),
        call(a, {f"p{bad}": Reference(label=f"t{bad}", path=(bad,))}),
        call(a, {}, malformed=bad),
        call(a, {f"p{bad}": Reference(label=f"memory{bad}", path=(f"{bad}z",))}),
        call(f"f{bad}", {}),  # unresolved
    ]
    returns = {bad: Reference(label=f"gone{bad}", path=(bad,)), f"k{bad}": text}
    return Sequence(calls=tuple(calls), returns=returns, notes=(shown(bad),))


def goals(bad: str) -> tuple[Goal, ...]:
    """Goals that are not met."""
    return (
        Goal.field(f"field{bad}"),
        Goal(kind="tool", name=f"a{bad}", arguments={f"d{bad}": Constant(value=f"z{bad}")}),
        Goal.before(f"b{bad}", f"a{bad}"),
    )


Reports = dict[str, tuple[Report, ...]]
CODES = {
    "unknown_tool", "undeclared_parameter", "missing_parameter", "unknown_label", "unknown_field",
    "unknown_variable", "read_before_written", "duplicate_call", "tried_too_often", "invalid_value",
    "type_mismatch", "invalid_arguments", "malformed_arguments", "broken_schema", "unmet_goal", "forbidden",
}  # fmt: skip
"""All that can be wrong, but for `needless_call`, which is told only where nothing else is."""

FORBIDDEN = """
forbidden(call(X), Tool) :- name(X, Tool), in_call(X), X >= 0.
forbidden(argument(X, P), P) :- in_arg(X, P).
"""


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> Reports:
    """What `check` and `repair` say of a hostile sequence, by what is hostile in it."""
    rules = tmp_path_factory.mktemp("rules") / "mine.lp"
    rules.write_text(FORBIDDEN, "utf-8")
    found = {}
    for name, bad in HOSTILE.items():
        history = Sequence(calls=(Call(name=f"s{bad}", label=f"h{bad}"),) * 3)
        memory = Memory(values={f"memory{bad}": {bad: bad, f"a{bad}": [bad]}})
        asked = sequence(bad), memory, history
        forbidding = Refractor(catalog(bad), encodings=[rules])
        repairing = Refractor(catalog(bad), alternatives=2, next_best=True)
        keeping = Refractor(catalog(bad), undeclared="keep")
        forbidden = forbidding.check(*asked, goals(bad))
        found[name] = forbidden, repairing.repair(*asked), keeping.check(*asked)
    return found


@pytest.mark.slow
def test_every_code_is_told(reports: Reports) -> None:
    for told in reports.values():
        assert {violation.code for report in told for violation in report.violations} == CODES


def is_safe(text: str) -> bool:
    """Whether every character of a text prints, but for line breaks, which the renderers checked set."""
    return all(c.isprintable() or c == "\n" for c in text)


@pytest.mark.slow
@pytest.mark.parametrize("renderer", RENDERERS)
@pytest.mark.parametrize("name", HOSTILE)
def test_what_is_printed_is_safe(name: str, renderer: str, reports: Reports) -> None:
    for report in reports[name]:
        text = RENDERERS[renderer](report)
        assert is_safe(text)
        forged = ("error: call 77", "error: y", "z: ", "# heading")
        assert not any(line.startswith(forged) for line in text.splitlines())
        text.encode("utf-8")


LINES = ["diagnostics", "messages and notes", "explanation", "edits", "undecided"]
"""Renderers that print no whole calls, which are as long as they are, but on fix lines."""


@pytest.mark.slow
@pytest.mark.parametrize("renderer", LINES)
def test_a_name_is_cut(renderer: str, reports: Reports) -> None:
    for report in reports["long"]:
        runs = [len(run) for run in re.findall("x+", RENDERERS[renderer](report))]
        assert max(runs, default=0) <= (LONGEST if renderer == "edits" else LONGEST_TEXT)
        without = {"given": Sequence(), "sequence": Sequence(), "origins": ()}
        lines = summary(report.model_copy(update=without))
        assert max(len(run) for run in re.findall("x+", lines)) <= LONGEST_TEXT


@pytest.mark.slow
def test_names_of_a_megabyte_stay_cheap() -> None:
    """Every name is cut before anything is done with it."""
    bad = "x" * 1_000_000
    call = Call(name=f"b{bad}", arguments={f"q{bad}": Constant(value=bad)}, label=f"v{bad}")
    needed = Parameter(name=f"p{bad}", required=True)
    tools = (Tool(name=f"a{bad}", parameters={f"p{bad}": needed}),)
    result = Refractor(Catalog(tools=tools)).repair(Sequence(calls=(call,)))
    told = [str(diagnostic) for diagnostic in result.diagnostics()]
    told += [violation.message for violation in result.violations]
    assert told
    assert max(map(len, told)) < 3_000


SHOWN = {
    "a\nb\rc\td": "a b c d",  # a blank, so that the words do not run together
    "\x1b[2Ja\x00\u202eb\u2066\u200b\ud800\U000e0041": "[2Jab",
    "a" * 100: "a" * 100,
    "a" * 101: "a" * 100 + "...",
    "\x00" * 300 + "a": "...",
}


@pytest.mark.parametrize(("text", "safe"), SHOWN.items())
def test_shown(text: str, safe: str) -> None:
    assert shown(text) == safe
    assert len(safe) <= LONGEST + 3


@given(st.text(), st.integers(min_value=1, max_value=400))
def test_whatever_is_shown_prints_and_is_bounded(text: str, limit: int) -> None:
    safe = shown(text, limit)
    assert safe.isprintable()
    assert len(safe) <= limit + 3
    assert shown(safe, limit + 3) == safe


GET = {"tools": [{"name": "Get"}]}
ERRORS: dict[str, Any] = {
    "a goal on no tool": lambda bad: check("a()", {"tools": []}, goals=[{"tool": bad}]),
    "no goal": lambda bad: check("a()", {"tools": []}, goals=[{bad: bad}]),
    "no format": lambda bad: Sequence.load("a()", bad),
    "no sequence": lambda bad: Sequence.load(bad),
    "no catalog": lambda bad: Catalog.load(bad),
    "unknown key of a tool": lambda bad: Catalog.load({"tools": [{"name": "a", bad: 1}]}),
    "no effect": lambda bad: Catalog.load({"tools": [{"name": "a", "effect": bad}]}),
    "twice": lambda bad: Catalog.load({"tools": [{"name": bad}, {"name": bad}]}),
    "no option": lambda bad: Refractor({"tools": []}, confirm=bad),
    "no constant": lambda bad: Refractor({"tools": []}, constants={bad: 1}),
    "no cost model": lambda bad: Refractor({"tools": []}, cost_model=bad),
    "no tool to allow": lambda bad: Refractor({"tools": []}, allow=[bad]),
    "no file": lambda bad: Refractor({"tools": []}, encodings=[bad]),
    "no memory": lambda bad: Memory.load(bad),
    "no statement": lambda bad: repair("Gt()", GET).why_not(bad),
    "no such argument": lambda bad: repair("Gt()", GET).why_not(f"keep call 1.{bad}"),
    "nothing asked": lambda bad: repair("Gt()", GET).answer({bad: 1}),
    "half a character": lambda bad: Sequence.load([{"name": bad + "\ud800", "arguments": {}}]),
    "wrong labels": lambda bad: Sequence.load([{"name": "a", "arguments": {}, "label": 3, bad: 1}]),
}


@pytest.mark.slow
@pytest.mark.parametrize("make", ERRORS.values(), ids=ERRORS)
def test_errors_are_one_safe_line(make: Any) -> None:
    for bad in HOSTILE.values():
        try:
            make(bad)
        except RefractError as error:
            text = str(error)
            assert text.isprintable()
            assert len(text) < 1_500


@pytest.mark.slow
@given(st.text(min_size=1, max_size=30))
@settings(max_examples=15)
def test_any_name_is_printed_safely(bad: str) -> None:
    first = Call(name=f"Get{bad}", arguments={"amount": Constant(value=bad)})
    read = {bad: Reference(label="l", path=(bad,))}
    asked = Sequence(calls=(first, Call(name="Get", arguments=read, label=f"l{bad}")))
    result = repair(asked, {"tools": [tool("Get", "read", amount={"required": True})]})
    for name, render in RENDERERS.items():
        if "explanation" not in name and name != "contrasts":  # these search again
            assert is_safe(render(result))
