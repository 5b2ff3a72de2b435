"""
What each judgement of the rules is worth: it is taken out, and the mistakes are repaired without it.

Judged are the cases of `data/judgement`, NESTFUL with one mistake and with several, and its generated
errors. A row shows what is lost or gained against all rules, as `-7`; nothing where it makes no difference.

    python benchmarks/ablation.py [--seed N] [--mix N] [--limit N] [--only NAME] [--json FILE]

Exits with 1 where a case of `data/judgement` silently comes out as something else.
"""

from __future__ import annotations

import json
import runpy
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import clingo.ast
from rich.progress import track

from generated import how, load_rows
from inputs import catalog_of, data_folder, is_valid, load_gold
from measuring import Figure, finished, options_of, table
from refract_asp import Catalog, Refractor
from refract_asp.bench.mutations import KINDS
from refract_asp.evaluation import Case, Refract, RunRow, run
from restore import ALTERNATIVES, broken, is_lost, restored, score

ENCODINGS = Path(__file__).resolve().parents[1] / "encodings"
# The judgement, the file, and how the heads of its rules begin.
JUDGEMENTS = (
    ("verbs of one class", "names/tools.lp", ("tool_doubt(X,Tool,across_effects)",)),
    ("verbs that ask for the same", "names/tools.lp", ("tool_doubt(X,Tool,another_verb)",)),
    ("contraries", "names/meanings.lp", ("excludes(",)),
    ("words that are left over", "names/tools.lp", ("tool_doubt(X,Tool,unlike_words)",)),
    ("what means another thing is not proposed", "names/tools.lp", ("unmeant(",)),
    ("words before letters", "names/tools.lp", ("worded(",)),
    ("fit alone is confirmed", "names/tools.lp", ("tool_doubt(X,Tool,by_fit)",)),
    ("words of one meaning in parameters", "names/arguments.lp", ("parameter_meant(",)),
    ("names speak for parameters", "names/arguments.lp", ("parameter_doubt(",)),
    ("names speak for keys", "names/forms.lp", ("form_doubt(",)),
    ("forms that mean something else", "names/forms.lp", ("form_refused(",)),
    ("names speak for fields", "names/references.lp", ("path_doubt(",)),
    ("fields that mean something else", "names/references.lp", ("path_refused(",)),
    ("arguments that hold others", "names/wrappers.lp", ("opened(",)),
    ("a type alone fills nothing optional", "recovery/arguments.lp", ("only_typed(",)),
    ("labels by their spelling", "recovery/labels.lp", ("penalty(ignored_spelling",)),
    ("labels by their row", "recovery/labels.lp", ("penalty(broken_row",)),
    ("unsure labels", "recovery/labels.lp", ("risky(argument(X,Param),unsure_label)",)),
    ("no call asks for what it is to give", "recovery/new_call.lp", ("penalty(echo",)),
    ("calls that nothing leads to", "recovery/new_call.lp", ("penalty(stranger",)),
    ("what is left out", "risk.lp", ("risky(argument(X,Param),carried)", "risky(argument(X,Param),last)")),
)  # fmt: skip
HEAD = (
    "without", "wanted", "asking", "open", "astray", "untold", "SILENT",
    "singles", "silent", "mixes", "silent", "lost: asked", "generated", "unasked",
)  # fmt: skip


def without(folder: Path, file: str, heads: tuple[str, ...]) -> Path:
    """
    Copy the encodings to a folder, in which the rules of a file whose heads begin like that never apply.

    Raises:
        SystemExit: a beginning is that of no rule.
    """
    shutil.copytree(ENCODINGS, folder, dirs_exist_ok=True)
    found: list[clingo.ast.AST] = []
    clingo.ast.parse_files([str(ENCODINGS / file)], found.append)
    missed, kept = set(heads), []
    for node in found:
        head = str(getattr(node, "head", "")).replace(" ", "")
        begins = {each for each in heads if head.startswith(each)}
        missed -= begins
        text = str(node).removesuffix(".")
        never = "; #false" if getattr(node, "body", ()) else " :- #false"
        kept += [] if text == "#program base" else [f"{text}{never if begins else ''}."]
    if missed:
        raise SystemExit(f"{file}: no rule begins with {', '.join(sorted(missed))}")
    (folder / file).write_text("\n".join(kept), "utf-8")
    return folder


