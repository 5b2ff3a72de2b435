"""The package of docs/extensions.md, installed: its format, its cost model and its rules are found by name."""

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
PROGRAM = """
import sys
from refract_asp import Catalog, Refractor, Sequence
from refract_asp.errors import RefractError
text = '-> look {"at": "1"}'
tools = {"tools": [{"name": "look", "effect": "read", "parameters": {"at": {"type": "integer"}}}]}
result = Refractor(tools, cost_model="careful", encodings=("no_mail",)).repair(Sequence.load(text))
print(result.sequence, Sequence.load(text, "arrows").calls == Sequence.load(text).calls)
for act in (lambda: Sequence.load(text, "broken"), lambda: Refractor(tools, cost_model="other")):
    try:
        act()
    except RefractError as error:
        print(str(error)[:44])
"""


def test_the_example_works_where_it_is_installed(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "extensions.md").read_text("utf-8")
    (project,) = re.findall(r"```toml\n(.*?)```", page, re.S)
    (code,) = re.findall(r"```py\n(.*?)```", page, re.S)
    assert len([line for line in code.splitlines() if line.strip()]) <= 20
    (tmp_path / "refract_arrows.py").write_text(code, "utf-8")
    (tmp_path / "no_mail.lp").write_text("", "utf-8")
    shutil.copy(ROOT / "encodings" / "costs" / "default.lp", tmp_path / "careful.lp")
    told = tomllib.loads(project)["project"]
    installed = tmp_path / "refract_arrows-1.0.dist-info"
    installed.mkdir()
    head = f"Metadata-Version: 2.1\nName: {told['name']}\nVersion: {told['version']}\n"
    (installed / "METADATA").write_text(head, "utf-8")
    groups = {name: dict(points) for name, points in told["entry-points"].items()}
    groups["refract_asp.formats"]["broken"] = "refract_arrows:NOTHING"
    lines: list[str] = []
    for name, points in groups.items():
        lines += [f"[{name}]", *(f"{key} = {value}" for key, value in points.items())]
    (installed / "entry_points.txt").write_text("\n".join(lines), "utf-8")
    begin = f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n"
    command = [sys.executable, "-c", begin + PROGRAM]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout.splitlines() == [
        "look(at=1) True",
        "the extension 'broken' cannot be loaded: mod",
        "there is no cost model 'other'. Known: calls",
    ], done.stderr
