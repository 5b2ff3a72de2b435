"""`repair` and `check`, and the `Refractor` behind them, which compiles a catalog once."""

from __future__ import annotations

import functools
import shlex
from collections.abc import Callable, Collection, Coroutine
from pathlib import Path
from typing import Any, Concatenate, Literal, ParamSpec, TypeVar, Unpack

from refract_asp.errors import LimitError
from refract_asp.formats import load_catalog, load_memory, load_sequence
from refract_asp.formats.blocks import as_declared
from refract_asp.formats.given import load_goals
from refract_asp.formats.python import bind_positions
from refract_asp.formats.references import mark_malformed, respell, with_names
from refract_asp.formats.source import is_bulky
from refract_asp.model import Level, Memory, Reference, RepairResult, Report, Sequence
from refract_asp.model.paths import FieldPath, is_position
from refract_asp.model.schemas import schema_types
from refract_asp.model.sequence import slots_of
from refract_asp.model.stages import reads_of
from refract_asp.options import RepairKeywords, RepairOptions, refuse_options
from refract_asp.ports import port
from refract_asp.resources import house_rule_path
from refract_asp.rules.engine import check_in_time, options_of, repair_in_time
from refract_asp.rules.evidence import by_target
from refract_asp.rules.index import CatalogIndex
from refract_asp.rules.instance import Instance
from refract_asp.rules.likeness import is_slip
from refract_asp.rules.plain import command_of, facts_of, ground_text, statistics, statistics_text
from refract_asp.rules.program import TREES, Files, check_program, limits_of, repair_program
from refract_asp.rules.question import Engine, Repairing
from refract_asp.rules.waiting import Deadline, go_on, in_time
from refract_asp.settings import allowed, choice, seconds, with_effects

__all__ = ["Refractor", "check", "compress", "repair"]

S = TypeVar("S")
P = ParamSpec("P")
R = TypeVar("R")

# How many calls a sequence may have, and how many arguments or references.
MAX_CALLS = 2000
MAX_ARGUMENTS = 20_000
UNORDERED = frozenset({"anthropic", "gemini", "mcp", "openai", "openapi"})
"""Catalogs that give parameters as the properties of a JSON Schema, which have no order of their own."""


def _in_thread(
    method: Callable[Concatenate[S, P], R],
) -> Callable[Concatenate[S, P], Coroutine[Any, Any, R]]:
    """Return the async twin of a method: it runs in a thread, so that an event loop goes on."""

    @functools.wraps(method)
    async def twin(self: S, /, *args: P.args, **kwargs: P.kwargs) -> R:
        import asyncio

        return await asyncio.to_thread(getattr(self, method.__name__), *args, **kwargs)

    twin.__name__ = f"{method.__name__}_async"
    return twin


