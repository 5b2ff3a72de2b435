"""costs/*.lp: each shipped model ranks every kind of penalty that there is with it, once, and no other."""

from pathlib import Path
from shutil import copytree
from typing import Any

import pytest
from clingo import Control
from clingo.ast import ASTType, parse_files

from declaring import TEXT, tool
from refract_asp import repair
from refract_asp.costs import cost_model
from refract_asp.resources import cost_model_names, cost_model_path, encodings_path
from refract_asp.rules.program import Files, repair_program
from yaml_files import read_yaml

MODELS = cost_model_names()


def kinds(model: str) -> set[str]:
    """Return the kinds that a model has to rank: all but those of other models, or that a mode ranks."""
    models = {cost_model_path(name) for name in MODELS}
    every = {*encodings_path().rglob("*.lp")} - models
    ranked = heads("criterion", every - {encodings_path() / "costs/weights.lp"})
    return heads("penalty", every | {cost_model_path(model)}) - ranked


def heads(predicate: str, paths: set[Path]) -> set[str]:
    """Return the first arguments of the heads of a predicate."""
    found: set[str] = set()

    def visit(node: Any) -> None:
        if node.ast_type is ASTType.Rule and str(node.head).startswith(f"{predicate}("):
            found.add(str(node.head.atom.symbol.arguments[0]))

    parse_files([str(path) for path in sorted(paths)], visit)
    return found


def stated(model: str, name: str, arity: int) -> list[tuple[str, ...]]:
    """Return the facts of a model, as texts."""
    control = Control()
    for path in ("defined.lp", "costs/weights.lp", f"costs/{model}.lp"):
        control.load(str(encodings_path() / path))
    control.ground([("base", [])])
    atoms = control.symbolic_atoms.by_signature(name, arity)
    return [tuple(str(argument) for argument in atom.symbol.arguments) for atom in atoms]


@pytest.mark.parametrize("model", MODELS)
def test_every_kind_is_ranked_or_off_once(model: str) -> None:
    ranked = [kind for kind, _, _ in stated(model, "criterion", 3)]
    off = [kind for (kind,) in stated(model, "criterion_off", 1)]
    assert sorted(ranked + off) == sorted(kinds(model))


def test_a_mode_ranks_what_it_adds() -> None:
    path = {encodings_path() / "modes/fewer_calls.lp"}
    assert heads("penalty", path) == heads("criterion", path)


@pytest.mark.parametrize("model", MODELS)
def test_weights_and_priorities_are_constants_and_in_range(model: str) -> None:
    """So that `-c` can change each of them from outside; plain clingo and the library rank alike."""
    ranked = stated(model, "criterion", 3)
    for kind, priority, weight in ranked:
        assert 0 <= int(weight) <= 1_000_000, kind
        assert 0 <= int(priority) <= 1000, kind
    levels = cost_model(model).levels
    shown = [each for level in levels for each in level.criteria]
    assert {(each.kind, str(each.priority), str(each.weight)) for each in shown} == {*ranked}
    assert all(level.constant for level in levels)
    assert all(each.weight_constant for each in shown)


@pytest.mark.parametrize("model", [*MODELS, "weights"])
def test_every_constant_of_a_model_is_used(model: str) -> None:
    text = (encodings_path() / "costs" / f"{model}.lp").read_text("utf-8")
    lines = [line for line in text.splitlines() if line.startswith("#const")]
    rules = "\n".join(line for line in text.splitlines() if not line.startswith(("#const", "%")))
    own = [line.split()[1] for line in lines if not line.endswith("[override]")]
    assert [name for name in own if name not in rules] == []


@pytest.mark.parametrize("model", MODELS)
def test_a_model_says_how_tools_are_found(model: str) -> None:
    assert [how for (how,) in stated(model, "name_by", 1)] in (["spelling"], ["fit"])
    assert repair_program(Files(model)).confirm in ("risky", "new", "never")


@pytest.mark.parametrize("model", ["default", "refraction"])
def test_every_criterion_has_an_instance_that_it_decides(model: str) -> None:
    """`delete_call` decides nothing in `default`: there no call goes but one that is there twice."""
    path = Path(__file__).parent / "cases" / f"cost_{model}.yaml"
    titles = {case["title"] for case in read_yaml(path)["cases"]}
    assert {kind for kind, _, _ in stated(model, "criterion", 3)} - titles <= {"delete_call"}


def test_refraction_says_how_to_ask_and_what_to_call() -> None:
    program = repair_program(Files("refraction"))
    assert program.confirm == "never"
    assert program.says("ask_named_after(field)")
    assert program.says("call_for(common_name)")
    assert not repair_program(Files("default")).says("call_for(common_name)")


OWN = "criterion(own, 2, 7). penalty(own, 1, here) :- "


OWN_MODELS = [
    ("free(rename_tool). criterion_off(K) :- free(K).", {"rename_tool": 0, "tool_distance": 17}),
    ("free(rename_tool ; tool_distance). level(K, 5) :- free(K), in_call(0).", {"rename_tool": 0}),
    (f"{{ a }}. {OWN} a.", {"own": 0}),
    (f"{{ a }}. {OWN} not a.", {"own": 0}),
    (f"a(X) : in_call(X). {OWN} a(X).", {"own": 7}),
    (f"a'(1). {OWN} a'(X).", {"own": 7}),
]


@pytest.mark.parametrize(("lines", "cost"), OWN_MODELS)
def test_what_a_model_of_an_own_folder_says_counts(tmp_path: Path, lines: str, cost: Any) -> None:
    folder = copytree(encodings_path(), tmp_path / "encodings")
    with (folder / "costs/default.lp").open("a") as file:
        file.write(lines)
    tools = {"tools": [tool("Search", query=TEXT)]}
    found = repair('Serch(query="London")', tools, encodings_dir=folder).cost
    assert {kind: found.get(kind, 0) for kind in cost} == cost
