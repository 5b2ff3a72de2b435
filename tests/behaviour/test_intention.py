"""A repair never means silently something else than what was written."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from refract_asp import Refractor, RepairResult


def parameters(**types: str) -> dict[str, Any]:
    """Return parameters by their types; an exclamation mark stands behind those that are required."""
    return {
        name: {"type": kind.rstrip("!"), "required": kind.endswith("!")}
        for name, kind in types.items()
    }


def tool(name: str, effect: str, takes: dict[str, Any], **returns: Any) -> dict[str, Any]:
    return {"name": name, "effect": effect, "parameters": takes, "returns": returns}


TEXT = {"type": "string"}
PAYMENTS = {
    "type": "array",
    "items": {"type": "object", "properties": {"payment_id": TEXT, "payee": TEXT}},
}
PAYEE = {
    "type": "object",
    "additionalProperties": False,
    "properties": {"account": TEXT, "bank_code": TEXT},
    "required": ["account"],
}
BANK = {
    "tools": [
        tool("get_account", "read", parameters(account_id="string!"), account_id=TEXT, owner=TEXT, iban=TEXT),
        tool("list_payments", "read", parameters(account_id="string!", limit="integer", category="string"),
             payments=PAYMENTS),
        tool("get_payment", "read", parameters(payment_id="string!"), payment_id=TEXT, payee=TEXT),
        tool("make_payment", "write",
             parameters(from_account="string!", to_account="string!", amount="number!", reference="string")),
        tool("revoke_payment", "destructive", parameters(payment_id="string!", reason="string"), status=TEXT),
        tool("lock_card", "write", parameters(card_id="string!")),
        tool("search_branches", "read", parameters(text="string!", max_results="integer", city="string")),
        tool("pay", "read", {"to": {"required": True, "schema": PAYEE}}),
    ]
}  # fmt: skip
ACCOUNT = 'a = get_account(account_id="A-1")\n'
LISTED = 'a = list_payments(account_id="A-1")\n'


@pytest.fixture(scope="module")
def bank() -> Refractor:
    return Refractor(BANK)


def reasons(result: RepairResult) -> str:
    """Return why something has to be confirmed; nothing that is proposed is executable before."""
    assert result.verdict == "needs_input"
    assert not result.is_executable
    return " | ".join(confirm.reason for confirm in result.confirms)


@pytest.mark.parametrize(
    ("call", "tool", "reason"),
    [
        ('approve_payment(payment_id="P")', "revoke_payment", "says something else"),
        ('refund_payment(payment_id="P")', "get_payment", "reads, changes or destroys"),
        ('unlock_card(card_id="K")', "lock_card", "undoes or excludes"),
        (
            'rebook_branches(text="Graz")',
            "search_branches",
            "reads, changes or destroys|says something else",
        ),
    ],
)
def test_another_verb_is_confirmed(call: str, tool: str, reason: str, bank: Refractor) -> None:
    result = bank.repair(call)
    if result.verdict != "unrepairable":
        told = reasons(result)
        if result.sequence.calls[0].name == tool:
            assert any(each in told for each in reason.split("|")), told


@pytest.mark.parametrize(
    ("call", "repaired"),
    [
        ('fetch_account(account_id="A")', 'get_account(account_id="A")'),
        ('getAccountInfo(account_id="A")', 'get_account(account_id="A")'),
        ('find_branches(query="Graz", limit=3)', 'search_branches(text="Graz", max_results=3)'),
        ('serch_branch(txt="Graz")', 'search_branches(text="Graz")'),
        ('list_payments(accountId="A", max=5)', 'list_payments(account_id="A", limit=5)'),
        (LISTED + 'get_payment(payment_id="$a.payments[0].id$")',
         LISTED + 'get_payment(payment_id="$a.payments[0].payment_id$")'),
    ],
)  # fmt: skip
def test_what_clearly_means_the_same_is_not(call: str, repaired: str, bank: Refractor) -> None:
    result = bank.repair(call)
    assert (result.verdict, str(result.sequence)) == ("repaired", repaired)


@pytest.mark.parametrize(
    "call",
    [
        'revoke_payment(id="P-1")',
        'revoke_payment(payment_id="P-1", importance="high")',
        LISTED + "revoke_payment()",
        LISTED + 'revoke_payment(payment_id="$a.payments[0].paymentId$")',
        LISTED + 'revoke_payment(payment_id="$b.payments[0].payment_id$")',
    ],
)
def test_whatever_changes_in_a_destructive_call_is_confirmed(call: str, bank: Refractor) -> None:
    assert reasons(bank.repair(call))


def test_an_unknown_effect_is_told_by_the_name() -> None:
    catalog = {"tools": [{**each, "effect": "unknown"} for each in BANK["tools"]]}
    result = Refractor(catalog).repair(LISTED + "revoke_payment()")
    assert "destroy" in reasons(result)


@pytest.mark.parametrize(
    "call",
    [
        'list_payments(account_id="A", importance="high")',
        'search_branches(text="Graz", reference="R-7")',
        ACCOUNT + 'search_branches(text="$a.tax_number$")',
        ACCOUNT + 'make_payment(from_account="X", to_account="$a.bic$", amount=3)',
        'pay(to={"nickname": "bob"})',
    ],
)
def test_a_value_for_which_no_name_speaks_is_confirmed(call: str, bank: Refractor) -> None:
    result = bank.repair(call)
    assert result.verdict != "valid"
    if result.verdict == "repaired":  # then the value is left out of a call that only reads
        assert {edit.kind for edit in result.edits} == {"drop_argument"}


def test_a_key_that_means_the_same_moves_silently(bank: Refractor) -> None:
    result = bank.repair('pay(to={"accont": "AT61"})')
    assert (result.verdict, str(result.sequence)) == ("repaired", 'pay(to={"account": "AT61"})')


@pytest.mark.slow
def test_defensive_opens_what_is_risky_and_what_is_new(bank: Refractor) -> None:
    defensive = Refractor(BANK, defensive=True)
    for call in (
        'revok_payment(payment_id="P")',
        'unlock_card(card_id="K")',
        LISTED + "revoke_payment()",
    ):
        risky, both = bank.repair(call), defensive.repair(call)
        assert {(each.call, each.confirm) for each in risky.confirms} <= {
            (each.call, each.confirm) for each in both.confirms
        }
        assert both.verdict == "needs_input"
    new = 'a = get_account(account_id="A")\nlist_payments()'
    assert bank.repair(new).verdict == "repaired"
    assert defensive.repair(new).verdict == "needs_input"


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("$a.payments[-1].payment_id$", "$a.payments[0].payment_id$"),
        ("$a.payments[*].payment_id$", "$a.payments[0].payment_id$"),
        ("$a.payments[first].payment_id$", "$a.payments[0].payment_id$"),
        ("$a.payments[].payment_id$", "$a.payments[0].payment_id$"),
        ("$a.payments[1:3].payment_id$", "$a.payments[1].payment_id$"),
        ('$a.payments[0]["payment_id"]$', "$a.payments[0].payment_id$"),
        ("{{steps.a.payments[0].payment_id}}", "$a.payments[0].payment_id$"),
        ("{{ steps.a.output.payments[0].payment_id }}", "$a.payments[0].payment_id$"),
        ("a.payments[0].payment_id", "$a.payments[0].payment_id$"),
        ("<a.payments[0].payment_id>", "$a.payments[0].payment_id$"),
        ("{a.payments[0].payment_id}", "$a.payments[0].payment_id$"),
    ],
)
@pytest.mark.parametrize("form", ["pretty", "nestful"])
def test_a_reference_that_cannot_be_read_is_wrong(
    written: str, meant: str, form: str, bank: Refractor
) -> None:
    given: Any = [
        {"name": "list_payments", "arguments": {"account_id": "A"}, "label": "a"},
        {"name": "get_payment", "arguments": {"payment_id": written}, "label": "b"},
    ]
    if form == "pretty":
        given = (
            f'a = list_payments(account_id="A")\nb = get_payment(payment_id={json.dumps(written)})'
        )
    report = bank.check(given)
    assert [violation.code for violation in report.violations] == ["malformed_reference"]
    assert meant in str(report.diagnostics()[0])
    result = bank.repair(given)
    assert "not a reference" in reasons(result)
    assert f'"{meant}"' in str(result.sequence)
    assert bank.check(result.answer(confirmed=True)).verdict == "valid"
    assert result.given.dump("nestful")[1]["arguments"] == {"payment_id": written}


@pytest.mark.parametrize(
    "text",
    [
        "report.pdf", "a.b", "a.payments.pdf", "$5.00 - $6.00$", "$a", "costs $a.payments[-1]$ or so", "a",
        "^a[0-9]+$", "{name}", "<b>bold</b>", "{{first_name}}",
        "https://a.example/x[1]", "$z.b[x$", "u@a.org",
    ],
)  # fmt: skip
def test_text_is_no_broken_reference(text: str, bank: Refractor) -> None:
    calls = [
        {"name": "list_payments", "arguments": {"account_id": "A"}, "label": "a"},
        {"name": "search_branches", "arguments": {"text": text}, "label": "b"},
    ]
    codes = {violation.code for violation in bank.check(calls).violations}
    assert "malformed_reference" not in codes


def test_a_malformed_reference_inside_a_value_and_in_what_is_returned(bank: Refractor) -> None:
    calls = [
        {"name": "list_payments", "arguments": {"account_id": "A"}, "label": "a"},
        {"name": "pay", "arguments": {"to": {"account": "$a.payments[-1].payee$"}}, "label": "b"},
        {"name": "var_result", "arguments": {"last": "$a.payments[last].payee$"}},
    ]
    report = bank.check(calls)
    assert [violation.code for violation in report.violations] == ["malformed_reference"] * 2
    assert not bank.repair(calls).is_executable


@pytest.mark.data
def test_mistakes_as_models_make_them(data_dir: Path) -> None:
    """At most 5 of the cases come out silently as something else, and no fewer are as wanted than before."""
    script = data_dir / "judgement/score.py"
    found = subprocess.run(
        [sys.executable, script], capture_output=True, text=True, check=False, env=os.environ
    )
    *_, total = found.stdout.splitlines()
    name, cases, wanted, asking, *_, silent = total.split()
    assert (name, cases) == ("all", "229"), found.stderr
    assert int(wanted) + int(asking) >= 154
    assert int(silent) <= 5
