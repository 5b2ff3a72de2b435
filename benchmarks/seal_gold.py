"""
Load Seal-Tools, check its gold calls, and list those that are flagged, with what a repair makes of them.

    python benchmarks/seal_gold.py [--json FILE]

Exits with 1 when loading takes too long, or when a call is flagged whose value does fit its schema.
"""

from __future__ import annotations

import sys
from collections import Counter

from jsonschema import Draft202012Validator

from inputs import catalog_of, refractor_of, seal_sequences
from measuring import Figure, finished, options_of, seconds, table
from refract_asp import Sequence
from refract_asp.model import Constant, Violation
from refract_asp.model.schemas import is_compatible, json_types

WORDS = {"str": "string", "int": "integer", "float": "number", "bool": "boolean", "list": "array"}


def breaks_specification(sequence: Sequence, violation: Violation) -> bool:
    """Whether what a violation says is so, judged from the type that the tool itself names."""
    call = sequence.calls[violation.call]
    parameter = catalog_of("seal").by_name[call.name].parameters[violation.parameter or ""]
    word = parameter.json_schema["type"]
    source = call.arguments[parameter.name]
    if isinstance(source, Constant):
        return not Draft202012Validator({"type": WORDS.get(word, word)}).is_valid(source.value)
    if violation.code != "type_mismatch" or source.kind != "reference":
        return False
    producer = next(each for each in sequence.calls if each.label == source.label)
    given = catalog_of("seal").by_name[producer.name].types_at(source.path)
    return not is_compatible(given, json_types(word))


def main() -> int:
    options = options_of(__doc__).parse_args()
    loading = seconds(catalog_of, "seal")
    refractor, rows = refractor_of("seal"), seal_sequences()
    flagged: list[tuple[str, str, str]] = []
    wrongly = 0
    verdicts: Counter[str] = Counter()
    for row, sequence in rows:
        report = refractor.check(sequence)
        verdicts[report.verdict] += 1
        for each in report.violations:
            flagged.append((row, each.message[:100], refractor.repair(sequence).verdict))
            wrongly += not breaks_specification(sequence, each)
    print(table(("row", "what", "repair"), flagged))
    calls = sum(len(sequence.calls) for _, sequence in rows)
    print(
        f"\n{len(catalog_of('seal'))} tools; {len(rows)} sequences, {calls} calls: {dict(verdicts)}"
    )
    print(f"{len({each[:2] for each in flagged})} arguments are flagged")
    figures = [
        Figure("loading (s)", loading, "<=", 3.0),
        Figure("flagged wrongly", wrongly, "==", 0, str(wrongly)),
    ]
    return finished(options.json, figures, flagged=flagged)


if __name__ == "__main__":
    sys.exit(main())
