"""A run in figures: for each system over all cases, by kind, and by each dial."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pydantic import BaseModel, ConfigDict

from refract_asp.bench.evaluation.case import Dial
from refract_asp.bench.evaluation.measures import MEANS, MEASURES, Measure
from refract_asp.bench.evaluation.runs import Run, RunRow
from refract_asp.errors import InputError, shown
from refract_asp.model.shares import Share, Times, quantiles, share

__all__ = [
    "ALL",
    "Figures",
    "Group",
    "Summary",
    "groupings",
    "measures_told",
    "rank",
    "restored_share",
    "summary_of",
]

ALL = "all"
MAX_GROUPS = 60
"""A dial with more values than this is not grouped by unless it is asked for, and then only so far."""


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Figures(_Part):
    """
    What one system did on some cases.

    Attributes:
        shares: by the name of each measure, see `measures.MEASURES`; only of those that some case counts for.
        means: averages by name, see `measures.MEANS`.
        check: how long finding what is wrong took.
        repair: how long answering took.
    """

    shares: dict[str, Share]
    means: dict[str, float]
    check: Times | None = None
    repair: Times | None = None

    @property
    def headline(self) -> tuple[str, Share]:
        """
        The share that says most of these cases, and its name.

        That is what was restored of the informed ones; where there are none, in how many was asked for
        exactly what is lost; where nothing is to be asked either, what came back by luck; and of right cases
        how many were left alone.
        """
        are_broken = "detected" in self.shares
        for name, title in (("restored", "restored"), ("asked_rightly", "asked"), ("by_luck", "by luck")):
            if are_broken and name in self.shares:
                return title, self.shares[name]
        nothing = share(0, 0)
        alarms, errors = self.shares.get("false_alarms", nothing), self.shares.get("errors", nothing)
        return "left alone", share(alarms.of - alarms.count - errors.count, alarms.of)


class Group(_Part):
    """
    Some cases of a run.

    Attributes:
        by: what they have in common: "kind", "variant" or a dial; "all" for all cases.
        value: what it is for these.
        cases: how many they are.
        right: in how many of them nothing is wrong.
        figures: what each system did on them.
    """

    by: str
    value: Dial
    cases: int
    right: int
    figures: dict[str, Figures]


class Summary(_Part):
    """
    A run in figures.

    Attributes:
        overall: all cases.
        groups: the cases by kind, and by what else was asked for, in that order.
    """

    overall: Group
    groups: dict[str, tuple[Group, ...]]


def groupings(run: Run) -> list[str]:
    """Return by what the cases of a run differ: the kind, the variant, and dials of few values."""
    found = ["kind"]
    if any(row.variant for row in run.rows):
        found.append("variant")
    for dial in dict.fromkeys(dial for row in run.rows for dial in row.dials):
        if dial not in found and 1 < len(_values(run, dial)) <= MAX_GROUPS:
            found.append(dial)
    return found


def summary_of(run: Run, by: Iterable[str] | None = None) -> Summary:
    """
    Return the figures of a run.

    Args:
        run: the run.
        by: what the cases are grouped by: "kind", "variant", dials; by default what `groupings` finds.

    Raises:
        InputError: no case has a dial of that name.
    """
    known = groupings(run)
    wanted = known if by is None else list(dict.fromkeys(by))
    dials = {dial for row in run.rows for dial in row.dials}
    for each in wanted:
        if each not in ("kind", "variant") and each not in dials:
            names = ", ".join(shown(name, 40) for name in ("kind", "variant", *sorted(dials)))
            raise InputError(f"there is no dial {shown(each)!r} to group by.", hint=f"Known: {names}.")
    return Summary(
        overall=_group(run, run.rows, ALL, ""),
        groups={each: tuple(_groups(run, each)) for each in wanted},
    )


def restored_share(run: Run, system: str) -> Share:
    """Return which share of the broken, informed cases a system restores; see `MEASURES`."""
    counted = [MEASURES[0].of(row, row.scores[system]) for row in run.rows]
    return share(sum(each is True for each in counted), sum(each is not None for each in counted))


def measures_told(figures: Iterable[Figures]) -> list[Measure]:
    """Return the measures that say something of these systems, in the order of the reports."""
    of = [each.shares for each in figures]
    return [
        measure
        for measure in MEASURES
        if any(measure.name in shares for shares in of)
        and not (measure.name in _ONLY_IF_SOME and not any(_some(shares, measure.name) for shares in of))
    ]


_ONLY_IF_SOME = ("near", "confirmed", "truncated", "errors", "silent", "ambiguous")
"""What is left out where there is none of it, or where it says no more than "restored"."""


def _some(shares: Mapping[str, Share], name: str) -> bool:
    if name == "near" and name in shares:
        return shares["near"].count > shares["restored"].count
    return name in shares and shares[name].count > 0


def _groups(run: Run, by: str) -> Iterable[Group]:
    found: dict[tuple[int, float, str], tuple[Dial, list[RunRow]]] = {}
    for row in run.rows:
        value = _value(row, by)
        if value is not None and not (by == "variant" and value == ""):
            found.setdefault(rank(value), (value, []))[1].append(row)
    for key in sorted(found)[:MAX_GROUPS]:
        value, rows = found[key]
        yield _group(run, rows, by, value)


def _value(row: RunRow, by: str) -> Dial:
    return row.kind if by == "kind" else row.variant if by == "variant" else row.dials.get(by)


def _values(run: Run, dial: str) -> set[tuple[int, float, str]]:
    return {rank(row.dials[dial]) for row in run.rows if row.dials.get(dial) is not None}


def rank(value: Dial) -> tuple[int, float, str]:
    """Return by what groups are sorted: numbers by size, then words."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return 0, value, ""
    return 1, 0, str(value)


def _group(run: Run, rows: Iterable[RunRow], by: str, value: Dial) -> Group:
    chosen = list(rows)
    return Group(
        by=by,
        value=value,
        cases=len(chosen),
        right=sum(row.right for row in chosen),
        figures={name: _figures(chosen, name) for name in run.systems},
    )


def _figures(rows: list[RunRow], system: str) -> Figures:
    pairs = [(row, row.scores[system]) for row in rows]
    shares = {}
    for measure in MEASURES:
        counted = [each for row, score in pairs if (each := measure.of(row, score)) is not None]
        if counted:
            shares[measure.name] = share(sum(counted), len(counted))
    means = {}
    for mean in MEANS:
        numbers = [number for row, score in pairs if (number := mean.of(row, score)) is not None]
        if numbers:
            means[mean.name] = round(sum(numbers) / len(numbers), 3)
    return Figures(
        shares=shares,
        means=means,
        check=quantiles(score.check_seconds for _, score in pairs),
        repair=quantiles(score.seconds for _, score in pairs),
    )
