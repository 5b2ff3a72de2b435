"""
Build the wheel, install it into an empty environment, and use it there from a folder of its own.

Run as a script; it needs `build` and the package index, and exits with 1 when something is missing.
"""

import shlex
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

from readme import BLOCKS, PRINTED, commands

ROOT = Path(__file__).resolve().parents[1]

USE = """
import pathlib, sys
import refract_asp
from refract_asp import Catalog, repair
from refract_asp.resources import catalog_names, catalog_path, cost_model_names, encodings_path
package = pathlib.Path(refract_asp.__file__).parent
assert package.is_relative_to(pathlib.Path(sys.prefix)), package
assert encodings_path().is_relative_to(package), encodings_path()
from refract_asp.bench.problems import get_example
assert get_example("image.blur(5)", "blurs it").target == "return image.blur(5)"
assert {"image", "travel", "weather"} <= set(catalog_names())
assert {"default", "refraction"} <= set(cost_model_names())
import re
named = {m for p in package.rglob("*") if p.suffix in (".py", ".yaml", ".j2", ".lp")
         for m in re.findall(r"docs/[a-z-]+\\.md", p.read_text("utf-8"))}
assert len(named) > 5 and not [m for m in named if not (package / m).is_file()], named
result = repair('var1 = SkyScrapperSearchAirprt(query="London")', Catalog.load(catalog_path("travel")))
assert result.verdict == "repaired", result
assert "> var1 = SkyScrapperSearchAirport(" in result.prompt("fix"), result.prompt("fix")
assert str(result.sequence) == 'var1 = SkyScrapperSearchAirport(query="London")', result.sequence
"""

CASE = '{"catalog": "travel", "sequence": "SkyScrapperSearchAirprt(query=1)", "expected": []}\n'
SESSION = """
demo | repaired: 4 edits.
solve broken.txt --catalog travel | + var1 = SkyScrapperSearchAirport(query="London")
facts broken.txt --catalog travel | in_name(0,"SkyScrapperSearchAirprt").
graph broken.txt --catalog travel --format svg | <svg
explain unknown_tool | Tag: made_up_tool
bench run cases.jsonl -o run.json | restored
bench report run.json --format json | "schema_version"
batch cases.jsonl --workers 2 -o out.jsonl | 1 repaired
batch report out.jsonl -o report.html |
"""
"""Commands, and what each prints among other things."""


def run(*command: str | Path, cwd: Path) -> str:
    """Run a command and return what it printed; stop with it when it fails."""
    words = [str(part) for part in command]
    done = subprocess.run(words, cwd=cwd, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout


def copied(name: str, bin: Path, folder: Path) -> None:
    """Have a block of the README run in an empty folder, and stop where it does not print what it should."""
    folder.mkdir()
    language, text = BLOCKS[name]
    if language == "python":
        printed = run(bin / "python", "-c", text, cwd=folder)
    else:
        found, may_fail = f"PATH={shlex.quote(str(bin))}:$PATH", " || test $? = 1"
        lines = (f"{each}{may_fail * (' check ' in each)}" for each in commands(text))
        printed = "".join(run("sh", "-c", f"{found}\n{line}", cwd=folder) for line in lines)
    assert all(each in printed for each in PRINTED[name]), printed


def lacks(command: Path, extra: str, *arguments: str, cwd: Path) -> None:
    """Run what needs an extra that is not there, and stop where it does not say so."""
    words = [command, *arguments]
    done = subprocess.run(words, cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 2, done
    assert f"pip install 'refract-asp[{extra}]'" in done.stderr, done


def main() -> None:
    """Build, install, use."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        build = (sys.executable, "-m", "build", "--wheel", "--outdir")
        run(*build, place / "dist", ROOT, cwd=place)
        run(*build, place / "again", ROOT, cwd=place)
        (wheel,), (again,) = ((place / name).glob("*.whl") for name in ("dist", "again"))
        assert wheel.read_bytes() == again.read_bytes(), "two builds differ"
        venv.create(place / "empty", with_pip=True)
        python = place / "empty" / "bin" / "python"
        quiet = ("--quiet", "--disable-pip-version-check")
        run(python, "-m", "pip", "install", *quiet, wheel, cwd=place)
        run(python, "-c", USE, cwd=place)
        for name in PRINTED:
            copied(name, python.parent, place / name)
        (place / "broken.txt").write_text('var1 = SkyScrapperSearchAirprt(query="London")\n')
        (place / "cases.jsonl").write_text(CASE, "utf-8")
        (place / "plan.js").write_text("return f({});\n", "utf-8")
        command = place / "empty" / "bin" / "refract-asp"
        for line in SESSION.strip().splitlines():
            words, _, wanted = line.partition(" |")
            printed = run(command, *words.split(), cwd=place)
            assert wanted.strip() in printed, f"{line}\n{printed}"
        assert "</table>" in (place / "report.html").read_text("utf-8")
        lacks(command, "plan", "plan", "check", "plan.js", cwd=place)
        batch = "batch cases.jsonl --scheduler tcp://127.0.0.1:1"
        lacks(command, "dask", *batch.split(), cwd=place)
    print("wheel: installed into an empty environment and used there")


if __name__ == "__main__":
    main()
