"""A repair never means silently something else than what was written."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from refract_asp import Refractor, RepairResult
from yaml_files import read_yaml, tables

TABLES = tables(__file__)

BANK = read_yaml(Path(__file__).with_name("cases").joinpath("intention.yaml"))["catalog"]
REFRACTOR = Refractor(BANK)
LISTED = 'a = list_payments(account_id="A-1")\n'


def reasons(result: RepairResult) -> str:
    """Return why something has to be confirmed; nothing that is proposed is executable before."""
    assert result.verdict == "needs_input"
    assert not result.is_executable
    return " | ".join(confirm.reason for confirm in result.confirms)


@pytest.mark.slow
def test_defensive_opens_what_is_risky_and_what_is_new() -> None:
    defensive = Refractor(BANK, defensive=True)
    misspelt = 'revok_payment(payment_id="P")'
    for call in (misspelt, 'freeze_card(card_id="K")', LISTED + "revoke_payment()"):
        results = (each.repair(call) for each in (REFRACTOR, defensive))
        risky, both = ({(e.call, e.confirm) for e in result.confirms} for result in results)
        assert risky <= both != set()
    new = 'a = get_account(account_id="A")\nlist_payments()'
    verdicts = [each.repair(new).verdict for each in (REFRACTOR, defensive)]
    assert verdicts == ["repaired", "needs_input"]


PAYMENTS = {"name": "list_payments", "arguments": {"account_id": "A"}, "label": "a"}


@pytest.mark.parametrize(("written", "meant"), TABLES["a reference that cannot be read"])
@pytest.mark.parametrize("form", ["pretty", "nestful"])
def test_a_reference_that_cannot_be_read_is_wrong(written: str, meant: int, form: str) -> None:
    given: Any = [PAYMENTS, {"name": "get_payment", "arguments": {"payment_id": written}}]
    if form == "pretty":
        get = f"get_payment(payment_id={json.dumps(written)})"
        given = f'a = list_payments(account_id="A")\n{get}'
    report = REFRACTOR.check(given)
    assert [violation.code for violation in report.violations] == ["malformed_reference"]
    path = f"$a.payments[{meant}].payment_id$"
    assert path in str(report.diagnostics()[0])
    result = REFRACTOR.repair(given)
    assert "not a reference" in reasons(result)
    assert f'"{path}"' in str(result.sequence)
    assert REFRACTOR.check(result.answer(confirmed=True)).verdict == "valid"
    assert result.given.dump("nestful")[1]["arguments"] == {"payment_id": written}


@pytest.mark.parametrize("text", TABLES["text is no broken reference"])
def test_text_is_no_broken_reference(text: str) -> None:
    calls = [PAYMENTS, {"name": "search_branches", "arguments": {"text": text}}]
    codes = {violation.code for violation in REFRACTOR.check(calls).violations}
    assert "malformed_reference" not in codes


def test_a_malformed_reference_inside_a_value_and_in_what_is_returned() -> None:
    calls = [
        PAYMENTS,
        {"name": "pay", "arguments": {"to": {"account": "$a.payments[-1].payee$"}}, "label": "b"},
        {"name": "var_result", "arguments": {"last": "$a.payments[last].payee$"}},
    ]
    report = REFRACTOR.check(calls)
    assert [violation.code for violation in report.violations] == ["malformed_reference"] * 2
    assert not REFRACTOR.repair(calls).is_executable


@pytest.mark.data
def test_mistakes_as_models_make_them(data_dir: Path) -> None:
    """At most 5 of the cases come out silently as something else, and no fewer are as wanted than before."""
    script = data_dir / "judgement/score.py"
    found = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False)
    *_, total = found.stdout.splitlines()
    name, cases, wanted, asking, *_, silent = total.split()
    assert (name, cases) == ("all", "229"), found.stderr
    assert int(wanted) + int(asking) >= 154
    assert int(silent) <= 5
