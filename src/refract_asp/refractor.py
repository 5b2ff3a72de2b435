"""`repair` and `check`, and the `Refractor` behind them, which compiles a catalog once."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from collections.abc import Mapping as MappingOf
from pathlib import Path
from typing import Any, Literal

from refract_asp.errors import EncodingError, InputError, LimitError, shown
from refract_asp.formats import (
    bind_positions,
    is_position,
    load_catalog,
    load_mappings,
    load_memory,
    load_sequence,
    respell,
)
from refract_asp.model import (
    AskFor,
    Call,
    Catalog,
    ConfirmFor,
    Mapping,
    Memory,
    RepairResult,
    Report,
    Sequence,
    Tool,
    Verdict,
)
from refract_asp.rules.evidence import Allowed, Options
from refract_asp.rules.fitting import discordant, fit_facts
from refract_asp.rules.index import CatalogIndex
from refract_asp.rules.inner import find_inner_calls
from refract_asp.rules.instance import Instance, compile_instance
from refract_asp.rules.judge import Judgement, Question, Verdicts, find_violations, question, search
from refract_asp.rules.program import check_program, repair_program
from refract_asp.rules.repetition import repetition_facts
from refract_asp.rules.results import repair_result
from refract_asp.rules.solve import Deadline

__all__ = ["Confirm", "Refractor", "Undeclared", "check", "repair"]

Confirm = Literal["risky", "new", "never"]
Undeclared = Literal["reject", "drop", "keep"]
MAX_CALLS = 2000
MAX_REPAIRED = 500
"""Calls of a sequence that is repaired; a longer one can be checked."""
MAX_REFERENCES = 4000
"""References in a sequence that is repaired."""
MAX_ARGUMENTS = 20_000
UNORDERED = frozenset({"anthropic", "gemini", "mcp", "openai", "openapi"})
"""Catalogs that give parameters as the properties of a JSON Schema, which have no order of their own."""
A_YEAR = 365 * 24 * 3600.0
"""A time limit beyond it, in seconds, is none."""


class Refractor:
    """
    Repairs and checks sequences against one catalog, which is compiled once.

    One object may be used from several threads at once: every question gets a clingo control of its
    own, and clingo lets other threads run while it grounds and solves.

    Args:
        catalog: the tools that may be called, as anything that `Catalog.load` takes.
        mappings: which outputs may fill which parameters.
        cost_model: name of a shipped cost model, or the path of a file.
        encodings: files with rules of one's own, added to the shipped ones.
        encodings_dir: folder that takes the place of the shipped encodings.
        constants: values for constants of the encodings, as `weight_ask`.
        confirm: what has to be confirmed: "risky" edits, everything "new", or nothing ("never").
            None, the default, means what the cost model says, else "risky".
        defensive: the same as `confirm="new"`.
        undeclared: what becomes of arguments that their tool does not declare: they are wrong, and renamed
            or dropped at a cost ("reject"), dropped for nothing and without a confirm unless they are
            needed under another name ("drop"), or let pass with a note ("keep").
        check_formats: whether the keyword `format` of schemas is checked too.
        max_new_calls: how many calls may be added that no reference demands.
        max_tries: how often a call may be executed in all, counting the history.
        known_tools_only: added and renamed calls use only tools that the sequence names.
        allow: the only tools that may be used; None for all.
        deny: tools that may not be used.
        alternatives: how many other repairs of the same cost are wanted in `result.alternatives`.
        time_limit: seconds for one repair, or None; the best answer so far is given when they are over.

    Example:
        >>> from refract_asp import Refractor
        >>> tool = {"name": "Search", "parameters": {"query": {"type": "string", "required": True}}}
        >>> result = Refractor({"tools": [tool]}).repair('var1 = Serch(query="London")')
        >>> print(result.sequence)
        var1 = Search(query="London")
    """

    def __init__(
        self,
        catalog: Any,
        *,
        mappings: Any = (),
        cost_model: str | Path = "default",
        encodings: Iterable[Path | str] = (),
        encodings_dir: Path | str | None = None,
        constants: MappingOf[str, int] | None = None,
        confirm: Confirm | None = None,
        defensive: bool = False,
        undeclared: Undeclared = "reject",
        check_formats: bool = False,
        max_new_calls: int = 2,
        max_tries: int = 3,
        known_tools_only: bool = False,
        allow: Collection[str] | None = None,
        deny: Collection[str] | None = None,
        alternatives: int = 0,
        time_limit: float | None = None,
    ) -> None:
        """Compile the catalog and read the encodings."""
        if confirm not in (None, "risky", "new", "never"):
            raise InputError(f"confirm cannot be {shown(confirm)!r}.", hint="Use risky, new or never.")
        if undeclared not in ("reject", "drop", "keep"):
            raise InputError(f"undeclared cannot be {shown(undeclared)!r}.", hint="Use reject, drop or keep.")
        for name, value, least in (
            ("max_new_calls", max_new_calls, 0),
            ("max_tries", max_tries, 1),
            ("alternatives", alternatives, 0),
        ):
            if type(value) is not int or not least <= value <= 100:
                raise InputError(f"{name} cannot be {shown(value)}.", hint=f"It must be from {least} to 100.")
        self.catalog = _allowed(load_catalog(catalog), allow, deny)
        self.mappings: tuple[Mapping, ...] = load_mappings(mappings)
        self.cost_model = str(*_paths("cost_model", [cost_model]))
        self.undeclared: Undeclared = undeclared
        self.max_new_calls = max_new_calls
        self.max_tries = max_tries
        self.known_tools_only = known_tools_only
        self.alternatives = alternatives
        self.time_limit = _seconds(time_limit)
        folder = _paths("encodings_dir", [encodings_dir])[0] if encodings_dir is not None else None
        if constants is not None and not isinstance(constants, MappingOf):
            raise InputError(f"constants cannot be {shown(constants)!r}.", hint='As in {"weight_ask": 50}.')
        self._check = check_program(folder)
        self._repair = repair_program(
            Path(cost_model) if isinstance(cost_model, Path) else cost_model,
            folder,
            _paths("encodings", encodings),
            {"max_new_calls": max_new_calls, **(constants or {})},
            defensive=defensive or confirm == "new",
        )
        self.confirm: Confirm = "new" if defensive else confirm or self._repair.confirm
        self._options = Options(
            by_fit=self._repair.says("name_by(fit)"),
            common_names=self._repair.says("call_for(common_name)"),
            clear_distance=self._repair.constant("clear_distance", 100),
            clear_margin=self._repair.constant("clear_margin", 100),
            alike_distance=self._repair.constant("alike_distance", 100),
        )
        self._index = CatalogIndex(self.catalog, formats=bool(check_formats))

    # -- questions -------------------------------------------------------------

    def check(self, sequence: Any, memory: Any = None, history: Any = ()) -> Report:
        """
        Say what is wrong with a sequence; nothing is changed.

        Args:
            sequence: the calls, as anything that `Sequence.load` takes.
            memory: values already known, as anything that `Memory.load` takes.
            history: calls that were already executed.

        Returns:
            A report with the verdict and every violation.
        """
        instance = self._instance(sequence, memory, history)
        verdicts = find_violations(self._check, instance)
        return Report(
            verdict=_checked(instance.sequence, verdicts),
            violations=verdicts.violations,
            notes=(*instance.sequence.notes, *instance.notes),
        )

    def repair(
        self, sequence: Any, memory: Any = None, history: Any = (), time_limit: float | None = None
    ) -> RepairResult:
        """
        Return the cheapest admissible sequence.

        Args:
            sequence: the calls, as anything that `Sequence.load` takes.
            memory: values already known, as anything that `Memory.load` takes.
            history: calls that were already executed.
            time_limit: seconds for this repair; by default those of the object.

        Returns:
            A result with the verdict, the repaired sequence and every edit.
        """
        limit = self.time_limit if time_limit is None else _seconds(time_limit)
        deadline = Deadline(limit)
        instance = self._instance(sequence, memory, history)
        given = instance.sequence
        verdicts = find_violations(self._check, instance)
        same: dict[str, Any] = {
            "violations": verdicts.violations,
            "notes": (*given.notes, *instance.notes),
            "given": given,
            "cost_model": self.cost_model,
        }
        untouched: dict[str, Any] = {"sequence": given, "origins": tuple(range(len(given.calls)))}
        if not verdicts.violations:
            verdict: Verdict = "needs_input" if given.is_open else "valid"
            return RepairResult(verdict=verdict, **_still_open(given), **untouched, **same)
        if deadline.is_over:
            return RepairResult(verdict="unknown", optimal=False, **untouched, **same)
        if len(given.calls) > MAX_REPAIRED:
            raise LimitError(
                f"{len(given.calls)} calls are too many to repair at once; at most {MAX_REPAIRED} are taken.",
                hint="Repair it in parts: what comes before goes into `history`.",
            )
        if len(instance.references) > MAX_REFERENCES:
            raise LimitError(
                f"{len(instance.references)} references are too many to repair at once; "
                f"at most {MAX_REFERENCES} are taken.",
                hint="Shorten the texts that hold them, or repair the sequence in parts.",
            )
        left = self._prepare(instance, verdicts)
        while True:
            asked = self._question(instance, verdicts, left)
            if deadline.is_over:
                return RepairResult(verdict="unknown", optimal=False, **untouched, **same)
            judgement = self._judged(asked, deadline)
            if judgement is None:
                return RepairResult(verdict="unknown", optimal=False, **untouched, **same)
            tied = set() if self._options.by_fit else judgement.tied - left
            if tied:  # a tie between tools is told, with suggestions, and not guessed
                left = left | tied
                continue
            result = repair_result(
                verdicts, asked.evidence, judgement, dict(same), self.confirm, self.alternatives
            )
            pairs = zip(result.origins, result.sequence.calls, strict=True)
            further = discordant(instance, pairs) - left - set(result.unresolved)
            if not further:
                return result
            left = left | further

    def _judged(self, asked: Question, deadline: Deadline) -> Judgement | None:
        """Return the cheapest answers to a question, or None when the time ran out before any."""
        judgement = search(self._repair, asked, deadline, self.cost_model, self.alternatives)
        if not judgement.choices and not judgement.answer.is_over:
            raise EncodingError(
                "the rules leave no admissible sequence, not even with calls left unresolved.",
                where=self.cost_model,
                hint="Look for a constraint of your own that forbids too much.",
            )
        return judgement if judgement.choices else None

    def facts(
        self,
        sequence: Any,
        memory: Any = None,
        history: Any = (),
        program: Literal["check", "repair"] = "repair",
    ) -> str:
        """
        Return exactly the facts that a question is asked with, one a line.

        Plain clingo with the same encodings and these facts gives the same answer.
        """
        instance = self._instance(sequence, memory, history)
        facts = instance.facts
        if program == "repair":
            verdicts = find_violations(self._check, instance)
            facts = self._question(instance, verdicts, self._prepare(instance, verdicts)).facts
        return "".join(f"{symbol}.\n" for symbol in sorted(facts))

    async def repair_async(self, sequence: Any, memory: Any = None, history: Any = ()) -> RepairResult:
        """Do what `repair` does in a thread, so that an event loop goes on."""
        import asyncio

        return await asyncio.to_thread(self.repair, sequence, memory, history)

    async def check_async(self, sequence: Any, memory: Any = None, history: Any = ()) -> Report:
        """Do what `check` does in a thread, so that an event loop goes on."""
        import asyncio

        return await asyncio.to_thread(self.check, sequence, memory, history)

    # -- steps -----------------------------------------------------------------

    def _instance(self, sequence: Any, memory: Any, history: Any) -> Instance:
        given = load_sequence(sequence)
        executed = load_sequence(history).calls if history else ()
        for name, calls in (("sequence", given.calls), ("history", executed)):
            count = sum(len(call.arguments) for call in calls)
            if len(calls) > MAX_CALLS or count > MAX_ARGUMENTS:
                raise InputError(
                    f"the {name} has {len(calls)} calls with {count} arguments.",
                    hint=f"At most {MAX_CALLS} calls and {MAX_ARGUMENTS} arguments are taken at once.",
                )
        known = load_memory(memory) if memory is not None else Memory()
        given = respell(self._bound(given), known.values)
        executed = respell(self._bound(Sequence(calls=executed)), known.values).calls
        instance = compile_instance(given, self._index, known, executed, self.undeclared)
        instance.facts.extend(fit_facts(instance))
        instance.facts.extend(repetition_facts(instance, self.max_tries))
        return instance

    def _bound(self, sequence: Sequence) -> Sequence:
        """Name arguments that were given by position as the tools declare them."""
        if not any(is_position(name) for call in sequence.calls for name in call.arguments):
            return sequence
        calls = tuple(bind_positions(call, self._ordered(call.name)) for call in sequence.calls)
        return sequence.model_copy(update={"calls": calls})

    def _ordered(self, name: str) -> Tool | None:
        """Return a tool whose parameters have an order; sorted ones of a JSON Schema have none."""
        tool = self._index.get(name)
        names = list(tool.parameters) if tool is not None else []
        is_sorted = len(names) > 2 and names == sorted(names)
        return None if is_sorted and self.catalog.format in UNORDERED else tool

    def _is_admissible(self, call: Call, memory: Memory) -> bool:
        """Whether a call is right on its own."""
        alone = compile_instance(Sequence(calls=(call,)), self._index, memory)
        alone.facts.extend(fit_facts(alone))
        return not find_violations(self._check, alone).violations

    def _prepare(self, instance: Instance, verdicts: Verdicts) -> set[int]:
        """
        Look for calls inside arguments; return the calls whose arguments do not go together.

        Of those in which something else is wrong that may be all; they are judged again when it is mended.
        """
        find_inner_calls(instance, lambda call: self._is_admissible(call, instance.memory))
        blamed = {v.call for v in verdicts.violations if v.code != "invalid_arguments"}
        return instance.discordant - blamed

    def _question(self, instance: Instance, verdicts: Verdicts, left: Collection[int]) -> Question:
        only = None
        if self.known_tools_only:
            only = frozenset(call.name for call in (*instance.sequence.calls, *instance.history))
        spent: dict[str, int] = {}
        for call in instance.history:
            spent[call.name] = spent.get(call.name, 0) + 1
        without = frozenset(name for name, count in spent.items() if count >= self.max_tries)
        allowed = Allowed(only=only, without=without, depth=self.max_new_calls)
        return question(instance, verdicts, allowed, self.mappings, self.confirm, self._options, left)


def _seconds(limit: object) -> float | None:
    """Return a time limit, or refuse what is none."""
    if limit is None:
        return None
    if isinstance(limit, bool) or not isinstance(limit, int | float) or not limit >= 0:
        raise InputError(f"time_limit cannot be {shown(limit)}.", hint="Give seconds, 0 or more.")
    return None if limit > A_YEAR else float(limit)


def _paths(name: str, values: Any) -> tuple[Path, ...]:
    """Return files that were named by the caller, or refuse what names none."""
    listed = list(values) if isinstance(values, Iterable) and not isinstance(values, str | bytes) else None
    if listed is None or not all(isinstance(value, str | Path) for value in listed):
        raise InputError(f"{name} cannot be {shown(values)}.", hint="Give paths of files, as texts.")
    for value in map(str, listed):
        if not value or "\0" in value or (not value.isascii() and _is_broken(value)):
            raise InputError(f"{name}: {shown(value)!r} is no path.", hint="Give the path of a file.")
    return tuple(Path(value) for value in listed)


def _is_broken(text: str) -> bool:
    """Whether a text holds a lone surrogate, which no file name does."""
    return any("\ud800" <= character <= "\udfff" for character in text)


def _allowed(catalog: Catalog, allow: Collection[str] | None, deny: Collection[str] | None) -> Catalog:
    for option, names in (("allow", allow), ("deny", deny)):
        if names is not None and (isinstance(names, str) or not isinstance(names, Collection)):
            raise InputError(f"{option} cannot be {shown(names)!r}.", hint="Give a list of names of tools.")
    for name in (*(allow or ()), *(deny or ())):
        if not isinstance(name, str) or name not in catalog.by_name:
            raise InputError(f"the catalog has no tool {shown(name)!r} to allow or deny.")
    if allow is None and not deny:
        return catalog
    return catalog.filter(
        name for name in catalog.by_name if (allow is None or name in allow) and name not in (deny or ())
    )


def _checked(sequence: Sequence, verdicts: Verdicts) -> Verdict:
    if verdicts.violations:
        return "invalid"
    return "needs_input" if sequence.is_open else "valid"


def _still_open(sequence: Sequence) -> dict[str, Any]:
    """Return what was open in the given sequence already."""
    return {
        "asks": tuple(AskFor(name=name) for name in sequence.asks),
        "confirms": tuple(
            ConfirmFor(call=number, confirm=confirm, reason="it was open in the given sequence")
            for number, call in enumerate(sequence.calls)
            for confirm in call.confirms
        ),
    }


def repair(
    sequence: Any,
    catalog: Any,
    memory: Any = None,
    history: Any = (),
    **options: Any,
) -> RepairResult:
    """
    Return the cheapest admissible sequence; `options` are those of `Refractor`.

    Example:
        >>> from refract_asp import Catalog, repair
        >>> tool = {"name": "Search", "parameters": {"query": {"type": "string", "required": True}}}
        >>> catalog = Catalog.load({"tools": [tool]})
        >>> repair('var1 = Serch(query="London")', catalog).verdict
        'repaired'
    """
    return Refractor(catalog, **options).repair(sequence, memory, history)


def check(sequence: Any, catalog: Any, memory: Any = None, history: Any = (), **options: Any) -> Report:
    """
    Say what is wrong with a sequence; `options` are those of `Refractor`.

    Example:
        >>> from refract_asp import Catalog, check
        >>> tool = {"name": "Search", "parameters": {"query": {"type": "string", "required": True}}}
        >>> catalog = Catalog.load({"tools": [tool]})
        >>> [violation.code for violation in check('var1 = Search()', catalog).violations]
        ['missing_parameter']
    """
    return Refractor(catalog, **options).check(sequence, memory, history)
