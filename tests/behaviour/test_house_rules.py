"""Rules of one's own that forbid something: `check` reports it, and `repair` does what it can."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from refract_asp import Catalog, Refractor, RepairResult
from refract_asp.errors import EncodingError
from refract_asp.resources import encodings_path, house_rule_names

ORDER = {"order": {"type": "integer", "required": True}}
SHOP = Catalog.load(
    {
        "tools": [
            {"name": "Find", "effect": "read", "parameters": {"word": {"type": "string", "required": True}},
             "returns": {"geoId": {"type": "string"}}},
            {"name": "Stay", "effect": "read", "parameters": {
                "geoId": {"type": "string", "required": True}, "note": {"type": "string"}}},
            {"name": "Authorise", "effect": "write", "parameters": ORDER},
            {"name": "Pay", "effect": "write", "parameters": ORDER},
        ]
    }
)  # fmt: skip
FIND = 'a = Find(word="x")\n'


def fixer(folder: Path, text: str, *names: str, **options: object) -> Refractor:
    own = folder / "own.lp"
    own.write_text(text, "utf-8")
    return Refractor(SHOP, encodings=[*names, own], **options)  # type: ignore[arg-type]


def both(refractor: Refractor, calls: str, **known: object) -> tuple[list[str], RepairResult]:
    """Return what `check` finds, and the repair, of which the answered sequence is right."""
    report = refractor.check(calls, **known)
    result = refractor.repair(calls, **known)
    assert [v.message for v in report.violations] == [v.message for v in result.violations]
    if result.verdict != "unrepairable":
        ready = result.answer({ask.name: "z" for ask in result.asks}, confirmed=True)
        assert refractor.check(ready, **known).verdict == "valid"
    return [f"{v.code} {v.call} {v.parameter}" for v in report.violations], result


NO_PAY = 'forbidden(call(X)) :- name(X, "Pay").'


@pytest.mark.slow
def test_a_forbidden_call_is_reported_and_stays_unresolved(tmp_path: Path) -> None:
    found, result = both(fixer(tmp_path, NO_PAY), FIND + "Pay(order=1)")
    assert found == ["forbidden 1 None"]
    assert (result.verdict, result.unresolved) == ("unrepairable", (1,))
    assert result.violations[0].message == "a house rule forbids it"
    assert both(fixer(tmp_path, NO_PAY), FIND)[1].verdict == "valid"


@pytest.mark.slow
def test_its_siblings_are_repaired_all_the_same(tmp_path: Path) -> None:
    _, result = both(fixer(tmp_path, NO_PAY), FIND.replace("Find", "Fnd") + "Pay(order=1)")
    assert result.unresolved == (1,)
    assert str(result.sequence).splitlines()[0] == FIND.strip()


@pytest.mark.slow
def test_a_rule_over_the_input_alone_leaves_a_repair_too(tmp_path: Path) -> None:
    """Nothing that a repair chooses could change it, so the call stays as it is."""
    rule = 'forbidden(call(X)) :- in_name(X, "Pay").'
    assert both(fixer(tmp_path, rule), "Pay(order=1)")[1].unresolved == (0,)


@pytest.mark.slow
def test_no_repair_makes_what_is_forbidden(tmp_path: Path) -> None:
    """A misspelt tool would become one; and a call that is forbidden is not added."""
    assert both(fixer(tmp_path, NO_PAY), "Paj(order=1)")[1].unresolved == (0,)
    no_find = 'forbidden(call(X)) :- name(X, "Find").'
    found, result = both(fixer(tmp_path, no_find), 'Stay(geoId="$a.geoId$")')
    assert found == ["unknown_label 0 geoId"]
    assert [ask.name for ask in result.asks] == ["geoId"]


def test_the_text_of_a_rule_is_told_and_made_harmless(tmp_path: Path) -> None:
    text = "no \\\\ way\\n\x1b[31mred\x1b[0m\u202e" + "!" * 500
    rule = f'forbidden(call(X), "{text}") :- name(X, "Pay").'
    (violation,) = fixer(tmp_path, rule).check("Pay(order=1)").violations
    assert violation.message.startswith("no \\ way [31mred[0m!")
    assert violation.message.isprintable()
    assert len(violation.message) < 320


def test_several_texts_are_told_in_order(tmp_path: Path) -> None:
    rules = 'forbidden(call(0), "b") :- in_call(0). forbidden(call(0), a) :- in_call(0).'
    (violation,) = fixer(tmp_path, rules).check("Pay(order=1)").violations
    assert violation.message == "a; b"


@pytest.mark.slow
def test_a_forbidden_value_comes_from_elsewhere_or_is_asked(tmp_path: Path) -> None:
    rule = 'forbidden(argument(X, "geoId"), "made up") :- keeps(X, "geoId"), not read(X). '
    rule += 'read(X) :- in_ref(X, "geoId", 0, Label, Path).'
    found, result = both(fixer(tmp_path, rule), FIND + 'Stay(geoId="123")')
    assert found == ["forbidden 1 geoId"]
    assert result.sequence.dump()[-1] == 'Stay(geoId="$a.geoId$")'
    assert result.cost == {"fill": 13}
    (edit,) = result.edits
    assert (edit.kind, edit.answers) == ("rebind", (0,))
    result = fixer(tmp_path, rule).repair(
        'Stay(geoId="123")'
    )  # the answer would be judged by the rule too
    assert [ask.name for ask in result.asks] == ["geoId"]


def test_a_forbidden_reference_reads_from_elsewhere(tmp_path: Path) -> None:
    rule = 'forbidden(reference(X, P, N), "not from a") :- reads(X, P, N, 0, Path), in_call(0).'
    found, result = both(
        fixer(tmp_path, rule), FIND + FIND.replace("a =", "b =") + 'Stay(geoId="$a.geoId$")'
    )
    assert found == ["forbidden 2 geoId"]
    assert result.sequence.dump()[-1] == 'Stay(geoId="$b.geoId$")'


def test_what_was_executed_is_not_judged(tmp_path: Path) -> None:
    assert both(fixer(tmp_path, NO_PAY), FIND, history="p = Pay(order=1)")[0] == []


@pytest.mark.slow
def test_constants_count_in_check_too(tmp_path: Path) -> None:
    rule = "#const most = 5. forbidden(call(X)) :- in_call(X), X >= most."
    assert both(fixer(tmp_path, rule), FIND * 2)[0] == ["duplicate_call 1 None"]
    assert both(fixer(tmp_path, rule, constants={"most": 0}), FIND)[0] == ["forbidden 0 None"]


NOT_KNOWN = {
    "a choice of a repair": "forbidden(call(X)) :- deleted(X).",
    "what fills": "mine(X) :- fill(X, P, O, Path).\nforbidden(call(X)) :- mine(X).",
    "evidence": "forbidden(call(X)) :- in_tool_distance(X, T, D).",
    "a choice of one's own": "{ mine(X) } :- in_call(X).\nforbidden(call(X)) :- mine(X).",
    "a disjunction": "mine(X); yours(X) :- in_call(X).\nforbidden(call(X)) :- mine(X).",
}


@pytest.mark.slow
@pytest.mark.parametrize("text", NOT_KNOWN.values(), ids=NOT_KNOWN)
def test_what_check_cannot_know_is_refused_with_its_line(text: str, tmp_path: Path) -> None:
    with pytest.raises(EncodingError, match="forbidden") as caught:
        fixer(tmp_path, f"% Mine.\n{text}")
    assert caught.value.where.endswith("own.lp:2")


@pytest.mark.slow
def test_only_what_forbids_is_loaded_by_check(tmp_path: Path) -> None:
    """The rest may ask whatever a repair chooses."""
    rest = ':- fill(X, "note", O, P). :~ moved(X). [1@7, X] precede(X, Y) :- feeds(X, Y), X < Y, in_call(Y).'
    assert both(fixer(tmp_path, NO_PAY + rest), "Pay(order=1)")[0] == ["forbidden 0 None"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "place", ["call(7)", "call(a)", "here", "argument(0, note)", 'reference(0, "order", 3)']
)
def test_what_is_no_place_is_an_error(place: str, tmp_path: Path) -> None:
    with pytest.raises(EncodingError, match="no place of the sequence"):
        fixer(tmp_path, f"forbidden({place}) :- in_call(0).").check("Pay(order=1)")


def test_what_goes_in_circles_through_not_is_an_error(tmp_path: Path) -> None:
    rules = (
        "a(X) :- in_call(X), not b(X). b(X) :- in_call(X), not a(X). forbidden(call(X)) :- a(X)."
    )
    with pytest.raises(EncodingError, match="may hold or not"):
        fixer(tmp_path, rules).check("Pay(order=1)")


# --- the ready-made ones --------------------------------------------------------------------------

AFTER = 'only_after("Pay", "Authorise", "order").'


@pytest.mark.slow
@pytest.mark.parametrize(
    ("calls", "wrong"),
    [
        ("Authorise(order=1)\nPay(order=1)", []),
        ("Authorise(order=2)\nPay(order=1)", [1]),
        ("Pay(order=1)\nAuthorise(order=1)", [0]),
        ("Pay(order=1)", [0]),
        ("Authorise(order=1)\nPay(order=1)\nPay(order=2)", [2]),
        (FIND + 'Authorise(order="$a.geoId$")\nPay(order="$a.geoId$")', []),
        (FIND, []),
    ],
)
def test_one_tool_only_after_another_with_the_same_argument(
    calls: str, wrong: list[int], tmp_path: Path
) -> None:
    refractor = fixer(tmp_path, AFTER, "after")
    found, result = both(refractor, calls)
    assert [each for each in found if each.startswith("forbidden")] == [
        f"forbidden {n} None" for n in wrong
    ]
    if wrong:
        assert result.unresolved == tuple(wrong)
        assert "only come after" in result.violations[0].message


@pytest.mark.slow
def test_what_was_executed_before_serves(tmp_path: Path) -> None:
    refractor = fixer(tmp_path, AFTER, "after")
    assert both(refractor, "Pay(order=1)", history="x = Authorise(order=1)")[0] == []
    assert both(refractor, "Pay(order=1)", history="x = Authorise(order=2)")[0] == [
        "forbidden 0 None"
    ]


@pytest.mark.slow
def test_after_whatever_argument(tmp_path: Path) -> None:
    refractor = fixer(tmp_path, 'only_after("Pay", "Authorise").', "after")
    assert both(refractor, "Authorise(order=2)\nPay(order=1)")[0] == []
    assert both(refractor, "Pay(order=1)\nAuthorise(order=2)")[0] == ["forbidden 0 None"]


@pytest.mark.slow
def test_a_misspelt_tool_before_it_is_mended_first(tmp_path: Path) -> None:
    _, result = both(fixer(tmp_path, AFTER, "after"), "Autorise(order=1)\nPay(order=1)")
    assert [call.name for call in result.sequence.calls] == ["Authorise", "Pay"]
    assert result.verdict in ("repaired", "needs_input")


PROVENANCE = 'must_come_from_result("geoId").'


@pytest.mark.slow
def test_an_id_that_no_result_returned_is_refused(tmp_path: Path) -> None:
    refractor = fixer(tmp_path, PROVENANCE, "provenance")
    assert both(refractor, FIND + 'Stay(geoId="$a.geoId$", note="x")')[0] == []
    found, result = both(refractor, FIND + 'Stay(geoId="123")')
    assert found == ["forbidden 1 geoId"]
    assert result.violations[0].message == "no result returned this value"
    assert result.sequence.dump()[-1] == 'Stay(geoId="$a.geoId$")'


@pytest.mark.slow
def test_an_id_is_not_asked_either(tmp_path: Path) -> None:
    """What the user answers would be refused again."""
    refractor = fixer(tmp_path, PROVENANCE, "provenance")
    for calls in ('Stay(geoId="123")', "Stay()", 'Stay(geoId="x $b.geoId$")'):
        result = both(refractor, calls)[1]
        assert result.unresolved == (0,) or not any(ask.name == "geoId" for ask in result.asks)
    _, result = both(refractor, 'Stay(geoId="123")', memory={"m": {"geoId": "7"}})
    assert result.sequence.dump()[-1] == 'Stay(geoId="$m.geoId$")'


def test_a_file_of_that_name_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert house_rule_names() == ["after", "provenance"]
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
