"""`solve`, `check` and `compress` on the travel catalog: verdicts, exit codes, goals, prompts, forms."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion
from typer.testing import Result

from refract_asp.model import RepairResult, Sequence

Run = Callable[..., Result]
Outcome = Callable[..., RepairResult]

VERDICTS = [
    ("good", "valid", 0),
    ("unlabelled", "repaired", 0),
    ("no_date", "needs_input", 3),
    ("made_up", "unrepairable", 4),
]


@pytest.mark.parametrize(("name", "verdict", "code"), VERDICTS)
def test_the_verdict_is_the_exit_code(run: Run, name: str, verdict: str, code: int) -> None:
    result = run(f"solve {name}.txt --catalog travel")
    assert (result.output.partition(":")[0], result.exit_code) == (verdict, code)
    assert result.stderr == ""


@pytest.mark.parametrize(("name", "verdict", "code"), VERDICTS)
def test_check_changes_nothing(run: Run, folder: Path, name: str, verdict: str, code: int) -> None:
    before = (folder / f"{name}.txt").read_bytes()
    result = run(f"check {name}.txt --catalog travel")
    found = ("valid", 0) if code == 0 and verdict == "valid" else ("invalid", 1)
    assert (result.output.partition(":")[0], result.exit_code) == found
    assert (folder / f"{name}.txt").read_bytes() == before


@pytest.mark.parametrize("command", ["solve", "check"])
@pytest.mark.parametrize("name", ["unlabelled", "no_date", "made_up"])
def test_text(run: Run, command: str, name: str, snapshot: SnapshotAssertion) -> None:
    assert run(f"{command} {name}.txt --catalog travel").output == snapshot


def test_json_holds_everything(run: Run) -> None:
    result = run("solve no_date.txt --catalog travel --format json")
    data = json.loads(result.stdout)
    assert result.exit_code == 3
    assert result.stdout.startswith("{\n  ")
    assert (data["schema_version"], data["verdict"]) == (1, "needs_input")
    assert [ask["name"] for ask in data["asks"]] == ["checkOut"]
    diff = run("solve no_date.txt --catalog travel --emit diff").stdout
    assert data["diff"] == diff.rstrip("\n") + "\n"
    checked = json.loads(run("check no_date.txt --catalog travel --format json").stdout)
    assert checked["verdict"] == "invalid"


def test_the_diff_alone(run: Run) -> None:
    result = run("solve unlabelled.txt --catalog travel --emit diff")
    assert {line[:2] for line in result.stdout.splitlines()} <= {"  ", "- ", "+ ", "? ", ""}
    assert "+ var4 = TripadvisorSearchLocation" in result.stdout
    assert run("solve good.txt --catalog travel --emit diff").stdout == ""


def test_the_calls_alone_are_as_they_came_in(run: Run, folder: Path) -> None:
    given = (folder / "good.txt").read_text()
    assert run("solve good.txt --catalog travel --emit calls").stdout == given
    nestful = run("solve unlabelled.txt --catalog travel --to nestful").stdout
    steps = json.loads(nestful)
    assert [step["label"] for step in steps] == ["var4", "var5"]
    again = run("solve - --catalog travel --emit calls", nestful)
    assert (json.loads(again.stdout), again.exit_code) == (steps, 0)


def test_memory_fills_what_is_missing(run: Run, folder: Path) -> None:
    (folder / "memory.json").write_text('{"var4": {"geoId": "1"}}', encoding="utf-8")
    (folder / "calls.txt").write_text(
        'TripadvisorSearchHotels(geoId="$var4.geoId$", checkIn="2024-08-15", checkOut="2024-08-18")'
    )
    assert run("check calls.txt --catalog travel").exit_code == 1
    assert run("check calls.txt --catalog travel --memory memory.json").exit_code == 0
    assert (
        run("check calls.txt --catalog travel --memory -", '{"var4": {"geoId": "1"}}').exit_code
        == 0
    )


def test_a_file_wins_over_a_shipped_name(run: Run, folder: Path) -> None:
    (folder / "travel").write_text("tools: [{name: Qqqqq, parameters: {zzz: {type: string}}}]")
    assert run("check made_up.txt --catalog travel").exit_code == 0


@pytest.mark.parametrize("form", ["text", "json"])
def test_writes_to_a_file(run: Run, folder: Path, form: str) -> None:
    printed = run(f"solve no_date.txt --catalog travel --format {form}")
    result = run(f"solve no_date.txt --catalog travel --format {form} -o answer")
    assert (result.output, result.exit_code) == ("", 3)
    assert (folder / "answer").read_text(encoding="utf-8") == printed.stdout


USUAL = {"confirm": None, "defensive": False, "max_new_calls": 2, "max_tries": 3, "allow": None}


@pytest.mark.parametrize(
    ("more", "wanted"),
    [
        ("", USUAL),
        ("--defensive --known-tools-only", {"defensive": True, "known_tools_only": True}),
        ("--confirm never --time-limit 1.5", {"confirm": "never", "time_limit": 1.5}),
        ("--allow A --allow B --deny C", {"allow": ["A", "B"], "deny": ["C"]}),
        ("-c w_ask=5 -c w_move=7 -c w_ask=6", {"constants": {"w_ask": 6, "w_move": 7}}),
        ("--cost-model prune", {"cost_model": "prune"}),
        ("--cost-model ./mine.lp", {"cost_model": Path("mine.lp")}),
        ("--encoding mine.lp", {"encodings": (Path("mine.lp"),)}),
        ("--encodings . --check-formats", {"encodings_dir": Path(), "check_formats": True}),
        ("--max-new-calls 0 --max-tries 1", {"max_new_calls": 0, "max_tries": 1}),
        ("--undeclared keep --references always", {"undeclared": "keep", "references": True}),
        ("--references never --new-maps", {"references": False, "new_maps": True}),
        ("--next-best", {"next_best": True, "alternatives": 10}),
        ("--alternatives 4 --next-best", {"next_best": True, "alternatives": 4}),
    ],
)
def test_options_reach_the_refractor(
    run: Run, folder: Path, answer: Any, outcome: Outcome, more: str, wanted: dict[str, Any]
) -> None:
    (folder / "mine.lp").write_text("")
    seen = answer(outcome())
    assert run(f"solve good.txt --catalog travel {more}").exit_code == 0
    assert {name: seen[0][name] for name in wanted} == wanted


@pytest.mark.parametrize(
    ("more", "state", "code"),
    [
        ("", {"verdict": "unknown", "optimal": False}, 5),
        ("", {"verdict": "repaired", "optimal": False}, 0),
        ("--require-optimal", {"verdict": "repaired", "optimal": False}, 5),
        ("--require-optimal", {"verdict": "needs_input", "optimal": True}, 3),
    ],
)
def test_what_time_did_not_suffice_for(
    run: Run, answer: Any, outcome: Outcome, more: str, state: dict[str, Any], code: int
) -> None:
    answer(outcome(**state))
    assert run(f"solve good.txt --catalog travel {more}").exit_code == code


@pytest.mark.parametrize(
    ("choice", "colored"), [("always", True), ("never", False), ("auto", False)]
)
def test_colour(run: Run, choice: str, colored: bool) -> None:
    result = run(f"solve unlabelled.txt --catalog travel --color {choice}")
    assert ("\x1b[32m+ " in result.stdout) is colored


def test_hostile_values_do_not_reach_the_terminal(run: Run, answer: Any, outcome: Outcome) -> None:
    hostile = Sequence.load(
        json.dumps([{"name": "A", "arguments": {"x": "\x1b[2J\u202e\x9b"}, "label": "v"}])
    )
    answer(outcome(verdict="repaired", sequence=hostile, origins=(None,), notes=("\x1b]0;x\x07",)))
    for form in ("text", "json"):
        printed = run(f"solve good.txt --catalog travel --format {form}").stdout
        assert printed.replace("\n", "").isprintable()


UNTOUCHED = [
    '{"tool_calls":  [{"id": "c", "type": "function",'
    ' "function": {"name": "Qqqqq", "arguments": "{ \\"zzz\\":\\"a\\" }"}}]}',
    '[ {"name":"Qqqqq","arguments":{"zzz":"a"},"label":null,"errors":[]} ]',
    '# why\nx  =  Qqqqq( zzz = "a" ) ;',
    "x = Qqqqq('a')   # why",
    'So:\n<tool_call>\n{"name": "Qqqqq", "arguments": {"zzz": "a"}}\n</tool_call>',
]


@pytest.mark.parametrize("text", UNTOUCHED)
def test_what_needs_no_change_is_printed_to_the_byte(run: Run, folder: Path, text: str) -> None:
    tools = {"tools": [{"name": "Qqqqq", "parameters": {"zzz": {"type": "string"}}}]}
    (folder / "tools.json").write_text(json.dumps(tools), encoding="utf-8")
    (folder / "calls").write_text(text, encoding="utf-8")
    for result in (
        run("solve calls --catalog tools.json --emit calls"),
        run("solve - --catalog tools.json --emit calls", text),
    ):
        assert (result.exit_code, result.stdout) == (0, text + "\n")


TYPO = """var1 = TripadvisorSearchLocation(query="London")
var2 = TripadvisorSearchHotels(geoId="$var1.geoID$", checkIn="2024-08-15", checkout="2024-08-18")
"""


@pytest.mark.slow
def test_explanation_alternatives_and_contrasts_stand_behind_the_summary(run: Run) -> None:
    words = ["solve", "-", "--catalog", "travel", "--explain", "--alternatives", "2", "--next-best"]
    result = run(
        [*words, "--why-not", "keep var2.checkout", "--why-not", "ask var2.geoId"], stdin=TYPO
    )
    assert result.exit_code == 0
    heads = ["repaired: 2 edits", "explanation: 2 edits", "alternative 1: ", "alternative 2: "]
    heads += ["why not keep var2.checkout: impossible", "why not ask var2.geoId: it costs 23 more"]
    positions = [result.output.index(head) for head in heads]
    assert positions == sorted(positions)
    assert "alternative 3" not in result.output
    assert "\x1b" not in result.output


@pytest.mark.slow
def test_they_are_data_too(run: Run) -> None:
    words = ["solve", "-", "--catalog", "travel", "--format", "json", "--explain", "--next-best"]
    answer = json.loads(run([*words, "--why-not", "ask var2.geoId"], stdin=TYPO).stdout)
    assert [reason["outcome"] for reason in answer["explanation"]["reasons"]] == [
        "dearer",
        "dearer",
    ]
    assert answer["why_not"][0]["extra"] == {"2": 23}
    assert 0 < len(answer["alternatives"]) <= 10
    plain = json.loads(
        run(["solve", "-", "--catalog", "travel", "--format", "json"], stdin=TYPO).stdout
    )
    assert {name for name in answer if name not in plain} == {"explanation", "why_not"}
    assert plain["sequence"] == answer["sequence"]
    assert plain["alternatives"] == []


@pytest.mark.parametrize(
    ("references", "solved", "checked"), [("auto", 0, 0), ("never", 0, 0), ("always", 3, 1)]
)
def test_what_a_text_with_dollars_refers_to(
    run: Run, folder: Path, references: str, solved: int, checked: int
) -> None:
    call = {
        "type": "tool_use",
        "id": "t1",
        "name": "TripadvisorSearchLocation",
        "input": {"query": "$AAPL$"},
    }
    (folder / "message.json").write_text(json.dumps([call]), encoding="utf-8")
    arguments = f"message.json --catalog travel --references {references}"
    assert run(f"solve {arguments}").exit_code == solved
    assert run(f"check {arguments}").exit_code == checked
    facts = run(f"facts {arguments}").stdout
    assert ("in_ref(" in facts) == (references == "always")


@pytest.mark.parametrize("kind", ["plain", "issues", "fix", "suggestions"])
def test_the_prompt_is_printed_alone(run: Run, kind: str) -> None:
    """The exit code is that of the repair."""
    result = run(f"solve no_date.txt --catalog travel --prompt {kind}")
    assert (result.exit_code, result.stderr) == (3, "")
    lines = result.stdout.splitlines()
    assert lines[0] == "A tool call is wrong. Correct it."
    assert '> var2 = TripadvisorSearchHotels(geoId="$var1.geoId$", checkIn="2024-08-15")' in lines
    assert ("What is wrong:" in lines) == (kind in ("issues", "suggestions"))


def test_the_words_of_the_user(run: Run, folder: Path) -> None:
    (folder / "said.txt").write_text("A hotel\nin London", encoding="utf-8")
    options = "solve no_date.txt --catalog travel --prompt suggestions --words"
    from_file = run(f"{options} @said.txt").output
    assert "> A hotel\n> in London\n" in from_file
    assert "Look in the user's words, or ask the user, for checkOut" in from_file
    assert run(f"{options} @-", "A hotel\nin London").output == from_file
    assert run([*options.split(), "A hotel\nin London"]).output == from_file
    assert run(f"{options} @nowhere.txt").exit_code == 2
    assert run("solve - --catalog travel --prompt plain --words @-", "A()").exit_code == 2


def test_the_budget(run: Run) -> None:
    short = run("solve no_date.txt --catalog travel --prompt issues --max-tokens 300")
    assert short.exit_code == 3
    assert len(short.stdout) < len(run("solve no_date.txt --catalog travel --prompt issues").stdout)
    result = run("solve no_date.txt --catalog travel --prompt issues --max-tokens 5")
    assert result.exit_code == 2
    assert result.stderr.startswith("error: the faulty calls and the instruction need ")


def test_templates_of_ones_own(run: Run, folder: Path) -> None:
    (folder / "mine").mkdir()
    options = "solve no_date.txt --catalog travel --prompt plain --templates"
    assert run(f"{options} mine").exit_code == 2
    (folder / "mine" / "plain.j2").write_text("Call {{ faulty[0] }}\n{% include '_answer.j2' %}")
    assert run(f"{options} mine").stdout.startswith("Call 2\n\nAnswer with the corrected call only")
    (folder / "mine" / "plain.j2").write_text("\n{{ oops }}")
    result = run(f"{options} mine")
    assert result.exit_code == 2
    assert "plain.j2, line 2: UndefinedError: 'oops' is undefined." in result.stderr
    assert run(f"{options} nowhere").exit_code == 2


def test_json_holds_it_too(run: Run) -> None:
    printed = run("solve no_date.txt --catalog travel --prompt fix").stdout
    data = json.loads(
        run("solve no_date.txt --catalog travel --prompt fix --format json --explain").stdout
    )
    assert data["prompt"] + "\n" == printed
    assert "explanation" in data
    assert "prompt" not in json.loads(
        run("solve no_date.txt --catalog travel --format json").stdout
    )


TWICE = """\
var1 = SkyScrapperSearchAirport(query="London")
var2 = SkyScrapperSearchAirport(query="London")
"""


def test_check_and_solve_take_goals(run: Run) -> None:
    goal = ["good.txt", "--catalog", "travel", "--goal", "field geoId"]
    checked = run(["check", *goal])
    assert checked.exit_code == 1
    assert "goal field geoId" in checked.output
    solved = run(["solve", *goal, "--format", "json"])
    assert solved.exit_code == 3
    data = json.loads(solved.stdout)
    assert [violation["code"] for violation in data["violations"]] == ["unmet_goal"]
    assert data["sequence"]["calls"][-1]["name"] == "TripadvisorSearchLocation"


def test_goals_come_from_a_file_and_from_standard_input(run: Run, folder: Path) -> None:
    (folder / "goals.yaml").write_text(
        "- SkyScrapperSearchAirport\n- field skyId\n", encoding="utf-8"
    )
    assert run("check good.txt --catalog travel --goals goals.yaml").exit_code == 0
    assert run("check good.txt --catalog travel --goals -", stdin="- field geoId\n").exit_code == 1
    assert run("check - --catalog travel --goals -", stdin="").exit_code == 2


def test_compress(run: Run, folder: Path) -> None:
    (folder / "twice.txt").write_text(TWICE, encoding="utf-8")
    result = run("compress twice.txt --catalog travel --emit calls")
    assert (result.exit_code, result.output) == (0, TWICE.splitlines(keepends=True)[0])
    needed = run("compress good.txt --catalog travel")
    assert (needed.exit_code, needed.output) == (0, "valid: nothing has to change.\n")
    done = run("compress good.txt --catalog travel --history good.txt --emit calls")
    assert (done.exit_code, done.output.strip()) == (0, "")
    told = run("check twice.txt --catalog travel --level cheapest")
    assert told.exit_code == 1
    assert "call 1 (var1) gives the same" in " ".join(told.output.split())


@pytest.mark.slow
def test_compress_tells_more(run: Run, folder: Path) -> None:
    (folder / "copy.txt").write_text(
        'a = SkyScrapperSearchAirport(query="Rome")\nb = SkyScrapperSearchAirport(query="Rome")\n'
        'c = TripadvisorSearchLocation(query="$b.skyId$")\n',
        encoding="utf-8",
    )
    words = [
        "compress",
        "copy.txt",
        "--catalog",
        "travel",
        "--explain",
        "--why-not",
        "keep b",
        "--next-best",
    ]
    result = run([*words, "--max-tries", "2"])
    assert result.exit_code == 0
    assert "call 1 (a) stands for it" in result.stdout
    assert "why not keep b: it costs +1 in calls, -4 at level 2" in result.stdout
    assert "alternative 1: " in result.stdout
    assert run([*words, "--emit", "calls"]).exit_code == 2
