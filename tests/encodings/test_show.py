"""show.lp: every choice is shown and tells two repairs apart, and nothing else is shown."""

import re
from pathlib import Path
from typing import Any

import pytest
from clingo import Symbol, parse_term
from clingo.ast import ASTType, parse_files
from encoding_runs import every_answer, files_of, optima, run

from refract_asp.resources import encodings_path
from refract_asp.rules.program import NAMES_FILES, SOLVE_OPTIONS
from refract_asp.rules.reading import ENTRIES
from yaml_files import tables

IMPLIED = {"passed"}  # precede(Y, X) is shown
"""Choices that follow from the others."""

FACTS = tables(__file__)["facts"]


def nodes() -> list[Any]:
    found: list[Any] = []
    parse_files([str(encodings_path() / name) for name in files_of("repair.lp")], found.append)
    return found


def chosen_predicates() -> set[str]:
    """Return the predicates that some choice rule chooses."""
    found = set()
    for node in nodes():
        if node.ast_type is ASTType.Rule and node.head.ast_type is ASTType.Aggregate:
            found |= {element.literal.atom.symbol.name for element in node.head.elements}
    return found


def test_the_shape_of_an_answer() -> None:
    """The whole answer to one instance, as `decode` gets it."""
    assert optima(FACTS).only == {
        'out_tool(0,"Book")',
        'out_renamed(0,"dy","day")',
        'out_transformed(0,"dy",4)',
        'out_explained("a",new("a"))',
        'out_tool(new("a"),"Find")',
        'out_fill(new("a"),"query",ask,"")',
        "out_rank(9,0)",
        "out_rank(1000,0)",
        "out_penalty(rename_tool,1,0)",
        "out_penalty(tool_distance,9,0)",
        'out_penalty(rename_parameter,1,argument(0,"dy"))',
        'out_penalty(parameter_distance,6,argument(0,"dy"))',
        'out_penalty(transform,1,argument(0,"dy"))',
        'out_penalty(form_distance,2,argument(0,"dy"))',
        'out_penalty(add_call,1,new("a"))',
        'out_penalty(ask_added,1,argument(new("a"),"query"))',
        'out_risky(argument(0,"dy"),unlike)',
        'out_confirm(argument(0,"dy"))',
        'out_pattern(new_call,add_call,call(new("a")))',
        'out_pattern(new_call,rebind,reference(0,"key",0))',
        'out_pattern(ask,fill,argument(new("a"),"query"))',
        # whatever comes of the form is told as a transformation
        'out_pattern(transformation,transform,argument(0,"dy"))',
        'out_pattern(transformation,split_call,argument(0,"dy"))',
        'out_pattern(transformation,drop_argument,argument(0,"dy"))',
        'out_pattern(transformation,rebind,argument(0,"dy"))',
    }


def test_only_terms_are_shown() -> None:
    """The names of all of them begin with `out_`, as `test_contract.py` sees."""
    assert [str(each) for each in nodes() if each.ast_type is ASTType.ShowSignature] == ["#show."]


def test_every_choice_is_shown() -> None:
    shown = [node for node in nodes() if node.ast_type is ASTType.ShowTerm]
    bodies = " ".join(str(literal) for node in shown for literal in node.body)
    hidden = {name for name in chosen_predicates() if f"{name}(" not in bodies}
    assert hidden == IMPLIED


def test_repairs_are_told_apart_by_their_choices() -> None:
    """Nothing is left open but choices that are shown, so no two answers are the same repair."""
    told = ("out_penalty", "out_rank", "out_risky", "out_confirm", "out_precede")
    answers = [frozenset(a for a in each if not a.startswith(told)) for each in every_answer(FACTS)]
    assert len(answers) > 10
    assert len(set(answers)) == len(answers)


def test_a_tool_is_told_only_where_it_was_open() -> None:
    facts = FACTS.replace('"Bok"', '"Book"')
    assert {a for a in optima(facts).only if "out_tool" in a} == {'out_tool(new("a"),"Find")'}


# -- encodings/examples ----------------------------------------------------------------


ROOT = encodings_path()
SMALL = ROOT / "examples"
EXAMPLES = sorted(str(path.relative_to(SMALL)) for path in SMALL.rglob("*.lp"))
WITHOUT = {
    "costs", "modes/defined", "modes/relaxed", "modes/nothing_wrong", "modes/ties", "modes/wanted",
    "show", "words", *(name.removesuffix(".lp") for name in (*ENTRIES, *NAMES_FILES)),
}  # fmt: skip
"""Files that derive nothing of their own, or whose tests are tables of instances already."""


def header(text: str) -> dict[str, str]:
    """Return the sections of the comment with which an example begins."""
    lines = [line[1:].strip() for line in text.partition("\n\n")[0].splitlines()[1:]]
    found: dict[str, str] = {}
    for line in lines:
        match = re.match(r"(Shows|Loads|Derives|Not):\s+(.*)", line)
        if match:
            name = match[1]
        found[name] = f"{found.get(name, '')} {match[2] if match else line}".strip()
    return found


def symbols(text: str) -> set[Symbol]:
    """Return the atoms that are listed, one after a blank."""
    return {parse_term(each) for each in re.split(r"(?<=[)\w]) (?=\w+\()", text) if each}


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_derives_what_it_says(name: str) -> None:
    path = SMALL / name
    said = header(path.read_text("utf-8"))
    files = files_of(*said["Loads"].split())
    assert name in files, "the file of which it is an example is not loaded"
    last: set[Symbol] = set()
    paths: list[Path] = [ROOT / each for each in files]
    for model in run(SOLVE_OPTIONS, [*paths, path], ""):
        last = {*model.symbols(atoms=True), *model.symbols(shown=True)}
    assert last, "there is no admissible sequence"
    assert symbols(said.get("Derives", "")) - last == set()
    assert symbols(said.get("Not", "")) & last == set()
    assert symbols(said["Derives"])


def test_every_file_has_an_example() -> None:
    files = {str(path.relative_to(ROOT).with_suffix("")) for path in ROOT.rglob("*.lp")}
    files = {name for name in files if not name.startswith(("examples/", "costs/"))}
    assert files - WITHOUT == {name.removesuffix(".lp") for name in EXAMPLES}
