"""The real inputs: NESTFUL's gold sequences, Seal-Tools, and sequences made, joined or broken of them."""

from __future__ import annotations

import json
import os
import random
import re
from dataclasses import dataclass
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

from refract_asp import Catalog, Refractor, Sequence
from refract_asp.bench.generating import from_catalog, synthetic_catalog
from refract_asp.bench.mutations import KINDS, mutate
from refract_asp.model import Call, Reference
from refract_asp.model.sequence import replace_reference, slots_of

# The kinds that the first figures were measured with: one wrong token, whose call is still there.
SEVEN = (
    "tool_name", "label", "missing_label", "missing_reference", "parameter_name", "made_up_label",
    "made_up_field",
)  # fmt: skip
DATASETS = ("executable", "glaive")
PSEUDO_CALL = "var_result"
# Catalogs with types, enumerations and bounds, of which NESTFUL has few.
MADE = {
    "github": "mcp/github-mcp-server.tools_list.json",
    "seal": "seal_tools/tool.jsonl",
    "kubernetes": "openapi/kubeappsapi.json",
}
_OUTPUT = re.compile(r"API_call_\d+")


@dataclass(frozen=True, slots=True)
class Gold:
    """One right sequence: data set, position in it, the sequence and the tools it may use."""

    name: str
    index: int
    sequence: Sequence
    catalog: Catalog

    @property
    def key(self) -> str:
        """Name it on one word: `executable#12`."""
        return f"{self.name}#{self.index}"


def data_folder() -> Path:
    """
    Return the folder of the real inputs: `REFRACT_ASP_DATA`, or `../shared/data` beside the repository.

    Raises:
        SystemExit: it does not exist.
    """
    repository = Path(__file__).resolve().parents[1]
    folder = Path(os.environ.get("REFRACT_ASP_DATA") or repository.parent / "shared" / "data")
    if not folder.is_dir():
        what = f"The folder {folder} does not exist; set REFRACT_ASP_DATA to the real inputs."
        raise SystemExit(what)
    return folder


@cache
def catalog_of(name: str) -> Catalog:
    """Load a catalog, once: that of a data set, or one over which sequences are made."""
    return Catalog.load(data_folder() / MADE.get(name, f"nestful/{name}-spec.json"))


@cache
def refractor_of(name: str) -> Refractor:
    """Compile it, once."""
    return Refractor(catalog_of(name))


def load_gold(names: tuple[str, ...] = DATASETS, limit: int | None = None) -> list[Gold]:
    """Load the gold sequences of NESTFUL, at most `limit` of each, without the pseudo call that names results."""
    found = []
    for name in names:
        text = (data_folder() / "nestful" / f"{name}-data.json").read_text("utf-8")
        for index, sample in enumerate(json.loads(text)[:limit]):
            calls = [call for call in sample["output"] if call["name"] != PSEUDO_CALL]
            sequence = Sequence.load(calls).model_copy(update={"returns": None})
            found.append(Gold(name, index, sequence, catalog_of(name)))
    return found


def made_gold(count: int) -> list[Gold]:
    """Make so many sequences of three calls over each other catalog."""
    return [
        Gold(name, number, from_catalog(catalog_of(name), 3, number).sequence, catalog_of(name))
        for name in MADE
        for number in range(count)
    ]


def is_valid(gold: Gold) -> bool:
    """Whether `check` finds nothing wrong."""
    return refractor_of(gold.name).check(gold.sequence).verdict == "valid"


def valid_gold(names: tuple[str, ...] = DATASETS) -> list[Gold]:
    """Load the gold sequences that `check` finds valid."""
    return list(filter(is_valid, load_gold(names)))


def broken_gold(seed: int) -> list[tuple[str, Sequence]]:
    """Break every valid gold sequence once per kind of the seven, and shuffle; each with its data set."""
    found = []
    gold = valid_gold()
    random.Random(seed).shuffle(gold)
    for each in gold:
        for kind in SEVEN:
            mutation = mutate(each.sequence, each.catalog, kind, f"{seed}:{each.name}:{each.index}")
            if mutation is not None:
                found.append((each.name, mutation.broken))
    random.Random(seed).shuffle(found)
    return found


