"""The pages of the documentation: all are on the site, and what they tell is what there is now."""

import os
import re
import runpy
import shutil
import signal
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any, get_args

import pytest

import refract_asp
from refract_asp.plan.syntax import PlanCode
from waiting import PATIENCE
from yaml_files import read_yaml

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"


def test_every_page_is_in_the_contents() -> None:
    pages = {str(path.relative_to(DOCS)) for path in DOCS.rglob("*.md")}
    nav = read_yaml(ROOT / "mkdocs.yml")["nav"]
    entries = [entry for section in nav for part in section.values() for entry in part]
    named = [next(iter(e.values())) if isinstance(e, dict) else e for e in entries]
    assert sorted(named) == sorted(pages)
    linked = re.findall(r"\]\(([^)]+)\)", (DOCS / "index.md").read_text("utf-8"))
    assert linked == [name for name in named if name != "index.md"]


def test_links_to_the_project_are_those_of_the_package() -> None:
    urls = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["urls"]
    base = urls["Repository"]
    assert all(each.startswith(base) for each in urls.values())
    pages = [*DOCS.rglob("*.md"), *ROOT.glob("*.md"), *(ROOT / ".github").rglob("*.yml")]
    texts = "\n".join(each.read_text("utf-8") for each in pages)
    assert {*re.findall(r"https://github\.com/[\w-]+/refract-asp", texts)} <= {base}


def test_every_public_name_is_documented() -> None:
    page = (DOCS / "api.md").read_text("utf-8")
    named = re.findall(r"^::: refract_asp\.(\w+)$", page, re.M)
    assert sorted(named) == sorted(refract_asp.__all__)


# -- docs/predicates.md is what the encodings say now ----------------------------------


@pytest.mark.slow
def test_the_page_is_not_stale_and_every_predicate_has_a_meaning() -> None:
    maker = runpy.run_path(str(DOCS / "make_predicates.py"))
    page = maker["page"]()
    assert maker["PAGE"].read_text("utf-8") == page, "run `make predicates`"
    rows = [line.split(" | ") for line in page.splitlines() if line.startswith("| `")]
    assert len(rows) > 150
    assert [row[0] for row in rows if not row[1].strip()] == []


# -- every code of a plan stands in the document of plans, and no other one ------------


def test_every_code_is_told_once() -> None:
    text = (DOCS / "plan-language.md").read_text("utf-8")
    part = text[text.index("## What is mended") : text.index("## Plans and sequences")]
    rows = re.findall(r"^\| ((?:`[a-z_]+`(?:, )?)+) \|", part, re.MULTILINE)
    told = [code for row in rows for code in re.findall(r"`([a-z_]+)`", row)]
    assert sorted(told) == sorted(code for part in get_args(PlanCode) for code in get_args(part))


# -- the reference pages say what the program says now ---------------------------------


@pytest.mark.parametrize("page", ["formats.md", "options.md", "commands.md"])
def test_the_page_is_not_stale(page: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    maker = runpy.run_path(str(DOCS / "make_reference.py"))
    assert page in maker["PAGES"]
    text = (DOCS / page).read_text("utf-8")
    assert maker["made"](text) == text, "run `make reference`"


# -- every row of docs/seeds.md stands there once, in order, with a test that exists ---


ROW = re.compile(r"^\| ([TBP]\d+) \| .+ \| `(test_\w+)` \|$", re.M)
ROWS = {"T": 17, "B": 23, "P": 18}


def test_each_row_names_a_test() -> None:
    found = ROW.findall((DOCS / "seeds.md").read_text("utf-8"))
    wanted = [f"{part}{n}" for part, count in ROWS.items() for n in range(1, count + 1)]
    assert [row for row, _ in found] == wanted
    tests = "\n".join(path.read_text("utf-8") for path in (ROOT / "tests").rglob("test_*.py"))
    assert [name for _, name in found if f"def {name}(" not in tests] == []


# -- the commands by which docs/scale.md tries a cluster on one machine ----------------


COUNTS = "8 sequences: 2 valid, 4 repaired, 1 in need of input, 1 unrepairable.\n"
COUNTS += "To look at it: refract-asp batch report out.jsonl\n"


@pytest.mark.slow
def test_a_cluster_on_one_machine(tmp_path: Path) -> None:
    text = (DOCS / "scale.md").read_text("utf-8")
    (block,) = re.findall(r"^```sh\n(dask scheduler .*?)^```$", text, re.M | re.S)
    shutil.copy(DOCS / "examples" / "traces.jsonl", tmp_path)
    programs = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    with (tmp_path / "log").open("wb") as log:  # scheduler and workers say there what they do
        how: Any = {"stdout": subprocess.PIPE, "stderr": log, "start_new_session": True}
        variables = {**os.environ, "PATH": programs, "PYTHONPATH": str(ROOT / "src")}
        # any port, as another cluster may run on this machine
        command = ["bash", "-c", block.replace("dask scheduler", "dask scheduler --port 0", 1)]
        shell = subprocess.Popen(command, cwd=tmp_path, env=variables, **how)
    try:
        code = shell.wait(PATIENCE)
    finally:
        os.killpg(shell.pid, signal.SIGKILL)
        out, _ = shell.communicate()
    assert (code, out.decode()) == (0, COUNTS), (tmp_path / "log").read_text("utf-8")
    assert len((tmp_path / "out.jsonl").read_text("utf-8").splitlines()) == 8
