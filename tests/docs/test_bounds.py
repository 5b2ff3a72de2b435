"""The pages say of every bound in the code what it is, with its number."""

import re
import runpy
from pathlib import Path
from typing import Any

DOCS = Path(__file__).resolve().parents[2] / "docs"
ROW = re.compile(r"^\| [^|]+ \| ([\d,]+) \| `([\w.]+\.[A-Z_]+)` \|$", re.M)


def maker() -> dict[str, Any]:
    return runpy.run_path(str(DOCS / "make_bounds.py"))


def test_the_page_of_bounds_is_not_stale_and_every_bound_has_a_meaning() -> None:
    make = maker()
    assert make["PAGE"].read_text("utf-8") == make["page"](), "run `make reference`"
    bounds = make["bounds"]()
    assert len(bounds) > 200
    assert [name for name, (_, said) in bounds.items() if not said] == []


def test_the_bounds_that_users_meet_are_those_of_the_code() -> None:
    code = {name: number for name, (number, _) in maker()["bounds"]().items()}
    rows = ROW.findall((DOCS / "how-it-works.md").read_text("utf-8"))
    told = {name: int(number.replace(",", "")) for number, name in rows}
    assert len(told) == len(rows) > 30
    assert told == {name: code.get(name) for name in told}


def test_every_bound_that_refuses_input_is_among_those_that_users_meet() -> None:
    """What a module compares before it raises a LimitError stands in the table."""
    page = (DOCS / "how-it-works.md").read_text("utf-8")
    source = DOCS.parent / "src" / "refract_asp"
    missing = []
    for name in maker()["bounds"]():
        module, _, constant = name.rpartition(".")
        path = source.joinpath(*module.split("."))
        file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
        judged = re.compile(rf"> {constant}\b(?:(?!\n\n).){{0,400}}?raise LimitError", re.S)
        if judged.search(file.read_text("utf-8")) and f"`{name}`" not in page:
            missing.append(name)
    assert missing == []
