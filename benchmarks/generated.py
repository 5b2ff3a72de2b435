"""
How many of the 400 sequences with a generated error are detected, and repaired to the given gold.

    python benchmarks/generated.py [--misses [KIND]] [--json FILE]

Exits with 1 when a figure of the contract is missed.
"""

from __future__ import annotations

import json
import random
import sys
from collections import Counter
from dataclasses import dataclass, replace

from inputs import catalog_of, data_folder, refractor_of
from measuring import Figure, finished, options_of, percent, table
from refract_asp import Sequence
from refract_asp.bench.mutations import KINDS, Mutation
from refract_asp.bench.mutations.mutation import Token, with_ask
from refract_asp.evaluation import Case, RunRow, misses_of
from refract_asp.model import Constant, RepairResult, Violation
from restore import answered, score

INDUCED = (
    "missing_parameter", "made_up_parameter", "made_up_assignment", "missing_call", "bad_repeat",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Row:
    """
    One broken sequence.

    Attributes:
        key: its data set, kind of error, and line in the file, from 0.
        source: the data set whose tools it uses.
        induced: the kind of error that the generator made.
        mutation: what was broken, found by comparing broken and gold.
        flaws: what `check` finds in the gold.
        mended: whether the calls of the gold are not admissible, and its repair is what is wanted.
    """

    key: str
    source: str
    induced: str
    mutation: Mutation
    flaws: tuple[Violation, ...]
    mended: bool


def load_rows() -> list[Row]:
    """Load the rows in the order of the file, with `var_result` as what they return."""
    text = (data_folder() / "nestful" / "generated_errors.jsonl").read_text("utf-8")
    return [_row(index, json.loads(line)) for index, line in enumerate(text.splitlines())]


def _row(index: int, data: dict[str, str]) -> Row:
    source, induced = data["source"], data["induced"]
    broken, gold = Sequence.load(data["broken"]), Sequence.load(data["gold"])
    flaws = refractor_of(source).check(gold).violations
    if any(
        violation.call == len(gold.calls) for violation in flaws
    ):  # what the gold returns is wrong
        broken, gold = (each.model_copy(update={"returns": None}) for each in (broken, gold))
    mutation = _mutation(broken, gold, source, induced)
    mended = any(violation.call != len(gold.calls) for violation in flaws)
    if mended:
        mutation = _mended(mutation, refractor_of(source).repair(gold))
    return Row(f"{source}/{induced}#{index}", source, induced, mutation, flaws, mended)


def _mended(mutation: Mutation, gold: RepairResult) -> Mutation:
    """Return the mutation with the repair of the gold as what is wanted, since no repair can be the gold."""
    token = mutation.token._replace(call=gold.origins.index(mutation.token.call))
    expected = with_ask(gold.sequence, token) if mutation.kind == "lost_constant" else gold.sequence
    open = tuple(each._replace(call=gold.origins.index(each.call)) for each in mutation.open)
    return replace(mutation, expected=expected, token=token, open=open)


def _mutation(broken: Sequence, gold: Sequence, source: str, induced: str) -> Mutation:
    """Find what was broken."""
    if len(broken.calls) < len(gold.calls):
        (label,) = {call.label for call in gold.calls} - {call.label for call in broken.calls}
        index = next(n for n, call in enumerate(gold.calls) if call.label == label)
        # What is left to tell it by is not only a field: the name under which it is returned, a gap.
        lost = _broken_as("missing_step", gold, source, Token(index))
        return replace(lost, broken=broken, informed=True)
    pairs = zip(broken.calls, gold.calls, strict=False)
    index = next(n for n, (a, b) in enumerate(pairs) if a != b)
    if len(broken.calls) > len(gold.calls):
        return Mutation(induced, broken, gold, Token(index), f"call {index + 1} is there twice")
    given, right = broken.calls[index].arguments, gold.calls[index].arguments
    token = Token(index, next(p for p, source_ in right.items() if given.get(p) != source_))
    if token.parameter in given or given.keys() - right.keys():
        return Mutation(induced, broken, gold, token, f"call {index + 1} is another one")
    if isinstance(right[token.parameter or ""], Constant):
        return replace(_broken_as("lost_constant", gold, source, token), broken=broken)
    # The gold is what is wanted, though several calls may give the field.
    lost = _broken_as("missing_reference", gold, source, token)
    return replace(lost, broken=broken, expected=gold)


def _broken_as(kind: str, gold: Sequence, source: str, token: Token) -> Mutation:
    """Return the mutation that loses what stands at the token; there is nothing to choose."""
    mutation = KINDS[kind].breaks(gold, catalog_of(source), token, random.Random(0))
    assert mutation is not None, f"{kind} is impossible at {token}"
    return mutation


def is_detected(row: Row) -> bool:
    """Whether `check` finds what it does not find in the gold, wherever the call stands."""

    def said(violations: tuple[Violation, ...]) -> Counter[tuple[str | None, ...]]:
        return Counter((v.code, v.tool, v.parameter, v.given) for v in violations)

    report = refractor_of(row.source).check(row.mutation.broken)
    return report.verdict != "valid" and bool(said(report.violations) - said(row.flaws))


def how(row: RunRow) -> str:
    """Say how a row was restored; "asked" where the gold came back with asks for what is lost of it."""
    found = score(row)
    if found.restored:
        return "asked" if found.asks > row.asks else "exact"
    return "alternative" if found.near else "(confirmed)" if found.confirmed else ""


HOWS = ("exact", "alternative", "asked", "(confirmed)")
HEAD = ("kind", "n", "detected", "restored", "of all", *HOWS, "sound gold", "unasked", "unsound")


def line(name: str, found: list[tuple[Row, RunRow]]) -> list[object]:
    """Return the cells of a table's line, as `HEAD` names them; the unasked are misses called repaired."""
    hows = Counter(how(answer) for _, answer in found)
    sound = [how(answer) in HOWS[:3] for row, answer in found if not row.mended]
    good = len(found) - hows[""] - hows["(confirmed)"]
    unasked = sum(not how(answer) and score(answer).verdict == "repaired" for _, answer in found)
    detected, unsound = (
        sum(is_detected(row) for row, _ in found),
        sum(not score(a).sound for _, a in found),
    )
    counts = [hows[each] for each in HOWS]
    shares = [good, percent(good, len(found)), *counts, f"{sum(sound)}/{len(sound)}"]
    return [name, len(found), detected, *shares, unasked, unsound]


def main() -> int:
    parser = options_of(__doc__, jobs=2)
    parser.add_argument("--misses", nargs="?", const="all", metavar="KIND", help="print every miss")
    options = parser.parse_args()
    rows = load_rows()
    cases = [Case.of(row.mutation, catalog_of(row.source), row.key) for row in rows]
    told = answered(cases, options.jobs)
    found = list(zip(rows, told.rows, strict=True))
    induced = {row.key: row.induced for row in rows}
    for miss in misses_of(told, "refract"):
        if options.misses in ("all", induced[miss.id]):
            lines = [f"{sign} {text}" for part in (miss.answer, miss.wanted) for sign, text in part]
            print("\n".join([f"== {miss.id}: {miss.said}", *lines]), end="\n\n")
    lines = [line(kind, [each for each in found if each[0].induced == kind]) for kind in INDUCED]
    together = line("together", found)
    print(table(HEAD, [*lines, together]))
    flagged = [row.key for row in rows if row.flaws]
    print(f"\ngold flagged by check ({len(flagged)}): {', '.join(flagged) or 'none'}")
    print(f"compared with the repair of the gold: {sum(row.mended for row in rows)}")
    n, detected, restored, unsound = len(rows), *(int(str(together[k])) for k in (2, 3, -1))
    figures = [
        Figure("detected", detected, "==", n, f"{detected} of {n}"),
        Figure("restored", restored / n, ">=", 0.9, f"{percent(restored, n)} ({restored} of {n})"),
        Figure("called repaired, flagged by check", unsound, "==", 0, str(unsound)),
    ]
    misses = [answer.model_dump() for answer in told.rows if how(answer) not in HOWS[:3]]
    return finished(options.json, figures, rows=[*lines, together], misses=misses)


if __name__ == "__main__":
    sys.exit(main())
