"""`fit`: weights under which the wanted repairs are the cheapest, and what no weights can do."""

import json
import random
import re
from pathlib import Path
from typing import Any

import pytest

from refract_asp import Catalog, Refractor
from refract_asp.costs import Fit, fit
from refract_asp.costs.fit import Fitter
from refract_asp.costs.models import constants_in
from refract_asp.errors import EncodingError, InputError, LimitError
from refract_asp.formats.examples import load_examples
from refract_asp.model.comparison import same
from refract_asp.model.example import Example
from refract_asp.resources import cost_model_path, encodings_path

EXAMPLES = Path(__file__).resolve().parents[2] / "docs" / "examples" / "repairs.jsonl"
AIRPORTS = 'var1 = SkyScrapperSearchAirport(query="Oslo")\nvar2 = SkyScrapperSearchAirport(query="Porto")\n'
FLIGHT = (
    'var3 = SkyScrapperFlightSearch(originSkyId="$var1.skyId$", destinationSkyId="$var2.skyId$", '
    'originEntityId="$var1.entityId$", destinationEntityId="$var2.entityId$", date="2025-03-01")'
)
WHOLE = AIRPORTS + FLIGHT
LOST = WHOLE.replace('originEntityId="$var1.entityId$", ', "")
ASKED = f"ask(originEntityId)\n{WHOLE}".replace('"$var1.entityId$"', "originEntityId")
FILLED = {"sequence": LOST, "expected": WHOLE, "id": "filled"}
ASKING = {"sequence": LOST, "expected": ASKED, "id": "asking"}
RENAMED = {"sequence": WHOLE.replace("date=", "dte="), "expected": WHOLE, "id": "renamed"}
UNLABELLED = {"sequence": WHOLE.replace("var1 = ", ""), "expected": WHOLE, "id": "unlabelled"}


def model(tmp_path: Path, name: str = "start", **weights: int) -> Path:
    """Write the default model with other weights."""
    text = cost_model_path("default").read_text("utf-8")
    text += "".join(f"#const {each} = {value}. [override]\n" for each, value in weights.items())
    path = tmp_path / f"{name}.lp"
    path.write_text(text, encoding="utf-8")
    return path


def exact(found: Fit, catalog: Catalog, data: Any, tmp_path: Path) -> int:
    """Count the wanted repairs that the written model brings."""
    path = tmp_path / "fitted.lp"
    path.write_text(found.model, encoding="utf-8")
    refractor = Refractor(catalog, cost_model=path)
    results = [(refractor.repair(e.sequence, e.memory), e.expected) for e in load_examples(data)]
    return sum(same(result.sequence, wanted) for result, wanted in results if wanted is not None)


def answered(refractor: Refractor) -> list[Example]:
    """Return the examples, with what somebody answers as what is wanted."""
    every = list(load_examples(EXAMPLES))
    answers = [refractor.repair(each.sequence, each.memory).sequence for each in every]
    pairs = zip(every, answers, strict=True)
    return [each.model_copy(update={"expected": answer}) for each, answer in pairs]


# -- what is found -------------------------------------------------------------


def test_what_was_right_stays_right(catalog: Catalog, tmp_path: Path) -> None:
    """The cheapest change would spoil the other examples, so more is changed."""
    start = model(tmp_path, weight_fill=60, weight_rename_parameter=90)
    data = [FILLED, RENAMED, UNLABELLED, {"sequence": WHOLE.replace(', date="2025-03-01"', "")}]
    found = fit(data, catalog, start)
    assert (found.before.exact, found.after.exact, found.without) == (1, 3, 1)
    assert exact(found, catalog, data, tmp_path) == 3


@pytest.mark.parametrize("start", ["default", "refraction"])
def test_a_model_that_is_right_stays_as_it_is(start: str, catalog: Catalog) -> None:
    made = Refractor(catalog, cost_model=start)
    found = fit(answered(made), catalog, start)
    assert (found.changed, found.rounds, found.is_satisfied) == ({}, 1, True)
    lines = found.model.splitlines(keepends=True)
    same_lines = [line for line in lines if not line.startswith("% Fitted: ")]
    assert "".join(same_lines) == cost_model_path(start).read_text("utf-8")


