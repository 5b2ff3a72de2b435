"""Writing a cost model with other weights."""

from pathlib import Path

import pytest

from refract_asp.costs.models import constants_in, with_weights
from refract_asp.errors import EncodingError
from refract_asp.resources import cost_model_names, cost_model_path
from refract_asp.rules.reading import load


@pytest.mark.parametrize("name", cost_model_names())
def test_only_the_numbers_change(name: str, tmp_path: Path) -> None:
    path = cost_model_path(name)
    text = path.read_text("utf-8")
    constants = load(path)[1]
    assert constants_in(text) == constants
    new = {each: value + 1 for each, value in constants.items() if each.startswith("weight_")}
    written = tmp_path / "new.lp"
    written.write_text(with_weights(text, new, "a note."), encoding="utf-8")
    assert load(written)[1] == {**constants, **new}
    back = with_weights(written.read_text("utf-8"), {each: constants[each] for each in new})
    assert back.replace("% Fitted: a note.\n", "") == text


def test_the_note_stands_below_the_licence_and_takes_the_place_of_an_older_one() -> None:
    text = "% SPDX-License-Identifier: MIT\n% words\n#const weight_a = 1. #const weight_b = 2.\n"
    first = with_weights(text, {"weight_a": 3}, "one.")
    assert first.splitlines()[:3] == ["% SPDX-License-Identifier: MIT", "% Fitted: one.", "% words"]
    second = with_weights(first, {}, "two.")
    assert second == first.replace("one.", "two.")
    bare = "#const weight_a = 1."
    assert with_weights(bare, {}, "one.") == f"% Fitted: one.\n{bare}"


def test_a_constant_that_is_not_found_is_told() -> None:
    with pytest.raises(EncodingError, match="the line that defines weight_b was not found"):
        with_weights("#const weight_a = 1.\n% #const weight_b = 2.\n", {"weight_b": 1})
