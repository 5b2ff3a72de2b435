"""A further catalog takes no more work: encodings are read, checked and parsed once per process."""

import subprocess
import sys
from pathlib import Path

import pytest

from growth import lines_run
from refract_asp import Catalog, Refractor
from refract_asp.bench.generating import Dials, generate

CATALOGS = [generate(Dials(tools=39), seed).catalog for seed in range(3)]
RECURSIVE = """
import re
from pathlib import Path
from refract_asp import check
properties = {f"a{n}": {"$ref": "#"} for n in range(40)}
returns = {"schema": {"type": "object", "properties": properties}}
check("Search(query=1)", {"tools": [{"name": "Search", "parameters": {"query": {}}, "returns": returns}]})
print(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1])
"""

READ = """
import sys
from refract_asp import Refractor
read = set()
sys.addaudithook(lambda event, given: read.add(str(given[0])) if event == "open" else None)
fixer = Refractor({"tools": [{"name": "Search", "parameters": {"query": {"required": True}}}]})
for ask, text in ((fixer.check, "Search(query='x')"), (fixer.check, "Serch()"), (fixer.repair, "Serch()")):
    verdict = ask(text).verdict
    print(verdict, sum(name.endswith(".lp") and "recovery" in name for name in read) > 0)
"""


def broken(catalog: Catalog) -> str:
    return f"x = {catalog.tools[3].name}z()\ny = {catalog.tools[5].name}(foo=1)"


def test_a_second_catalog_costs_nothing() -> None:
    # The first reads encodings, the next what one of them needs besides; later ones look which rules
    # a question can reach.
    for catalog in CATALOGS[:2] * 4:
        Refractor(catalog).repair(broken(catalog))
    made: list[Refractor] = []
    making = lines_run(lambda: made.append(Refractor(CATALOGS[2])))
    first, second = (lines_run(lambda: made[0].repair(broken(CATALOGS[2]))) for _ in range(2))
    assert first <= 1.3 * second
    assert making <= second


def test_the_patterns_are_read_for_the_first_repair() -> None:
    told = subprocess.check_output([sys.executable, "-c", READ], text=True)
    assert told.split() == ["valid", "False", "invalid", "False", "needs_input", "True"]


def test_a_catalog_that_holds_itself_takes_little_memory() -> None:
    if not Path("/proc/self/status").exists():
        pytest.skip("nothing tells the memory of a process")
    told = subprocess.check_output([sys.executable, "-c", RECURSIVE])
    assert int(told) < 100_000  # kilobytes
