"""What the command line asks of the API, and what is printed untouched."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from refract_asp import Report, check
from refract_asp.errors import FormatError, OutOfMemoryError
from refract_asp.model import RepairResult, Sequence
from refract_asp.model.diagnostic import Diagnostic
from refract_asp.resources import catalog_path
from yaml_files import tables

from .conftest import Run

TABLES = tables(__file__)

Outcome = Callable[..., RepairResult]
USUAL = {"confirm": None, "defensive": False, "max_new_calls": 2, "max_tries": 3, "allow": None}


OPTIONS: list[tuple[str, dict[str, Any]]] = [
    ("", USUAL),
    ("--defensive --known-tools-only", {"defensive": True, "known_tools_only": True}),
    ("--confirm never --time-limit 1.5", {"confirm": "never", "time_limit": 1.5}),
    ("--allow A --allow B --deny C", {"allow": ["A", "B"], "deny": ["C"]}),
    ("-c w_ask=5 -c w_move=7 -c w_ask=6", {"constants": {"w_ask": 6, "w_move": 7}}),
    ("--cost-model prune", {"cost_model": "prune"}),
    ("--cost-model ./own.lp", {"cost_model": Path("own.lp")}),
    ("--encoding own.lp", {"encodings": (Path("own.lp"),)}),
    ("--encodings . --check-formats", {"encodings_dir": Path(), "check_formats": True}),
    ("--max-new-calls 0 --max-tries 1", {"max_new_calls": 0, "max_tries": 1}),
    ("--undeclared keep --references always", {"undeclared": "keep", "references": True}),
    ("--references never --new-maps", {"references": False, "new_maps": True}),
    ("--next-best", {"next_best": True, "alternatives": 10}),
    ("--alternatives 4 --next-best", {"next_best": True, "alternatives": 4}),
]


@pytest.mark.parametrize(("more", "wanted"), OPTIONS)
def test_options_reach_the_refractor(
    run: Run, answer: Any, outcome: Outcome, more: str, wanted: dict[str, Any]
) -> None:
    seen = answer(outcome())
    assert run(f"solve good.txt --catalog travel {more}").exit_code == 0
    assert {name: seen[0][name] for name in wanted} == wanted


@pytest.mark.parametrize(("more", "state", "code"), TABLES["what time did not suffice for"])
def test_what_time_did_not_suffice_for(
    run: Run, answer: Any, outcome: Outcome, more: str, state: dict[str, Any], code: int
) -> None:
    answer(outcome(**state))
    assert run(f"solve good.txt --catalog travel {more}").exit_code == code


def test_hostile_values_do_not_reach_the_terminal(run: Run, answer: Any, outcome: Outcome) -> None:
    call = {"name": "A", "arguments": {"x": "\x1b[2J\u202e\x9b"}, "label": "v"}
    hostile = Sequence.load(json.dumps([call]))
    answer(outcome(verdict="repaired", sequence=hostile, origins=(None,), notes=("\x1b]0;x\x07",)))
    for form in ("text", "json"):
        printed = run(f"solve good.txt --catalog travel --format {form}").stdout
        assert printed.replace("\n", "").isprintable()


PLEASE = "(please report it with the catalog, the calls and the memory; --debug shows where)"


INTERNAL = f"internal error: ZeroDivisionError: the [31m heart {PLEASE}\n"
RAISED = [
    (FormatError("first\nsecond\x1b[31m"), 2, "error: first\nsecond[31m\n"),
    (PermissionError(13, "Permission denied", "x"), 2, "error: x: permission denied.\n"),
    (OutOfMemoryError("it does not suffice."), 5, "error: it does not suffice.\n"),
    (KeyboardInterrupt(), 130, ""),
    (ZeroDivisionError("the \x1b[31m heart"), 70, INTERNAL),
]


@pytest.mark.parametrize(("raised", "code", "told"), RAISED)
def test_what_is_raised_is_a_message_and_a_code(
    run: Run, answer: Any, raised: BaseException, code: int, told: str
) -> None:
    answer(raised)
    result = run("solve good.txt --catalog travel")
    assert (result.exit_code, result.stdout, result.stderr) == (code, "", told)
    traced = run("--debug solve good.txt --catalog travel").stderr
    assert ("Traceback" in traced) is (code == 70)


@pytest.mark.parametrize("text", TABLES["untouched"])
def test_what_needs_no_change_is_printed_to_the_byte(run: Run, folder: Path, text: str) -> None:
    """The catalog is a file that has the name of a shipped one: the file wins."""
    (folder / "travel").write_text("tools: [{name: Qqqqq, parameters: {zzz: {type: string}}}]")
    (folder / "calls").write_text(text, encoding="utf-8")
    for source, stdin in (("calls", None), ("-", text)):
        result = run(f"solve {source} --catalog travel --emit calls", stdin)
        assert (result.exit_code, result.stdout) == (0, text + "\n")


def test_json_has_all_of_the_report_and_what_agents_want(run: Run) -> None:
    """D18."""
    data = json.loads(run("check typos.txt --catalog travel --format json").stdout)
    report = check(Path("typos.txt"), catalog_path("travel"))
    more = {"success", "error", "validation_errors", "suggestions", "diagnostics"}
    assert Report.model_validate({key: data[key] for key in data.keys() - more}) == report
    assert tuple(map(Diagnostic.model_validate, data["diagnostics"])) == report.diagnostics()
    assert data["validation_errors"] == [str(each) for each in report.diagnostics()]


EMPTY = "it is empty. See whether the program that should have filled it failed"


@pytest.mark.parametrize("content", ["", " \n\t\n", "\ufeff"])
def test_nothing_at_all_is_not_valid(run: Run, folder: Path, content: str) -> None:
    """As when the program that should have written the calls has died."""
    (folder / "empty.txt").write_text(content, encoding="utf-8")
    for command in ("check", "solve", "run --dry-run"):
        for place, stdin in (("empty.txt", None), ("-", content)):
            result = run(f"{command} {place} --catalog travel", stdin)
            assert (result.exit_code, result.stdout) == (2, "")
            name = "standard input" if stdin is not None else place
            assert result.stderr.startswith(f"error: {name}: {EMPTY}")
    assert run("tags good.txt --catalog travel --truth empty.txt").exit_code == 2
    made_none = run("check good.txt --catalog travel --history empty.txt")
    assert made_none.exit_code == 0


SILENT = '{"role": "assistant", "content": "I cannot do that."}'


@pytest.mark.parametrize("content", ["[]", SILENT, "# nothing to do\n"])
@pytest.mark.parametrize("command", ["check", "solve"])
def test_no_calls_are_valid_with_a_note(run: Run, content: str, command: str) -> None:
    result = run(f"{command} - --catalog travel", content)
    assert result.exit_code == 0
    assert result.stdout.startswith("valid")
    assert "note: 0 calls: nothing was judged.\n" in result.stdout


@pytest.mark.parametrize("command", ["check -", "solve -", "solve - --emit diff"])
def test_no_name_is_a_command_in_the_log_of_a_workflow(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    """In GitHub a printed line that begins with two colons is a command; ours alone are."""
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    names = ["::add-mask::a", "Get"]
    (folder / "t.json").write_text(json.dumps({"tools": [{"name": name} for name in names]}))
    calls = json.dumps([{"name": name, "arguments": {}} for name in ("::add-mask::a", "Gett")])
    text = run(f"{command} --catalog t.json", calls).output
    assert "\\::add-mask::a" in text
    assert not any(line.lstrip().startswith("::") for line in text.splitlines())
    annotations = run("check - --catalog t.json --format github", calls).output
    assert annotations.startswith("::error ")


def test_on_a_terminal_it_is_said_how_to_answer(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "next:" not in run("solve no_date.txt --catalog travel").stderr
    monkeypatch.setattr("refract_asp.cli.solve.is_shown", lambda: True)
    told = run("solve no_date.txt --catalog travel").stderr
    assert told == "next: the same command with --answer checkOut=VALUE\n"
    assert run("solve no_date.txt --catalog travel --format json").stderr == ""