class Refractor:
    """
    Repairs and checks sequences against one catalog, which is compiled once.

    One object may be used from several threads at once: every question gets a clingo control of its
    own, and clingo lets other threads run while it grounds and solves.

    Args:
        catalog: the tools that may be called, as anything that `Catalog.load` takes.
        options: how to check and repair; see `RepairOptions`.
        keywords: single options by name, in place of those in `options`.

    Example:
        >>> from refract_asp import Refractor
        >>> tool = {"name": "Search", "parameters": {"query": {"type": "string", "required": True}}}
        >>> result = Refractor({"tools": [tool]}).repair('var1 = Serch(query="London")')
        >>> print(result.sequence)
        var1 = Search(query="London")
    """

    def __init__(
        self, catalog: Any, options: RepairOptions | None = None, **keywords: Unpack[RepairKeywords]
    ) -> None:
        """Compile the catalog and read the encodings."""
        self.options = options = RepairOptions.of(options, keywords)
        self._every = every = load_catalog(catalog)
        usable = allowed(every, options.allow, options.deny)
        self.catalog, uninferred = with_effects(usable, options.effects)
        self.time_limit = options.time_limit
        self.references = options.references
        folder = Path(options.encodings_dir) if options.encodings_dir is not None else None
        own = tuple(house_rule_path(Path(name)) for name in options.encodings)
        is_new = options.defensive or options.confirm == "new"
        patterns = tuple(map(Path, options.patterns))
        constants = {"max_new_calls": options.max_new_calls, **(options.constants or {})}
        values = tuple(constants.items())
        files = Files(options.cost_model, folder, own, patterns, defensive=is_new, constants=values)

        @functools.cache
        def read() -> Repairing:
            program = repair_program(files)
            confirm: str = options.confirm or program.confirm
            if options.defensive:  # a model that confirms nothing of its own says what that means
                confirm = "defensive" if program.confirm == "risky" else "new"
            return Repairing(program, confirm, options_of(program, every=options.evidence == "all"))

        def repairing() -> Repairing:
            """Read what only a repair needs."""
            with TREES:  # other threads wait for what one of them reads
                return read()

        if not files.is_shipped:  # mistakes are reported before any question is asked
            in_time(Deadline(None), repairing) if own else repairing()

        # maps are computed when they are asked for
        suggest = port("CatalogMaps")(self.catalog).weights if options.new_maps else None
        has: Any = {"formats": bool(options.check_formats), "secret_rule": options.secrets}
        has |= {"lenient": options.lenient == "scalars", "uninferred": uninferred}
        has |= {"denied": frozenset(every.by_name.keys() - usable.by_name.keys())}
        has |= {"suggest": suggest, "told": lambda: limits_of(repairing().program)}
        self._engine = Engine(
            index=CatalogIndex(self.catalog, **has),
            check_program=check_program(files),
            repairing=repairing,
            cost_model=str(Path(options.cost_model)),
            mappings=by_target(options.mappings),
            undeclared=options.undeclared,
            max_new_calls=options.max_new_calls,
            max_tries=options.max_tries,
            known_tools_only=options.known_tools_only,
            alternatives=options.alternatives,
            next_best=bool(options.next_best),
            own=not files.is_shipped and bool(repairing().program.parts.users),
        )

    @classmethod
    def of(
        cls, catalog: Any, options: RepairOptions | None = None, **keywords: Unpack[RepairKeywords]
    ) -> Refractor:
        """
        Return a `Refractor` as it is, or compile a catalog.

        Raises:
            InputError: options were given for a `Refractor`, which has its own.
        """
        if isinstance(catalog, Refractor):
            refuse_options(options, keywords)
            return catalog
        return cls(catalog, options, **keywords)

    def __reduce__(self) -> tuple[Any, ...]:
        """Return what another process compiles again: the catalog as it was read, and the options."""
        return Refractor, (self._every, self.options)

    def __deepcopy__(self, memo: object) -> Refractor:
        """Return itself: nothing of it changes."""
        return self

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
            time_limit: seconds to read all of that, and for the search that "cheapest" takes; by default those
                of the object.

        Returns:
            A report with the verdict and every violation.
        """
        deadline = self._deadline(time_limit, is_search=level == "cheapest")
        instance = self._read(deadline, sequence, memory, history, goals, level)
        return check_in_time(self._engine, instance, deadline)

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
        deadline = self._deadline(time_limit, is_search=True)
        instance = self._read(deadline, sequence, memory, history, goals, level)
        return repair_in_time(self._engine, instance, deadline)

    def compress(
        self,
        sequence: Any,
        memory: Any = None,
        history: Any = (),
        *,
        time_limit: float | None = None,
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
        emit: Literal["facts", "command", "ground", "stats"] = "facts",
        file: str = "FACTS",
    ) -> str:
        """
        Return what a question comes to for plain clingo, which gives the same answer.

        Args:
            sequence: as for `repair`, and so are `memory`, `history`, `goals` and `level`.
            program: whether it is asked what is wrong, or what is to be done.
            emit: "facts", exactly those that the question is asked with, one a line; the "command" that asks
                plain clingo; the "ground" program; or "stats", how large it is and what clingo did, as JSON.
            file: how the command names the file with the facts.
        """
        instance = self._instance(sequence, memory, history, goals, level)
        is_repair = program == "repair"
        if emit == "command":
            return f"{shlex.join(command_of(self._engine, instance, file, for_repair=is_repair))}\n"
        if emit == "ground":
            return ground_text(self._engine, instance, for_repair=is_repair)
        if emit == "stats":
            return statistics_text(statistics(self._engine, instance, self.time_limit))
        facts = facts_of(self._engine, instance, for_repair=is_repair)
        return "".join(f"{symbol}.\n" for symbol in sorted(facts))

    check_async = _in_thread(check)
    repair_async = _in_thread(repair)
    compress_async = _in_thread(compress)

    # -- steps -----------------------------------------------------------------

    def _deadline(self, time_limit: float | None, *, is_search: bool) -> Deadline:
        """Start the clock for one question, when what it needs is read; by default with the limit of the object."""
        if is_search:
            self._engine.repairing()
        return Deadline(self.time_limit if time_limit is None else seconds(time_limit))

    def _read(self, deadline: Deadline, *given: Any) -> Instance:
        """Read what is given; where that may take long, somebody waits for it no longer than until the deadline."""
        read = functools.partial(self._asked, *given)
        return in_time(deadline, read) if is_bulky(given) else read()

    def _instance(
        self, sequence: Any, memory: Any, history: Any, goals: Any, level: Level | None
    ) -> Instance:
        return self._engine.stated(self._asked(sequence, memory, history, goals, level))

    def _asked(
        self, sequence: Any, memory: Any, history: Any, goals: Any, level: Level | None
    ) -> Instance:
        wanted = load_goals(goals)
        if level is None:
            level = "achieves_goals" if wanted else "admissible"
        choice("level", level, ("admissible", "achieves_goals", "cheapest"))
        given = load_sequence(sequence)
        go_on()
        past = load_sequence(history) if history else Sequence()
        if given.past:  # calls that were answered in a conversation were made already
            like = past if past.calls else given
            past = like.model_copy(update={"calls": (*past.calls, *given.past)})
        for name, calls in (("sequence", given.calls), ("history", past.calls)):
            count = sum(len(call.arguments) for call in calls)
            sources = (each for call in calls for each in call.arguments.values())
            read = sum(1 for source in sources for _ in slots_of(source))
            if len(calls) > MAX_CALLS or max(count, read) > MAX_ARGUMENTS:
                what = f"the {name} has {len(calls)} calls, {count} arguments, {read} references."
                most = f"{MAX_CALLS} calls, {MAX_ARGUMENTS} arguments and as many references"
                hint = f"At most {most} are taken at once: give it in parts."
                raise LimitError(what, hint=hint)
        known = load_memory(memory)
        known = Memory(values={**given.results, **known.values}) if given.results else known
        held = {*known.values, *(call.label for call in past.calls if call.label)}
        given, past = (self._with_text(self._bound(each), held) for each in (given, past))
        if self.references:
            given, past = (respell(each, known.values) for each in (given, past))
            given = mark_malformed(given, past.calls, self._declares)
        engine = self._engine
        return Instance(given, known, past.calls, engine.index, engine.undeclared, wanted, level)

    def _with_text(self, sequence: Sequence, held: Collection[str]) -> Sequence:
        """Return a sequence in which `$x$` is text unless it refers to one of the names that are `held`."""
        if sequence.format is None or sequence.names is not None or self.references is True:
            return sequence  # made by hand or judged before: a reference there is meant as one
        if not self.references:
            return with_names(sequence, (), labels=False)
        if not sequence.unlabelled:
            return sequence
        known = {*held, *(call.label for call in sequence.calls if call.label)}
        written = {read.reference.label for read in reads_of(sequence)}
        misspelt = {each for each in written - known if any(is_slip(each, name) for name in known)}
        untextual = {  # names that stand where no text may stand
            source.label
            for call in sequence.calls
            if (tool := self._engine.index.get(call.name)) is not None
            for name, source in call.arguments.items()
            if isinstance(source, Reference)
            and (parameter := tool.parameters.get(name)) is not None
            and "string" not in schema_types(parameter.json_schema, tool.input_schema)
        }
        return with_names(sequence, known | misspelt | untextual)

    def _declares(self, name: str, path: FieldPath) -> bool:
        tool = self._engine.index.get(name)
        return tool is not None and tool.output_schema is not None and tool.declares_path(path)

    def _bound(self, sequence: Sequence) -> Sequence:
        """Name arguments by position as the tools declare them, and tools that have a form for providers."""
        own, known = self.catalog.legal_names, self.catalog.by_name
        if own and any(call.name in own and call.name not in known for call in sequence.calls):
            named = (
                call.model_copy(update={"name": own.get(call.name, call.name)})
                for call in sequence.calls
            )
            sequence = sequence.model_copy(update={"calls": tuple(named)})
        if sequence.format == "loose":
            typed = (as_declared(call, known.get(call.name)) for call in sequence.calls)
            sequence = sequence.model_copy(update={"calls": tuple(typed)})
        if not any(is_position(name) for call in sequence.calls for name in call.arguments):
            return sequence
        calls = []
        for call in sequence.calls:
            tool = self._engine.index.get(call.name)
            names = list(tool.parameters) if tool is not None else []
            # sorted parameters of a JSON Schema have no order
            is_sorted = len(names) > 2 and names == sorted(names)
            is_unordered = is_sorted and self.catalog.format in UNORDERED
            calls.append(bind_positions(call, None if is_unordered else tool))
        return sequence.model_copy(update={"calls": tuple(calls)})


def repair(
    sequence: Any,
    catalog: Any,
    memory: Any = None,
    history: Any = (),
    goals: Any = (),
    *,
    level: Level | None = None,
    options: RepairOptions | None = None,
    **keywords: Unpack[RepairKeywords],
) -> RepairResult:
    """
    Return the cheapest admissible sequence; options as of `Refractor`.

    Example:
        >>> from refract_asp import Catalog, repair
        >>> tool = {"name": "Search", "parameters": {"query": {"type": "string", "required": True}}}
        >>> catalog = Catalog.load({"tools": [tool]})
        >>> repair('var1 = Serch(query="London")', catalog).verdict
        'repaired'
    """
    refractor = Refractor(catalog, options, **keywords)
    return refractor.repair(sequence, memory, history, goals, level=level)


def check(
    sequence: Any,
    catalog: Any,
    memory: Any = None,
    history: Any = (),
    goals: Any = (),
    *,
    level: Level | None = None,
    options: RepairOptions | None = None,
    **keywords: Unpack[RepairKeywords],
) -> Report:
    """
    Say what is wrong with a sequence; options as of `Refractor`.

    Example:
        >>> from refract_asp import Catalog, check
        >>> tool = {"name": "Search", "parameters": {"query": {"type": "string", "required": True}}}
        >>> catalog = Catalog.load({"tools": [tool]})
        >>> [violation.code for violation in check('var1 = Search()', catalog).violations]
        ['missing_parameter']
    """
    refractor = Refractor(catalog, options, **keywords)
    return refractor.check(sequence, memory, history, goals, level=level)


def compress(
    sequence: Any,
    catalog: Any,
    memory: Any = None,
    history: Any = (),
    *,
    options: RepairOptions | None = None,
    **keywords: Unpack[RepairKeywords],
) -> RepairResult:
    """
    Return the sequence without the calls that do nothing new; options as of `Refractor`.

    Example:
        >>> from refract_asp import compress
        >>> tool = {"name": "Search", "parameters": {"query": {"type": "string", "required": True}}}
        >>> calls = 'var1 = Search(query="London")\\nvar2 = Search(query="London")'
        >>> print(compress(calls, {"tools": [tool]}).sequence)
        var1 = Search(query="London")
    """
    return Refractor(catalog, options, **keywords).compress(sequence, memory, history)
