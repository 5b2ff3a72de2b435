"""Rules of one's own: what is refused in them, and how they are told; `cases/house_rules.yaml` has what they do."""

import shutil
from pathlib import Path

import pytest

from refract_asp import Refractor
from refract_asp.errors import EncodingError
from refract_asp.report.text import summary
from refract_asp.resources import encodings_path, house_rule_names
from yaml_files import read_yaml, tables

TABLES = tables(__file__)

SHOP = read_yaml(Path(__file__).with_name("cases").joinpath("house_rules.yaml"))["catalog"]


def fixer(folder: Path, text: str, *names: str, **options: object) -> Refractor:
    own = folder / "own.lp"
    own.write_text(text, "utf-8")
    return Refractor(SHOP, encodings=[*names, own], **options)  # type: ignore[arg-type]


def test_the_text_of_a_rule_is_told_and_made_harmless(tmp_path: Path) -> None:
    text = "no \\\\ way\\n\x1b[31mred\x1b[0m\u202e" + "!" * 500
    rule = f'forbidden(call(X), "{text}") :- name(X, "Pay").'
    (violation,) = fixer(tmp_path, rule).check("Pay(order=1)").violations
    assert violation.message.startswith("no \\ way [31mred[0m!")
    assert violation.message.isprintable()
    assert len(violation.message) < 320


NOT_KNOWN = TABLES["not known"]


@pytest.mark.slow
@pytest.mark.parametrize("text", NOT_KNOWN.values(), ids=NOT_KNOWN)
def test_what_check_cannot_know_is_refused_with_its_line(text: str, tmp_path: Path) -> None:
    with pytest.raises(EncodingError, match="forbidden") as caught:
        fixer(tmp_path, f"% Mine.\n{text}")
    assert caught.value.where.endswith("own.lp:2")


NO_PLACES = ["call(7)", "call(a)", "here", "argument(0, note)", 'reference(0, "order", 3)']


@pytest.mark.slow
@pytest.mark.parametrize("place", NO_PLACES)
def test_what_is_no_place_is_an_error(place: str, tmp_path: Path) -> None:
    other = 'forbidden(call(X)) :- name(X, "Fly").'
    with pytest.raises(EncodingError, match="no place of the sequence") as caught:
        fixer(tmp_path, f"{other}\nforbidden({place}) :- in_call(0).").check("Pay(order=1)")
    assert caught.value.where == f"{tmp_path / 'own.lp'}:2"


def test_no_other_tool_is_named_where_the_name_is_not_the_trouble(tmp_path: Path) -> None:
    result = fixer(tmp_path, 'forbidden(call(X)) :- name(X, "Pay").').repair("Pay(order=1)\nPya()")
    assert result.suggestions == {0: (), 1: ("Pay",)}
    text = summary(result)
    assert "call 1 (Pay): nothing admissible mends it" in text
    assert "call 2 (Pya): nothing admissible mends it; the nearest tool is Pay" in text


def test_what_is_mended_in_a_call_that_stays_forbidden_costs_what_it_costs(tmp_path: Path) -> None:
    rules = fixer(tmp_path, 'forbidden(call(X)) :- name(X, "Pay").')
    result = rules.repair('a = Find(wrd="x")\nPay(ordr="1")')
    paid = [sum(edit.cost.values()) for edit in result.edits]
    assert all(paid)
    assert sum(paid) + result.cost["leave_unresolved"] == sum(result.total.values())
    assert result.unresolved == (1,)
    assert "1 call could not be mended; 3 edits" in summary(result)


def test_a_constraint_that_leaves_no_repair_is_named(tmp_path: Path) -> None:
    rules = fixer(tmp_path, '% Mine.\n:- name(X, "Pay").')
    with pytest.raises(EncodingError, match="no admissible sequence") as caught:
        rules.repair("Paj(order=1)\nPay(order=2)")
    assert caught.value.where == f"{tmp_path / 'own.lp'}:2"


def test_what_goes_in_circles_through_not_is_an_error(tmp_path: Path) -> None:
    rules = "a(X) :- in_call(X), not b(X). b(X) :- in_call(X), not a(X)."
    rules += "forbidden(call(X)) :- a(X)."
    with pytest.raises(EncodingError, match="may hold or not"):
        fixer(tmp_path, rules).check("Pay(order=1)")


def test_a_file_of_that_name_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert house_rule_names() == TABLES["a file of that name comes first"]
    monkeypatch.chdir(tmp_path)
    (tmp_path / "after").write_text("#broken\n", "utf-8")
    with pytest.raises(EncodingError):
        Refractor(SHOP, encodings=["after"])


@pytest.mark.slow
@pytest.mark.parametrize("code", ["no_label", "7", '"text"', "unknown_tool(1)"])
def test_an_unknown_code_is_refused(tmp_path: Path, code: str) -> None:
    """Rules that take the place of the shipped ones may derive what there are no words for."""
    shutil.copytree(encodings_path(), tmp_path / "set")
    with (tmp_path / "set" / "admissible.lp").open("a", encoding="utf-8") as file:
        file.write(f"violation({code}, call(X)) :- in_unlabelled(X), not in_unjudged(X).\n")
    refractor = Refractor(SHOP, encodings_dir=tmp_path / "set")
    assert refractor.check("b = Pay(order=1)").verdict == "valid", "nothing has that code"
    for ask in (refractor.check, refractor.repair):
        with pytest.raises(EncodingError) as caught:
            ask("Pay(order=1)")
        assert f"violation({code},call(0)), and there is no code {code}." in str(caught.value)
        assert "forbidden(Place)" in str(caught.value)
        assert "Known codes: unknown_tool, undeclared_parameter, " in str(caught.value)


def test_own_rules_derive_no_violation(tmp_path: Path) -> None:
    with pytest.raises(EncodingError, match=r"own\.lp:1: violation/2 .*instead of violation/2"):
        fixer(tmp_path, "violation(no_label, call(X)) :- in_unlabelled(X).")