# -- Seal-Tools ------------------------------------------------------------------------


def catalog_of_size(count: int) -> Catalog:
    """Return so many tools: those of Seal-Tools as far as they go, then synthetic ones."""
    real = catalog_of("seal")
    more = max(0, count - len(real))
    made = synthetic_catalog(more + 100).tools if more else ()
    others = islice((tool for tool in made if tool.name not in real.by_name), more)
    return Catalog(tools=(*real.tools[:count], *others), name=f"tools-{count}")


def seal_sequences() -> list[tuple[str, Sequence]]:
    """Read the gold calls of `dev.jsonl`, each row a sequence with the id of the row."""
    text = (data_folder() / "seal_tools" / "dev.jsonl").read_text("utf-8")
    rows = [json.loads(line) for line in text.splitlines()]
    return [(row["id"], _sequence(row["calling"])) for row in rows]


def _sequence(calling: list[dict[str, Any]]) -> Sequence:
    """Return calls whose outputs are named `API_call_N`, one for each field, as a sequence with labels."""
    outputs: dict[str, str] = {}
    calls = []
    for number, call in enumerate(calling, 1):
        arguments = _with_references(call["parameters"], outputs)
        calls.append({"name": call["api"], "arguments": arguments, "label": f"var{number}"})
        fields = catalog_of("seal").by_name[call["api"]].output_fields
        for field, output in zip(fields, call["responses"], strict=False):
            outputs[output] = f"$var{number}.{field.path[0]}$"
    return Sequence.load(calls)


def _with_references(value: Any, outputs: dict[str, str]) -> Any:
    if isinstance(value, str):
        return _OUTPUT.sub(lambda match: outputs.get(match[0], match[0]), value)
    if isinstance(value, list):
        return [_with_references(inner, outputs) for inner in value]
    if isinstance(value, dict):
        return {key: _with_references(inner, outputs) for key, inner in value.items()}
    return value


# -- long sequences ----------------------------------------------------------------------


def renamed(call: Call, names: dict[str, str], rng: random.Random | None = None) -> dict[str, Any]:
    """Return the arguments with references under other labels; by chance half of them, if there is any."""
    arguments = {}
    for parameter, source in call.arguments.items():
        others = {
            number: slot.model_copy(update={"label": names[slot.label]})
            for number, slot in enumerate(slots_of(source), 1)
            if isinstance(slot, Reference)
            and slot.label in names
            and (rng is None or rng.random() < 0.5)
        }
        arguments[parameter] = replace_reference(source, dict(others))[0] if others else source
    return arguments


def long_sequence(gold: list[Gold], length: int, rng: random.Random) -> Sequence:
    """Join gold sequences in random order until there are `length` calls, labelled `var1` on."""
    calls: list[Call] = []
    while len(calls) < length:
        for each in rng.sample(gold, len(gold)):
            names: dict[str, str] = {}
            for call in each.sequence.calls[: length - len(calls)]:
                label = f"var{len(calls) + 1}"
                changes = {"arguments": renamed(call, names), "label": label}
                calls.append(call.model_copy(update=changes))
                if call.label is not None:
                    names[call.label] = label
    return Sequence(calls=tuple(calls))


def break_many(sequence: Sequence, catalog: Catalog, share: float, rng: random.Random) -> Sequence:
    """Break one token in each of a share of the calls, the kinds mixed."""
    left = round(share * len(sequence.calls))
    for index in rng.sample(range(len(sequence.calls)), len(sequence.calls)):
        for kind in rng.sample(SEVEN, len(SEVEN)) if left else ():
            tokens = KINDS[kind].places(sequence, catalog)
            places = [token for token in tokens if token.call == index]
            try:
                token = rng.choice(places) if places else None
                found = token and KINDS[kind].breaks(sequence, catalog, token, rng)
            except IndexError:  # there are so many that no label is left to rename to
                found = None
            if found is not None:
                sequence, left = found.broken, left - 1
                break
    return sequence