class Judged:
    """The mistakes, made once, and what comes of them with other rules."""

    def __init__(self, limit: int | None, mix: int, seed: int) -> None:
        """Break sequences, and read the other cases."""
        self.judgement = data_folder() / "judgement"
        self.score: Any = runpy.run_path(str(self.judgement / "score.py"))
        lines = (self.judgement / "cases.jsonl").read_text("utf-8").splitlines()
        self.cases = [json.loads(line) for line in lines]
        right = filter(is_valid, load_gold(limit=limit))
        self.broken = list(broken(right, KINDS, mix, seed))
        self.rows = load_rows()

    def counts(self, jobs: int, **options: Any) -> tuple[int, ...]:
        """Count what comes out, in the order of `HEAD`."""
        catalogs = {case["catalog"] for case in self.cases}
        made = {
            name: Refractor(Catalog.load(self.judgement / name), **options) for name in catalogs
        }
        outcome = self.score["outcome"]
        outcomes = Counter(
            outcome(case, made[case["catalog"]].repair("\n".join(case["given"])))
            for case in self.cases
        )
        told = self._answers(self.broken, jobs, options)
        single = [row for row in told if row.kind != "mix" and row.informed]
        mixed = [row for row in told if row.kind == "mix" and row.informed]
        lost = [row for row in told if is_lost(row)]
        cases = (Case.of(row.mutation, catalog_of(row.source), row.key) for row in self.rows)
        generated = list(zip(self.rows, self._answers(cases, jobs, options), strict=True))
        return (
            *(outcomes[each] for each in self.score["OUTCOMES"]),
            *(sum(map(restored, single)), sum(bool(score(row).silent) for row in single)),
            *(sum(map(restored, mixed)), sum(bool(score(row).silent) for row in mixed)),
            sum(map(restored, lost)),
            sum(how(answer) not in ("", "(confirmed)") for _, answer in generated),
            sum(not how(row) and score(row).verdict == "repaired" for _, row in generated),
        )

    def _answers(
        self, cases: Iterable[Case], jobs: int, options: dict[str, Any]
    ) -> tuple[RunRow, ...]:
        """Repair cases, and judge the answers."""
        system = Refract(alternatives=ALTERNATIVES, **options)
        return run(cases, {"refract": system}, jobs=jobs).rows


def main() -> int:
    parser = options_of(__doc__, seed=0, mix=3, jobs=2)
    parser.add_argument("--limit", type=int, default=60, help="sequences of each data set")
    parser.add_argument("--only", metavar="NAME", help="one judgement")
    options = parser.parse_args()
    judged = Judged(options.limit, options.mix, options.seed)
    whole = judged.counts(options.jobs)
    rows: list[tuple[object, ...]] = [("nothing: all rules", *whole)]
    chosen = [each for each in JUDGEMENTS if options.only in (None, each[0])]
    for name, file, heads in track(chosen, description="judgements", transient=True):
        with tempfile.TemporaryDirectory() as folder:
            counts = judged.counts(options.jobs, encodings_dir=without(Path(folder), file, heads))
        differences = (now - before for now, before in zip(counts, whole, strict=True))
        rows.append((name, *(f"{each:+}" if each else "" for each in differences)))
    print(table(HEAD, rows))
    silent = whole[HEAD.index("SILENT") - 1]
    figures = [Figure("silently something else, all rules", silent, "==", 0, str(silent))]
    return finished(options.json, figures, rows=rows)


if __name__ == "__main__":
    sys.exit(main())
