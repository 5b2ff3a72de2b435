"""
Load Seal-Tools, check its gold calls, and list those that are flagged, with what a repair makes of them.

    python benchmarks/seal_gold.py [--json FILE]

Exits with 1 when loading takes too long, or when a call is flagged whose value does fit its schema.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from dataclasses import asdict, dataclass

from jsonschema import Draft202012Validator

from refract_asp import Refractor, Report, Sequence
from refract_asp.model import Constant, Violation
from refract_asp.model.schemas import is_compatible, json_types
from seal_data import seal_catalog, seal_sequences
from tables import options_of, table, write_json

LOAD_SECONDS = 3.0
WORDS = {"str": "string", "int": "integer", "float": "number", "bool": "boolean", "list": "array"}


@dataclass(frozen=True, slots=True)
class Flagged:
    """A gold call that breaks its own specification: the row, what is wrong, and what is made of it."""

    row: str
    code: str
    message: str
    repaired: str


def breaks_specification(sequence: Sequence, violation: Violation) -> bool:
    """Whether what a violation says is so, judged from the type that the tool itself names."""
    call = sequence.calls[violation.call]
    parameter = seal_catalog().by_name[call.name].parameters[violation.parameter or ""]
    word = parameter.json_schema["type"]
    source = call.arguments[parameter.name]
    if isinstance(source, Constant):
        return not Draft202012Validator({"type": WORDS.get(word, word)}).is_valid(source.value)
    if violation.code != "type_mismatch" or source.kind != "reference":
        return False
    producer = next(each for each in sequence.calls if each.label == source.label)
    given = seal_catalog().by_name[producer.name].types_at(source.path)
    return not is_compatible(given, json_types(word))


def told(refractor: Refractor, row: str, sequence: Sequence, report: Report) -> list[Flagged]:
    """Return what is flagged in a sequence, with the verdict of its repair."""
    verdict = refractor.repair(sequence).verdict
    return [Flagged(row, each.code, each.message, verdict) for each in report.violations]


def main() -> int:
    """Run from the command line."""
    options = options_of(__doc__).parse_args()
    start = time.perf_counter()
    catalog = seal_catalog()
    loading = time.perf_counter() - start
    refractor = Refractor(catalog)

    flagged: list[Flagged] = []
    wrongly = 0
    calls = 0
    verdicts: Counter[str] = Counter()
    for row, sequence in seal_sequences():
        report = refractor.check(sequence)
        verdicts[report.verdict] += 1
        calls += len(sequence.calls)
        if report.violations:
            flagged += told(refractor, row, sequence, report)
            wrongly += sum(not breaks_specification(sequence, each) for each in report.violations)
    print(table(("row", "what", "repair"), [[f.row, f.message[:100], f.repaired] for f in flagged]))
    broken = len({(each.row, each.message) for each in flagged})
    print(f"\n{len(catalog)} tools loaded in {loading:.2f} s (must be under {LOAD_SECONDS:.0f} s)")
    print(f"{sum(verdicts.values())} sequences, {calls} calls: {dict(verdicts)}")
    print(f"{broken} arguments are flagged, {wrongly} of them wrongly (must be none)")
    write_json(options.json, [asdict(each) for each in flagged])
    return int(wrongly > 0 or loading > LOAD_SECONDS)


if __name__ == "__main__":
    sys.exit(main())
