"""What is called repaired is admissible: what speaks for one tool, or one label, is used for no other one."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from refract_asp import Refractor, RepairResult, Sequence
from refract_asp.cli.app import app
from refract_asp.integrations import Hook
from refract_asp.report.text import summary
from refract_asp.resources import encodings_path

TEXT = {"type": "string"}
NUMBER = {"type": "integer"}
PERSON = {"id": 5, "name": "n"}


def tool(name: str, returns: dict[str, Any] | None = None, **parameters: Any) -> dict[str, Any]:
    """Return a tool that reads; parameters are schemas, required unless they say `optional`."""
    declared = {
        parameter: {
            "schema": {k: v for k, v in schema.items() if k != "optional"},
            "required": True,
        }
        if "optional" not in schema
        else {"schema": {k: v for k, v in schema.items() if k != "optional"}}
        for parameter, schema in parameters.items()
    }
    return {"name": name, "effect": "read", "parameters": declared, "returns": returns or {}}


def fixer(*tools: dict[str, Any], **options: Any) -> Refractor:
    return Refractor({"tools": list(tools)}, **options)


def sound(refractor: Refractor, calls: Any, **known: Any) -> RepairResult:
    """Repair, and see that `check` finds nothing wrong with the answer."""
    result = refractor.repair(calls, **known)
    assert result.verdict != "unknown", result.note
    if result.verdict != "unrepairable":
        assert refractor.check(result.answer(confirmed=True), **known).violations == ()
    return result


def test_an_argument_that_the_chosen_tool_declares_stays() -> None:
    """`actions_list` does not declare `query`, and would send it to `method`."""
    refractor = fixer(
        tool("actions_list", method=TEXT | {"enum": ["workflows", "runs"]}),
        tool(
            "projects_list",
            method=TEXT | {"enum": ["projects", "fields"]},
            query=TEXT | {"optional": True},
        ),
        *map(tool, ("projects_get", "projects_write", "actions_get", "actions_run_trigger")),
    )
    result = sound(refractor, 'v = list(query="alpha", owner="o")')
    assert str(result.sequence) == 'ask(method)\nv = projects_list(query="alpha", method=method)'
    assert sound(refractor, result.sequence).verdict == "needs_input"


def test_a_value_is_filled_from_what_was_offered_to_the_chosen_tool() -> None:
    """An earlier call gives the `code` of one of two tools that are alike; the other one wants a number."""
    refractor = fixer(
        tool("whoami", {"code": TEXT}),
        tool("open_doors", code=TEXT, colour=TEXT, weight=TEXT),
        tool("open_door", code=NUMBER),
    )
    assert str(sound(refractor, "a = whoami()\nopen_dor()").sequence).endswith(
        "open_door(code=code)"
    )


@pytest.mark.parametrize(
    ("calls", "expected"),
    [
        ('getCty(limit="$var1.name$")', "getCity(limit=limit)"),
        ('getCity(limt="$var1.name$")', "getCity(limit=limit)"),
        ('getCty(limt="$var1.name$")', "getCity(limit=limit)"),
        ('getCty(limt="$var1.id$")', 'getCity(limit="$var1.id$")'),
        ('many_id(ids=["$var1.name$", 3])', 'many_ids(ids=["$ids$", 3])'),
        ('many_ids(idz=["$var1.id$", 3])', 'many_ids(ids=["$var1.id$", 3])'),
    ],
)
def test_a_value_of_memory_is_judged_under_the_name_that_it_goes_to(
    calls: str, expected: str
) -> None:
    refractor = fixer(
        tool("getCity", limit=NUMBER), tool("many_ids", ids={"type": "array", "items": NUMBER})
    )
    result = sound(refractor, calls, memory={"var1": PERSON})
    assert str(result.sequence).splitlines()[-1] == expected


def test_what_a_call_gives_is_judged_under_the_name_that_it_goes_to() -> None:
    """It is asked for, and not read from another field."""
    refractor = fixer(tool("whois", {"id": NUMBER, "name": TEXT}), tool("getCity", limit=NUMBER))
    for calls in ('v = whois()\ngetCty(limit="$v.name$")', 'v = whos()\ngetCity(limit="$v.name$")'):
        result = sound(refractor, calls)
        assert str(result.sequence) == "ask(limit)\nv = whois()\ngetCity(limit=limit)"


def test_a_call_gets_no_label_under_which_memory_is_read() -> None:
    refractor = fixer(
        tool("analyze_website", {"content_analysis": TEXT}, url=TEXT),
        tool("squared", {"number": NUMBER}, number=NUMBER),
        tool("create_invoice", client_name=TEXT),
    )
    calls = [
        {"name": "analyze_website", "arguments": {}, "label": "var5"},
        {"name": "squared", "arguments": {}, "label": "var2"},
        {
            "name": "create_invoice",
            "arguments": {"client_name": "$var1.content_analysis$"},
            "label": "var5",
        },
    ]
    result = sound(refractor, calls, memory={"var1": {**PERSON, "skyId": "X"}})
    assert str(result.sequence).splitlines()[2:] == [
        "var1 = analyze_website(url=url)",
        "var2 = squared(number=number)",
        'var5 = create_invoice(client_name="$var1.content_analysis$")',
    ]


@pytest.mark.parametrize("known", [{"memory": {"a": {"id": "x"}}}, {"history": "a = find()"}])
def test_a_call_that_comes_to_stand_before_a_reader_hides_nothing_from_it(
    known: dict[str, Any],
) -> None:
    """`use` moves behind a call that bears the label of what it reads."""
    refractor = fixer(tool("find", {"id": TEXT}), tool("use", x=TEXT, y=TEXT))
    result = sound(refractor, 'use(x="$a.id$", y="$c.id$")\na = find()\nc = find()', **known)
    assert [call.label for call in result.sequence.calls] == ["var1", "c", None]
    assert str(result.sequence).endswith('use(x="$a.id$", y="$c.id$")')


def test_calls_for_the_elements_of_a_list_read_what_the_list_read() -> None:
    """The first of them bears the label of the call that all of them read."""
    refractor = fixer(tool("source", {"b": TEXT, "n": TEXT}), tool("get", {"r": TEXT}, q=TEXT))
    result = sound(refractor, 'v = source()\nv = get(q=["$v.b$", "$v.n$"])')
    first, second, third = result.sequence.calls
    assert [str(call.arguments["q"]) for call in (second, third)] == [
        f"${first.label}.b$",
        f"${first.label}.n$",
    ]
    assert second.label != first.label


def test_references_keep_their_places_in_a_form_that_has_fewer() -> None:
    """A second spelling of a key goes with what is wrong in it; the right reference stays."""
    place = {
        "type": "object",
        "properties": {"path": TEXT, "mode": TEXT},
        "additionalProperties": False,
    }
    refractor = fixer(tool("source", {"b": TEXT}), tool("open", at=place))
    result = sound(
        refractor, 'v = source()\nopen(at={"Path": "$v.bb$", "path": "$v.b$", "mode": "$v.b$"})'
    )
    assert str(result.sequence).endswith('open(at={"path": "$v.b$", "mode": "$v.b$"})')
    assert not result.asks


def test_an_unresolved_call_in_a_circle_stays_where_it_is_read() -> None:
    refractor = fixer(tool("Hotels", {"id": TEXT}, geoId=TEXT, checkOut=TEXT))
    calls = [
        {"name": "Hotels", "arguments": {"checkOut": "$b.data$"}, "label": "a"},
        {"name": "zzz", "arguments": {"q": "$a.x$"}, "label": "b"},
        {"name": "var_result", "arguments": {"w": "$b$"}},
    ]
    result = refractor.repair(calls)
    assert result.verdict == "unrepairable"
    assert result.unresolved == (1,)
    assert {call.name for call in result.sequence.calls} == {"Hotels", "zzz"}
    assert str((result.sequence.returns or {})["w"]) == "$b$"


@pytest.mark.parametrize("schema", [{"$ref": "#/nowhere"}, {"type": "string", "pattern": "((("}])
@pytest.mark.parametrize("calls", ['getCty(q="x")', 'getCity(qq="x")', 'getCty(q="$m.a$")'])
def test_a_call_is_not_mended_into_one_that_nobody_can_judge(
    calls: str, schema: dict[str, Any]
) -> None:
    result = fixer(tool("getCity", q=schema)).repair(calls, memory={"m": {"a": "b"}})
    assert result.verdict == "unrepairable"
    assert result.sequence == result.given


# -- an answer that fails its own check ----------------------------------------


@pytest.mark.parametrize(
    "fields", [("author", "created", "cursor"), ("cursor", "created", "author")]
)
def test_what_is_returned_is_never_a_field_by_the_order_of_the_catalog(
    fields: tuple[str, ...],
) -> None:
    """The whole of something lost is returned: none of the fields of another call stands for it."""
    refractor = fixer(
        tool("news", {"articles": {"type": "array", "items": TEXT}}, query=TEXT),
        tool("posts", dict.fromkeys(fields, TEXT), board=TEXT),
    )
    calls = [
        {"name": "news", "arguments": {"query": "tea"}},
        {"name": "posts", "arguments": {"board": "tea"}, "label": "var1"},
        {"name": "var_result", "arguments": {"articles": "$var1$", "posts": "$var2$"}},
    ]
    result = sound(refractor, calls)
    assert result.verdict == "needs_input"
    assert str(result.sequence).endswith('return {"articles": "$var1$", "posts": "$var2$"}')


def test_what_is_returned_is_asked_for_and_never_left_out() -> None:
    refractor = fixer(tool("search", {"id": TEXT}))
    result = sound(refractor, [
        {"name": "search", "arguments": {}, "label": "var1"},
        {"name": "var_result", "arguments": {"first": "$zz.id$", "second": "$foo$"}},
    ])  # fmt: skip
    assert result.sequence.asks == ("foo",)
    assert str(result.sequence).endswith('return {"first": "$zz.id$", "second": "$foo$"}')


def test_an_argument_is_asked_for_once() -> None:
    """Two things are wrong in it: what it reads, and that it is a list."""
    result = sound(fixer(tool("update", issue=NUMBER)), 'update(issue=["$lost.number$", "b"])')
    assert str(result.sequence) == "ask(issue)\nupdate(issue=issue)"
    assert [asked.path for asked in result.asks] == [()]


@pytest.fixture
def unsound(tmp_path: Path) -> Refractor:
    """Rules of which somebody took the line that makes every reference read from somewhere."""
    folder = tmp_path / "set"
    shutil.copytree(encodings_path(), folder)
    file = folder / "choice.lp"
    lines = file.read_text("utf-8").splitlines(keepends=True)
    kept = [line for line in lines if not line.startswith(":- open_reference")]
    assert len(kept) == len(lines) - 1
    file.write_text("".join(kept), "utf-8")
    return fixer(tool("find", {"id": TEXT}, query=TEXT), encodings_dir=folder)


@pytest.mark.slow
def test_an_answer_that_fails_its_own_check_is_not_given(unsound: Refractor) -> None:
    result = unsound.repair('var1 = find(query="$lost.word$")')
    assert result.verdict == "unknown"
    assert result.determination is None
    assert not result.is_executable
    assert result.sequence == result.given
    assert not result.edits
    assert result.note.startswith(
        "the answer failed its own check (unknown_label in call 1: $lost.word$ "
    )
    assert "please report it" in result.note
    assert summary(result).replace("\n", " ").startswith("unknown: the answer failed its own check")
    assert RepairResult.model_validate(result.model_dump(mode="json")).note == result.note


@pytest.mark.slow
def test_the_command_says_so_and_exits_with_5(unsound: Refractor, tmp_path: Path) -> None:
    catalog, calls = tmp_path / "catalog.json", tmp_path / "calls.txt"
    catalog.write_text(json.dumps({"tools": [tool("find", {"id": TEXT}, query=TEXT)]}), "utf-8")
    calls.write_text('var1 = find(query="$lost.word$")', "utf-8")
    options = ["--catalog", str(catalog), "--encodings", str(tmp_path / "set")]
    done = CliRunner().invoke(app, ["solve", str(calls), *options])
    assert done.exit_code == 5
    assert done.stdout.startswith("unknown: the answer failed its own check")


@pytest.mark.slow
def test_no_other_repair_fails_its_check_either(unsound: Refractor) -> None:
    """A right sequence is not asked about; what somebody insists on is."""
    assert unsound.repair('var1 = find(query="x")').verdict == "valid"
    contrast = unsound.repair('var1 = find(qery="x")').why_not("ask var1.query")
    assert (
        contrast.result is None or unsound.check(contrast.result.sequence).verdict == "needs_input"
    )


@pytest.mark.slow
def test_calls_whose_answer_fails_its_check_are_refused_by_a_hook(unsound: Refractor) -> None:
    decision = Hook(unsound)(Sequence.load('var1 = find(query="$lost.word$")'))
    assert (decision.outcome, decision.reason) == ("refuse", "internal")
    assert "failed its own check" in decision.feedback