def test_another_model_learns_the_examples(catalog: Catalog, tmp_path: Path) -> None:
    found = fit(EXAMPLES, catalog, "refraction")
    assert (found.before.exact, found.after.exact) == (4, 10)
    assert exact(found, catalog, EXAMPLES, tmp_path) == 10
    assert str(EXAMPLES.parent) not in found.model
    assert re.search("refraction.* 10 examples", found.model.splitlines()[1])
    again = fit(EXAMPLES, catalog, tmp_path / "fitted.lp")
    assert (again.changed, again.before.exact) == ({}, 10)
    assert again.start == "fitted"


def test_weights_that_were_hidden_are_found(catalog: Catalog, tmp_path: Path) -> None:
    """The examples are what a model with random weights answers, so some weights do for all of them."""
    rng = random.Random(2)
    known = constants_in((encodings_path() / "costs/weights.lp").read_text("utf-8"))
    weighty = {n: v for n, v in known.items() if n.startswith("weight_") and v not in (1, 2, 2000)}
    hidden = Refractor(catalog, constants={name: rng.randint(1, 60) for name in weighty})
    own = answered(hidden)
    found = fit(own, catalog)
    assert found.before.exact < 10
    assert (found.after.exact, found.stopped, found.is_satisfied) == (10, "satisfied", True)
    assert exact(found, catalog, own, tmp_path) == 10


# -- what cannot be had --------------------------------------------------------


def test_examples_that_contradict_each_other_are_told(catalog: Catalog) -> None:
    found = fit([RENAMED, FILLED, ASKING], catalog)
    assert (found.before.exact, found.after.exact, found.is_satisfied) == (2, 2, False)
    assert found.is_at_ceiling
    (conflict,) = found.conflicts
    assert not conflict.separable  # one asks for what the other one fills
    assert set(conflict.examples) == {"filled", "asking"}
    assert not found.unexplained


NYC = WHOLE.replace("$var1.entityId$", "NYC")
FOUR = f'{WHOLE}\nvar4 = SkyScrapperSearchAirport(query="Bergen")'
NO_FOURTH = "no rule makes call 4 of the wanted sequence, SkyScrapperSearchAirport"
NOT_OFFERED = [
    (LOST, NYC, 'no rule offers "NYC" as originEntityId of call 3'),
    (RENAMED["sequence"], FOUR, NO_FOURTH),
    (WHOLE, ASKED, "nothing is wrong with the sequence, so it stays as it is"),
    (LOST, LOST.replace("var1.", "var7."), "the wanted sequence is wrong itself: "),
]


@pytest.mark.parametrize("case", NOT_OFFERED)
def test_what_no_rule_offers_is_told(case: tuple[str, str, str], catalog: Catalog) -> None:
    sequence, expected, reason = case
    found = fit([{"sequence": sequence, "expected": expected, "id": "x"}, RENAMED], catalog)
    assert (found.after.exact, found.changed, found.stopped) == (1, {}, "satisfied")
    (unreachable,) = found.unreachable
    assert unreachable.name == "x"
    assert unreachable.reason.startswith(reason)
    assert not found.conflicts


def test_what_is_never_the_cheapest_is_a_conflict_of_its_own(catalog: Catalog) -> None:
    """The wanted repair reads the worse of two outputs of the same call, which nothing makes cheaper."""
    wanted = WHOLE.replace('originEntityId="$var1.entityId$"', 'originEntityId="$var1.skyId$"')
    found = fit([{"sequence": LOST, "expected": wanted, "id": "worse"}], catalog)
    assert not found.unreachable
    (conflict,) = found.conflicts
    assert conflict.examples == ("worse",)


# -- bounds and options --------------------------------------------------------


