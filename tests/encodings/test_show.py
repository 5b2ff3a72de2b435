"""show.lp: every choice is shown and tells two repairs apart, and nothing else is shown."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from clingo.ast import ASTType, parse_files
from encoding_runs import files_of

from refract_asp.resources import encodings_path

IMPLIED = {"passed"}  # precede(Y, X) is shown
"""Choices that follow from the others."""

FACTS = """
in_tool("Find"). in_effect("Find", read). in_param("Find", "query"). in_required("Find", "query").
in_gives("Find", "key"). in_supplier("a", "Find").
in_tool("Book"). in_effect("Book", write). in_param("Book", ("key";"day")). in_required("Book", "day").
in_call(0). in_name(0, "Bok"). in_tool_distance(0, "Book", 9). in_label(0, "b"). in_arg(0, ("key";"dy")).
in_ref(0, "key", 0, "a", "key"). in_lost(0, "key", 0, "a").
in_parameter_distance(0, "dy", "Book", "day", 6). in_meant("dy", "day"). in_kin("dy", "day").
in_confirm(risky).
in_unfit(0, "dy", "Book", "day"). in_form(0, "dy", "Book", "day", 4, 2).
"""


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


def test_the_shape_of_an_answer(optima: Callable[..., Any]) -> None:
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


def test_only_the_contract_is_shown(optima: Callable[..., Any]) -> None:
    shown = [node for node in nodes() if node.ast_type in (ASTType.ShowTerm, ASTType.ShowSignature)]
    assert [str(node) for node in shown if node.ast_type is ASTType.ShowSignature] == ["#show."]
    assert all(
        node.term.name.startswith("out_") for node in shown if node.ast_type is ASTType.ShowTerm
    )


def test_every_choice_is_shown() -> None:
    bodies = " ".join(
        str(literal)
        for node in nodes()
        if node.ast_type is ASTType.ShowTerm
        for literal in node.body
    )
    hidden = {name for name in chosen_predicates() if f"{name}(" not in bodies}
    assert hidden == IMPLIED


def test_repairs_are_told_apart_by_their_choices(
    every_answer: Callable[[str], list[frozenset[str]]],
) -> None:
    """Nothing is left open but choices that are shown, so no two answers are the same repair."""
    told = ("out_penalty", "out_rank", "out_risky", "out_confirm", "out_precede")
    answers = [
        frozenset(atom for atom in answer if not atom.startswith(told))
        for answer in every_answer(FACTS)
    ]
    assert len(answers) > 10
    assert len(set(answers)) == len(answers)


def test_a_tool_is_told_only_where_it_was_open(optima: Callable[..., Any]) -> None:
    facts = FACTS.replace('"Bok"', '"Book"')
    assert {a for a in optima(facts).only if "out_tool" in a} == {'out_tool(new("a"),"Find")'}
