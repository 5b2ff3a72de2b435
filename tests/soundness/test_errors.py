"""Nothing but the documented errors comes out of a public function; `make soak` tries 2,000 inputs of each."""

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.hostile.test_bad_input import HOSTILE

from refract_asp import Catalog, RefractError, Refractor, Sequence, check, compress, repair
from refract_asp.errors import shown
from refract_asp.options import RepairOptions

from .test_soundness import SOAK

CATALOG = Catalog.load("travel")
CALL = 'var1 = SkyScrapperSearchAirprt(query="x", limit="$lost.id$")'
RESULT = repair("TripadvisorSearchHotels()", CATALOG)
KEYS = """
name arguments label tools parameters type properties items enum required $ref schema returns function input
role content calls source target weight tool field before after function_call tool_calls default const pattern
effect anyOf asks confirms inputSchema output_schema id
"""
ODD = [None, True, -1, 0, 0.5, float("nan"), float("inf"), 10**5000, b"x", {1}, object(), Path("\0"), Path("/"),
       range(3), len, "", "\ud800", "$var1.id$", "Search(", "[" * 500, "{", "a = b()", "ask(x)"]  # fmt: skip
ODD += [*HOSTILE.values()][:40]
INVOKED: dict[str, Callable[[Any], Any]] = {
    "Catalog.load": Catalog.load,
    "Sequence.load": Sequence.load,
    "format": lambda given: Sequence.load(CALL, given),
    "dump": lambda given: Sequence.load(CALL).dump(given),
    "check": lambda given: check(given, CATALOG),
    "repair": lambda given: repair(given, CATALOG),
    "compress": lambda given: compress(given, CATALOG),
    "catalog": lambda given: repair("A()", given),
    "memory": lambda given: check(CALL, CATALOG, memory=given),
    "history": lambda given: check(CALL, CATALOG, history=given),
    "goals": lambda given: check(CALL, CATALOG, goals=given),
    "facts": lambda given: Refractor(CATALOG).facts(given),
    "answer": RESULT.answer,
    "confirmed": lambda given: RESULT.answer(confirmed=given),
    "why_not": RESULT.why_not,
    "prompt": RESULT.prompt,
    **{
        name: lambda given, name=name: Refractor(CATALOG, **{name: given})
        for name in RepairOptions.__dataclass_fields__
    },
}


def made(rng: random.Random, depth: int = 3) -> Any:
    """Make up a value: what nobody should pass, or data with words that mean something here."""
    if depth == 0 or rng.random() < 0.4:
        return rng.choice([*ODD, *KEYS.split()])
    if rng.random() < 0.4:
        return [made(rng, depth - 1) for _ in range(rng.randint(0, 3))]
    return {rng.choice(KEYS.split()): made(rng, depth - 1) for _ in range(rng.randint(0, 4))}


@pytest.mark.parametrize("name", INVOKED)
def test_nothing_else_is_raised(name: str) -> None:
    rng = random.Random(name)
    for _ in range(2_000 if SOAK else 40):
        given = made(rng)
        raised: Exception | None = None
        try:
            INVOKED[name](given)
        except Exception as error:
            raised = error
        assert raised is None or isinstance(raised, RefractError), (raised, shown(given))