def test_rounds_are_bounded(catalog: Catalog) -> None:
    one = fit(EXAMPLES, catalog, "refraction", rounds=1)
    assert (one.rounds, one.stopped, one.changed, one.after) == (1, "rounds", {}, one.before)
    assert one.unexplained
    assert Fit.model_validate(json.loads(json.dumps(one.model_dump(mode="json")))) == one
    with pytest.raises(InputError, match="0 rounds are too few"):
        fit([FILLED], catalog, rounds=0)


def test_what_cannot_be_fitted_to_is_told_with_its_place(catalog: Catalog) -> None:
    with pytest.raises(InputError, match=r"\[0\]: it has goals"):
        fit([{**FILLED, "goals": ["x"]}], catalog)
    with pytest.raises(InputError, match=r"\[0\]: there is no catalog for it"):
        fit([FILLED])
    long = "\n".join(f'SkyScrapperSearchAirport(qury="{n}")' for n in range(501))
    data = [{"sequence": long, "expected": long}, FILLED]
    with pytest.raises(LimitError, match=r"\[0\]: 501 calls are too many"):
        fit(data, catalog)
    found = fit([*data, {"sequence": 5}, {"sequence": LOST}], catalog, keep_going=True)
    assert (found.skipped, found.without, found.after.examples, found.after.exact) == (2, 1, 1, 1)
    assert any("501 calls" in each for each in found.mistakes)


def test_a_model_that_cannot_be_fitted(catalog: Catalog, tmp_path: Path) -> None:
    for more, message in (
        ("level(ask, 3).", r"on several levels \(3, 2\)"),
        ("criterion(ask, priority_edits, 7).", "more than one criterion for ask"),
    ):
        path = model(tmp_path)
        path.write_text(path.read_text("utf-8") + more, encoding="utf-8")
        with pytest.raises(EncodingError, match=message):
            Fitter(path, catalog)


def test_a_weight_that_is_no_constant_of_its_own_stays(catalog: Catalog, tmp_path: Path) -> None:
    path = model(tmp_path)
    text = path.read_text("utf-8") + "criterion_off(fill). criterion(fill, priority_edits, 60).\n"
    text += "may_delete(unknown_tool) :- weight_ask > 99999.\n"
    path.write_text(text, encoding="utf-8")
    found = fit([FILLED], catalog, path)
    assert found.fixed == ("ask", "fill")
    assert not found.weights.keys() & {"weight_fill", "weight_ask"}
    assert (found.after.exact, len(found.conflicts)) == (0, 1)
    free = fit([FILLED], catalog, model(tmp_path, "free", weight_fill=60, weight_distance=0))
    assert free.after.exact == 1


def test_weak_constraints_of_ones_own_count(catalog: Catalog, tmp_path: Path) -> None:
    path = model(tmp_path)
    rule = ':~ fill(X, "originEntityId", Origin, Path), Origin != ask. [50 @ priority_edits, house, X]\n'
    path.write_text(path.read_text("utf-8") + rule, encoding="utf-8")
    found = fit([FILLED], catalog, path)
    assert (found.before.exact, found.after.exact) == (0, 1)
    assert exact(found, catalog, [FILLED], tmp_path) == 1
    text = path.read_text("utf-8").replace("priority_edits, house", "3, house")
    path.write_text(text, encoding="utf-8")
    above = fit([FILLED], catalog, path)
    assert (above.after.exact, above.changed, len(above.conflicts)) == (0, {}, 1)


@pytest.mark.data
def test_real_sequences(data_dir: Path) -> None:
    """Some rows of the generated errors: the model that is made for them has nothing to learn."""
    nestful = data_dir / "nestful"
    lines = (nestful / "generated_errors.jsonl").read_text("utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    some = [row for row in rows[40:140:12] if row["source"] == "executable"]
    data = [{"sequence": row["broken"], "expected": row["gold"]} for row in some]
    catalog = Catalog.load(nestful / "executable-spec.json")
    default, other = (fit(data, catalog, start) for start in ("default", "refraction"))
    assert len(data) >= 5
    assert default.after.exact == default.before.exact
    assert other.before.exact < other.after.exact <= default.after.exact
