"""`repair` and `check`, and the `Refractor` behind them, which compiles a catalog once."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from collections.abc import Mapping as MappingOf
from pathlib import Path
from typing import Any, Literal

from refract_asp.errors import InputError, LimitError, shown
from refract_asp.formats import (
    bind_positions,
    is_position,
    load_catalog,
    load_mappings,
    load_memory,
    load_sequence,
    respell,
)
from refract_asp.formats.goals import load_goals
from refract_asp.model import Catalog, Level, Memory, RepairResult, Report, Sequence, Tool
from refract_asp.model.secret_names import SecretRule
from refract_asp.resources import house_rule_path
from refract_asp.rules.engine import Engine, options_of
from refract_asp.rules.evidence import by_target
from refract_asp.rules.index import CatalogIndex, Suggest
from refract_asp.rules.instance import Instance
from refract_asp.rules.program import check_program, repair_program
from refract_asp.rules.solve import Deadline
from refract_asp.settings import allowed, choice, paths, seconds, whole_number

__all__ = ["Confirm", "Refractor", "Undeclared", "check", "compress", "repair"]

Confirm = Literal["risky", "new", "never"]
Undeclared = Literal["reject", "drop", "keep"]
MAX_CALLS = 2000
MAX_ARGUMENTS = 20_000
UNORDERED = frozenset({"anthropic", "gemini", "mcp", "openai", "openapi"})
"""Catalogs that give parameters as the properties of a JSON Schema, which have no order of their own."""


class Refractor:
    """
    Repairs and checks sequences against one catalog, which is compiled once.

    One object may be used from several threads at once: every question gets a clingo control of its
    own, and clingo lets other threads run while it grounds and solves.

    Args:
        catalog: the tools that may be called, as anything that `Catalog.load` takes.
        mappings: which outputs may fill which parameters.
        new_maps: whether mappings are also computed from what the catalog says of its tools. They count
            less than every other evidence, and what they fill is risky. See `refract_asp.mappings`.
        cost_model: name of a shipped cost model, or the path of a file.
        encodings: files with rules of one's own, added to the shipped ones, or names of house rules that
            are shipped ("after", "provenance"). What they forbid, `check` reports too.
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
        alternatives: how many other repairs of the same cost are wanted in `result.alternatives`, up to
            100.
        next_best: whether the next cheapest ones are wanted there too, in order of cost, the last of which
            do what no answer does: they leave out a call in which something is wrong, or use a constant
            of the sequence once more.
        time_limit: seconds for one repair, or None; the best answer so far is given when they are over.
        secrets: says by name and schema of a parameter or field whether its values are secret, in place of
            `refract_asp.model.secrets.is_secret`. Secret values stand in the repaired sequence and in no
            message, diff, explanation or prompt; `lambda name, schema: False` shows all.

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
        new_maps: bool = False,
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
        next_best: bool = False,
        time_limit: float | None = None,
        secrets: SecretRule | None = None,
    ) -> None:
        """Compile the catalog and read the encodings."""
        if secrets is not None and not callable(secrets):
            raise InputError(
                f"secrets cannot be {shown(type(secrets).__name__)}.",
                hint="Give a function of a name and a schema that says whether the values are secret.",
            )
        if confirm is not None:
            choice("confirm", confirm, ("risky", "new", "never"))
        choice("undeclared", undeclared, ("reject", "drop", "keep"))
        whole_number("max_new_calls", max_new_calls)
        whole_number("max_tries", max_tries, least=1)
        whole_number("alternatives", alternatives)
        self.catalog = allowed(load_catalog(catalog), allow, deny)
        self.time_limit = seconds(time_limit)
        folder = paths("encodings_dir", [encodings_dir])[0] if encodings_dir is not None else None
        if constants is not None and not isinstance(constants, MappingOf):
            raise InputError(f"constants cannot be {shown(constants)!r}.", hint='As in {"weight_ask": 50}.')
        named = str(*paths("cost_model", [cost_model]))
        own = tuple(map(house_rule_path, paths("encodings", encodings)))
        program = repair_program(
            Path(cost_model) if isinstance(cost_model, Path) else cost_model,
            folder,
            own,
            {"max_new_calls": max_new_calls, **(constants or {})},
            defensive=defensive or confirm == "new",
        )
        self._engine = Engine(
            index=CatalogIndex(
                self.catalog,
                formats=bool(check_formats),
                suggest=_computed(self.catalog) if new_maps else None,
                secrets=secrets,
            ),
            check_program=check_program(folder, own, program.overridden),
            repair_program=program,
            cost_model=named,
            confirm="new" if defensive else confirm or program.confirm,
            mappings=by_target(load_mappings(mappings)),
            undeclared=undeclared,
            max_new_calls=max_new_calls,
            max_tries=max_tries,
            known_tools_only=known_tools_only,
            alternatives=alternatives,
            next_best=bool(next_best),
            options=options_of(program),
        )

    # -- questions -------------------------------------------------------------

    def check(
        self,
        sequence: Any,
        memory: Any = None,
        history: Any = (),
        goals: Any = (),
        *,
        level: Level | None = None,
        time_limit: float | None = None,
    ) -> Report:
        """
        Say what is wrong with a sequence; nothing is changed.

        Args:
            sequence: the calls, as anything that `Sequence.load` takes.
            memory: values already known, as anything that `Memory.load` takes.
            history: calls that were already executed.
            goals: what the sequence has to bring about: goals, or texts as `"field flightId"`.
            level: what it has to be: "admissible", "achieves_goals" (the default where there are goals), or
                "cheapest": no sequence with fewer calls does what it does.
            time_limit: seconds for the search that "cheapest" takes; by default those of the object.

        Returns:
            A report with the verdict and every violation.
        """
        deadline = self._deadline(time_limit)
        return self._engine.check(self._instance(sequence, memory, history, goals, level), deadline)

    def repair(
        self,
        sequence: Any,
        memory: Any = None,
        history: Any = (),
        goals: Any = (),
        *,
        level: Level | None = None,
        time_limit: float | None = None,
    ) -> RepairResult:
        """
        Return the cheapest admissible sequence.

        Args:
            sequence: the calls, as anything that `Sequence.load` takes.
            memory: values already known, as anything that `Memory.load` takes.
            history: calls that were already executed.
            goals: what the sequence has to bring about: goals, or texts as `"field flightId"`.
            level: what it has to be: "admissible", "achieves_goals" (the default where there are goals), or
                "cheapest": as few calls as do what is wanted, then as cheap edits as possible.
            time_limit: seconds for this repair; by default those of the object.

        Returns:
            A result with the verdict, the repaired sequence and every edit.
        """
        deadline = self._deadline(time_limit)
        return self._engine.repair(self._instance(sequence, memory, history, goals, level), deadline)

    def compress(
        self, sequence: Any, memory: Any = None, history: Any = (), *, time_limit: float | None = None
    ) -> RepairResult:
        """
        Return the sequence without the calls that do nothing new, the others repaired.

        Left out are copies, attempts that were made again, what was executed already and gave something,
        and what only such calls read. What changes something is never taken for a copy.

        Args:
            sequence: the calls, as anything that `Sequence.load` takes.
            memory: values already known, as anything that `Memory.load` takes.
            history: calls that were already executed.
            time_limit: seconds; by default those of the object.

        Returns:
            A result with the verdict "valid" when every call is needed.
        """
        return self.repair(sequence, memory, history, level="cheapest", time_limit=time_limit)

    def facts(
        self,
        sequence: Any,
        memory: Any = None,
        history: Any = (),
        goals: Any = (),
        *,
        level: Level | None = None,
        program: Literal["check", "repair"] = "repair",
    ) -> str:
        """
        Return exactly the facts that a question is asked with, one a line.

        Plain clingo with the same encodings and these facts gives the same answer.
        """
        instance = self._instance(sequence, memory, history, goals, level)
        facts = self._engine.facts(instance, for_repair=program == "repair")
        return "".join(f"{symbol}.\n" for symbol in sorted(facts))

    async def repair_async(self, sequence: Any, *inputs: Any, **options: Any) -> RepairResult:
        """Do what `repair` does in a thread, so that an event loop goes on."""
        import asyncio

        return await asyncio.to_thread(self.repair, sequence, *inputs, **options)

    async def check_async(self, sequence: Any, *inputs: Any, **options: Any) -> Report:
        """Do what `check` does in a thread, so that an event loop goes on."""
        import asyncio

        return await asyncio.to_thread(self.check, sequence, *inputs, **options)

    async def compress_async(self, sequence: Any, *inputs: Any, **options: Any) -> RepairResult:
        """Do what `compress` does in a thread, so that an event loop goes on."""
        import asyncio

        return await asyncio.to_thread(self.compress, sequence, *inputs, **options)

    # -- steps -----------------------------------------------------------------

    def _deadline(self, time_limit: float | None) -> Deadline:
        """Start the clock for one question; by default with the limit of the object."""
        return Deadline(self.time_limit if time_limit is None else seconds(time_limit))

    def _instance(
        self, sequence: Any, memory: Any, history: Any, goals: Any, level: Level | None
    ) -> Instance:
        wanted = load_goals(goals)
        if level is None:
            level = "achieves_goals" if wanted else "admissible"
        choice("level", level, ("admissible", "achieves_goals", "cheapest"))
        given = load_sequence(sequence)
        executed = load_sequence(history).calls if history else ()
        for name, calls in (("sequence", given.calls), ("history", executed)):
            count = sum(len(call.arguments) for call in calls)
            if len(calls) > MAX_CALLS or count > MAX_ARGUMENTS:
                raise LimitError(
                    f"the {name} has {len(calls)} calls with {count} arguments.",
                    hint=f"At most {MAX_CALLS} calls and {MAX_ARGUMENTS} arguments are taken at once.",
                )
        known = load_memory(memory) if memory is not None else Memory()
        given = respell(self._bound(given), known.values)
        executed = respell(self._bound(Sequence(calls=executed)), known.values).calls
        return self._engine.instance(given, known, executed, wanted, level)

    def _bound(self, sequence: Sequence) -> Sequence:
        """Name arguments that were given by position as the tools declare them."""
        if not any(is_position(name) for call in sequence.calls for name in call.arguments):
            return sequence
        calls = tuple(bind_positions(call, self._ordered(call.name)) for call in sequence.calls)
        return sequence.model_copy(update={"calls": calls})

    def _ordered(self, name: str) -> Tool | None:
        """Return a tool whose parameters have an order; sorted ones of a JSON Schema have none."""
        tool = self._engine.index.get(name)
        names = list(tool.parameters) if tool is not None else []
        is_sorted = len(names) > 2 and names == sorted(names)
        return None if is_sorted and self.catalog.format in UNORDERED else tool


