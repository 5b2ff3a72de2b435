"""Bad usage and bad input: one message that says what and where, exit code 2, and nothing on standard output."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

Run = Callable[..., Result]

WANTED = 'var1 = SkyScrapperSearchAirport(query="London")'
SLIP = WANTED.replace("query", "qury")
BLUR = {"signature": "image.blur()", "description": "blurs it", "func_name": "blur"}
DAY = {"type": "integer", "minimum": 2, "maximum": 1, "required": True}
FILES: dict[str, Any] = {
    "data.jsonl": {"id": "slip", "sequence": SLIP, "expected": WANTED},
    "bench.json": {"plain": BLUR},
    "samples.jsonl": {"id": "plain", "sample": "return 1"},
    "hopeless.json": {"tools": [{"name": "Never", "parameters": {"day": DAY}}]},
    "wrong.jsonl": {"what": 1},
}
SHARES = ",".join(f"{number / 1000}" for number in range(1000))
T = "--catalog travel"
SOLVE, RUN, BATCH = f"solve good.txt {T}", f"run good.txt {T}", f"batch data.jsonl {T}"
BENCH, MUTATE = f"bench run data.jsonl {T}", f"bench mutate good.txt {T}"
COMPARE, FIT = f"costs compare default default data.jsonl {T}", f"costs fit data.jsonl {T}"
# a command, and a part of what it says
MISTAKES = f"""
solve none.txt {T} | none.txt: there is no such file
solve good.txt --catalog travl | travl: there is no such file or shipped catalog. Shipped:
solve good.txt --catalog x/travel.yaml | x/travel.yaml: there is no such
solve bad.txt {T} | bad.txt
solve - {T} --memory - | standard input
{SOLVE} --memory m.json | m.json: there is no such file
{SOLVE} --cost-model cheap | 'cheap'. Known: calls_first, default
{SOLVE} --cost-model my.lp | my.lp
{SOLVE} --encoding my.lp | my.lp
{SOLVE} --from morse | morse
{SOLVE} --to morse | morse
{SOLVE} -c nothing=1 | nothing
{SOLVE} -c nothing | -c nothing: this is not NAME=VALUE
{SOLVE} -c w=much | -c w: 'much' is not a whole number
{SOLVE} -o . | folder
{SOLVE} -o there/answer | there: there is no such folder
{SOLVE} --goal Nothing | no tool
{SOLVE} --references sometimes | --references
check good.txt {T} --memory bad.txt | bad.txt
check good.txt --catalog bad.txt | bad.txt
check - {T} --goals - | standard input
tags good.txt {T} --truth - --memory - | only one input can be read from standard input
explain unknown_tol | Did you mean: unknown_tool
solve | Missing argument
solve good.txt | Missing option '--catalog'
{SOLVE} --max-tries 0 | --max-tries
{SOLVE} --frobnicate | --frobnicate
{SOLVE} --level best | 'best' is not one of 'admissible', 'achieves_goals', 'cheapest'.
{SOLVE} --format json --to nestful | leave out --emit and --to
{SOLVE} --format json --emit diff | leave out --emit and --to
{SOLVE} --emit diff --to nestful | only --emit calls goes with --to
{SOLVE} --explain --emit diff | leave out --emit and --to
{SOLVE} --why-not delete --emit diff | leave out --emit and --to
{SOLVE} --why-not delete | error:
{SOLVE} --prompt fix --emit diff | it is printed alone
{SOLVE} --prompt fix --explain | it is printed alone
{SOLVE} --words hello | it goes with --prompt
{SOLVE} --templates . | it goes with --prompt
solve no_date.txt {T} --prompt plain --words @nowhere.txt | nowhere.txt
solve - {T} --prompt plain --words @- | only one input
solve no_date.txt {T} --to openai | checkOut has still to be asked, and openai cannot say so
compress good.txt {T} --to nestful --format json | leave out
repair good.txt | No such command
facts good.txt {T} --program solve | --program
check good.txt {T} --max-fields -1 | --max-fields
{RUN} | name the functions to call
{RUN} --tools nope | there is no module 'nope'
{RUN} --tools run_tools:nope | holds no 'nope'
{RUN} --tools run_tools:number | type int
{RUN} --tools run_tools:text | type str
{RUN} --tools run_tools:unnamed | has no name
{RUN} --tools run_tools:numbered | 3 is no name
{RUN} --tools run_tools:evil | the registry cannot be read: ValueError: no
{RUN} --tools run_tools | the module has no __all__
{RUN} --tools sys:path;rm | this is not module:registry
{RUN} --tools exits | SystemExit: bye[31mxx
{RUN} --tools broken_syntax | SyntaxError
{RUN} --tools run_tools:registry | there is no function for SkyScrapperSearchAirport
{RUN} --tools run_tools:registry --answer x=1 | 'x' was not asked
{RUN} --tools run_tools:registry --answer x | this is not NAME=JSON
{RUN} --graph dot --json | a drawing is no JSON
{RUN} --plan --from nestful --dry-run | a plan has no other format
{RUN} --plan --dry-run | good.txt
catalog show travel --tool SkyScraperSearchAirport | Near: SkyScrapperSearchAirport
catalog check bad.txt | bad.txt
catalog convert travel - --to openapi | can be read but not written
catalog maps travel --learn wrong.jsonl | wrong.jsonl:1
catalog maps travel --merge good.txt | good.txt
catalog maps travel --threshold 1.5 | threshold
catalog maps - --learn - | only one input
costs check nothing | nothing
costs check default --encoding x | there is no such file or house rule. Shipped: after
costs compare default cheap data.jsonl {T} | cheap
costs compare default default data.jsonl | data.jsonl:1: there is no catalog for it
costs compare default default - - {T} | standard input
costs compare default default blank.txt {T} | there is no example in blank.txt
{COMPARE} --const-a nothing=1 | nothing
{COMPARE} --const-b nothing | NAME=VALUE
costs fit blank.txt {T} -o mine.lp | there is no example in blank.txt
costs fit data.jsonl | data.jsonl:1: there is no catalog for it.
{FIT} --from nonesuch | there is no cost model 'nonesuch'
{FIT} -o none/mine.lp | there is no such folder
{FIT} --from own.lp -o own.lp | this file is read, too
plan check nowhere.js | there is no such file
plan check binary.txt | not UTF-8
batch none.jsonl {T} | no such file
batch - - {T} | standard input
{BATCH} -o no/out.jsonl | no such folder
{BATCH} -o . | folder
{BATCH} --resume | only a file can be gone on with. Name it with -o.
{BATCH} --resume --restart -o out.jsonl | --resume and --restart are one too many
{BATCH} --engine dask | --scheduler
{BATCH} --scheduler tcp://x:1 | --engine dask
{BATCH} --allow Nothing | Nothing
batch report none.jsonl | no such file
batch report data.jsonl --fail-on worse | compares with an earlier run
bench run data.jsonl | data.jsonl:1: the case has no 'catalog'
bench run blank.txt {T} | there is no case in blank.txt
{BENCH} --system best | there is no system 'best'
{BENCH} --system= | --system: no system is named. Use refract, none, nearest, or leave it out.
{BENCH} --system none --cost-model refraction | only refract has cost models
{BENCH} --system none -c weight_ask=5 | -c: only refract takes this
{BENCH} --system nearest --alternatives 3 | --alternatives: only refract takes this
{BENCH} --cost-model default --cost-model default | two systems named 'default'
{BENCH} --answers peer | this is not NAME=FILE
{BENCH} --answers refract=data.jsonl | data.jsonl:1: this is no recorded answer
{BENCH} -o data.jsonl | this file is read, too
{BENCH} -o none/run.json | there is no such folder
bench report data.jsonl | data.jsonl
bench problems poems | there is no benchmark 'poems'. Known: argument_fixing
bench visualize good.txt | good.txt
bench visualize bench.json --id nope | there is no problem 'nope'. There are plain.
bench visualize bench.json --libraries samples.jsonl | samples.jsonl
bench evaluate bench.json --samples bench.json | a line has the id of its problem
bench evaluate bench.json --samples samples.jsonl -o bench.json | this file is read, too
bench evaluate - --samples - | only one input can be read from standard input
bench mutate good.txt | --catalog
bench mutate no_date.txt {T} | something is wrong with it already
bench mutate none.jsonl --memory m.json | --memory
{MUTATE} --kind nothing | no kind of mutation 'nothing'
{MUTATE} --mix 20 | nothing could be broken
{MUTATE} -o good.txt | good.txt
bench generate --tools x | 'x' is no whole number
bench generate --tools 0 | tools: '0' cannot be set. Input should be greater
bench generate --likeness high | 'high' is no number
bench generate --coupling ring | coupling: 'ring' cannot be set. Input should be 'independent'
bench generate --count 100000 --tools 10,20 | 200,000 cases, of at most 100,000
bench generate --count 100000 --tools 10000 | 850.1 GB; at most 2 GB are written at once. Make fewer
bench generate --count 40000 --calls 300 {T} | about 3.1 GB
bench generate --likeness {SHARES} --share {SHARES} --reuse {SHARES} | 1,000,000,000 cases, of at
bench generate {T} --tools 5 | it says nothing beside --catalog
bench generate {T} --problems chaining | problems bring their own tools
bench generate --libraries a.json | libraries are those of --problems
bench generate --catalog-format mcp | there is no --catalog
bench generate --catalog hopeless.json -o made/here | none of the tools can be called: Never (day: no value
bench generate -o good.txt | this is a file, not a folder
bench generate -o nowhere/cases.jsonl | there is no such folder
bench generate --problems chaining --seed 1 | it says nothing beside --problems
bench generate --problems - --libraries - | only one input
"""
TOOLS = """
number, text, unnamed, numbered, registry = 3, "text", [3], {3: print}, {"Other": print}
class Evil:
    def __iter__(self): raise ValueError("no")
evil = Evil()
"""


@pytest.fixture
def files(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write whatever the commands name, good and bad."""
    for name, data in FILES.items():
        (folder / name).write_text(f"{json.dumps(data)}\n", encoding="utf-8")
    (folder / "bad.txt").write_text("{{{ [ ) not \x1b[31m anything", encoding="utf-8")
    (folder / "binary.txt").write_bytes(b"\xff\xfe\x00\x80")
    (folder / "blank.txt").write_text("\n")
    (folder / "own.lp").write_text("% nothing\n")
    (folder / "run_tools.py").write_text(TOOLS)
    (folder / "exits.py").write_text("raise SystemExit('bye\\x1b[31m' + 'x' * 5000)\n")
    (folder / "broken_syntax.py").write_text("def f(:")
    monkeypatch.syspath_prepend(folder)
    for name in ("run_tools", "exits"):
        monkeypatch.delitem(__import__("sys").modules, name, raising=False)
    return folder


@pytest.mark.parametrize("line", MISTAKES.strip().splitlines(), ids=lambda line: line[:60])
def test_a_mistake_is_told(run: Run, files: Path, line: str) -> None:
    command, _, told = line.rpartition(" | ")
    before = {path.name for path in files.iterdir()}
    result = run(command)
    assert (result.exit_code, result.stdout) == (2, "")
    assert told.strip() in " ".join(result.stderr.split())
    assert result.stderr.replace("\n", "").isprintable()
    assert len(result.stderr) < 1500
    assert not any(word in result.stderr for word in ("Traceback", "internal", "Value error"))
    assert {path.name for path in files.iterdir()} - {"__pycache__"} == before


def test_standard_input_is_named_as_the_place(run: Run) -> None:
    result = run(f"solve - {T}", b"\xff")
    assert result.stderr.startswith("error: standard input: this is not UTF-8 at byte 0.")
    assert run(f"solve - {T}", "{{{ [ )").stderr.startswith("error: standard input")
    result = run(f"costs compare default refraction - {T}", '{"sequence": 1}\n{"sequence": 2}\n')
    assert result.stderr.startswith("error: standard input:1: sequence")
    tools = [{"name": "a", "inputSchema": 5}, {"name": "b", "inputSchema": {}}, {"inputSchema": {}}]
    text = json.dumps({"jsonrpc": "2.0", "id": 1, "result": {"tools": tools}})
    result = run("catalog check -", text)
    assert [line.split(": ")[1:3] for line in result.stderr.splitlines()] == [
        ["standard input", "result.tools[0].inputSchema"],
        ["standard input", "result.tools[2].name"],
    ]