def _computed(catalog: Catalog) -> Suggest:
    """Return what tells the mappings of a catalog; they are computed when they are asked for."""
    from refract_asp.mappings.computing import CatalogMaps

    return CatalogMaps(catalog).weights


def repair(
    sequence: Any,
    catalog: Any,
    memory: Any = None,
    history: Any = (),
    goals: Any = (),
    *,
    level: Level | None = None,
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
    return Refractor(catalog, **options).repair(sequence, memory, history, goals, level=level)


def check(
    sequence: Any,
    catalog: Any,
    memory: Any = None,
    history: Any = (),
    goals: Any = (),
    *,
    level: Level | None = None,
    **options: Any,
) -> Report:
    """
    Say what is wrong with a sequence; `options` are those of `Refractor`.

    Example:
        >>> from refract_asp import Catalog, check
        >>> tool = {"name": "Search", "parameters": {"query": {"type": "string", "required": True}}}
        >>> catalog = Catalog.load({"tools": [tool]})
        >>> [violation.code for violation in check('var1 = Search()', catalog).violations]
        ['missing_parameter']
    """
    return Refractor(catalog, **options).check(sequence, memory, history, goals, level=level)


def compress(
    sequence: Any, catalog: Any, memory: Any = None, history: Any = (), **options: Any
) -> RepairResult:
    """
    Return the sequence without the calls that do nothing new; `options` are those of `Refractor`.

    Example:
        >>> from refract_asp import compress
        >>> tool = {"name": "Search", "parameters": {"query": {"type": "string", "required": True}}}
        >>> calls = 'var1 = Search(query="London")\\nvar2 = Search(query="London")'
        >>> print(compress(calls, {"tools": [tool]}).sequence)
        var1 = Search(query="London")
    """
    return Refractor(catalog, **options).compress(sequence, memory, history)
