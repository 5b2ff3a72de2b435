"""What `check` and `repair` answer."""

from __future__ import annotations

import html
import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypedDict, Unpack

from pydantic import PrivateAttr, computed_field, model_validator

from refract_asp.errors import LONGEST_TEXT, AnswerError, StatementError, shown
from refract_asp.model.edits import Edit, Violation
from refract_asp.model.paths import FieldPath, Frozen, path_text, without
from refract_asp.model.schemas import JsonSchema
from refract_asp.model.sequence import Call, Confirm, Sequence, answered, part_at, slots_at
from refract_asp.ports import port

if TYPE_CHECKING:
    from pathlib import Path

    from refract_asp.model.diagnostic import Diagnostic, Limits, Tags
    from refract_asp.model.explanation import Contrast, Explanation
    from refract_asp.model.secrets import Secrets


SCHEMA_VERSION = 1

Verdict: TypeAlias = Literal[
    "valid", "invalid", "repaired", "needs_input", "unrepairable", "unknown"
]

EXIT_CODES: dict[Verdict, int] = {
    "valid": 0, "repaired": 0, "invalid": 1, "needs_input": 3, "unrepairable": 4, "unknown": 5,
}  # fmt: skip
"""What the command line exits with; 2 is for bad usage or input."""

NO_TIME = "the time ran out before an answer was found"
"""Why nothing is known of a sequence that was not judged in time."""


class PromptOptions(TypedDict, total=False):
    """
    What a prompt tells, and how.

    Attributes:
        words: what the user asked for.
        templates: a folder with templates in place of those shipped.
        max_tokens: how long the prompt may be, estimated rather too high; what is least needed is left out.
        limits: how many of the valid options and of the suggestions are listed.
        supply: whether whoever reads it writes what is missing himself and does not ask the user for it.
    """

    words: str | None
    templates: Path | str | None
    max_tokens: int | None
    limits: Limits | None
    supply: bool


class AskFor(Frozen):
    """
    A value that the user has to give.

    Attributes:
        name: under which name it is asked and answered.
        call: index of the call in the repaired sequence that needs it.
        parameter: the parameter that it fills.
        path: where inside the argument the value stands; empty where it is all of it.
        description: what the catalog says of the parameter.
        expected: what may be answered: types, or the values that are allowed; empty where anything may.
        given: the value that was given and does not fit, as it was written; None where there was none.
        optional: whether the argument may be left out; None as the answer does that.
        json_schema: which values may be given; an empty one where that is not known.
    """

    name: str
    call: int | None = None
    parameter: str | None = None
    path: FieldPath = ()
    description: str = ""
    expected: str = ""
    given: str | None = None
    optional: bool = False
    json_schema: JsonSchema = {}


class ConfirmFor(Frozen):
    """Something that the user has to agree to before call number `call` of the repaired sequence is made."""

    call: int
    confirm: Confirm
    reason: str = ""


class Outcome(Frozen):
    """
    What became of one given call.

    Attributes:
        call: its index in the given sequence, from 0.
        id: its id, in formats that have ids.
        verdict: as of a result, for this call alone; "repaired" also when it was left out.
        positions: its indexes in the repaired sequence: none when it was left out, several when it was
            spread over a list.
        violations: what was wrong with it.
        edits: what was changed in it.
    """

    call: int
    id: str | None = None
    verdict: Verdict
    positions: tuple[int, ...] = ()
    violations: tuple[Violation, ...] = ()
    edits: tuple[Edit, ...] = ()


@dataclass(slots=True)
class Handle:
    """
    Holds what is needed to ask again about a result; no part of its data.

    Any two are equal, copies share what they hold, and pickling drops it.

    Attributes:
        problem: the problem that was solved, see `rules.question`.
        instance: what was given, see `rules.instance`.
        beside: the edits of the answer to which this is another repair: they tell what names meant.
    """

    problem: Any = field(default=None, compare=False)
    instance: Any = field(default=None, compare=False)
    beside: tuple[Edit, ...] = field(default=(), compare=False)

    def __deepcopy__(self, memo: object) -> Handle:
        """Return a handle that holds the same."""
        return Handle(self.problem, self.instance, self.beside)

    def __reduce__(self) -> tuple[type[Handle], tuple[()]]:
        """Leave out what is held."""
        return Handle, ()


class Report(Frozen):
    """
    What `check` found; nothing was changed.

    Attributes:
        verdict: valid, invalid, or needs_input when asks or confirms are open in the input.
        violations: what is wrong, in the order of the sequence.
        notes: remarks that make nothing wrong.
    """

    schema_version: int = SCHEMA_VERSION
    verdict: Verdict
    violations: tuple[Violation, ...] = ()
    notes: tuple[str, ...] = ()
    _handle: Handle = PrivateAttr(default_factory=Handle)

    @property
    def _secrets(self) -> Secrets:
        """What hides the secrets of a text about this; of what was loaded from data, by their names."""
        from refract_asp.model.secrets import Secrets

        return Secrets() if self._handle.instance is None else self._handle.instance.index.secrets

    @model_validator(mode="before")
    @classmethod
    def _without_computed(cls, data: Any) -> Any:
        """Take what `model_dump` gives: what is computed is computed again."""
        computed = cls.model_computed_fields
        is_dumped = isinstance(data, dict) and not data.keys().isdisjoint(computed)
        return without(data, computed) if is_dumped else data

    @computed_field  # type: ignore[prop-decorator]
    @property
    def determination(self) -> bool | None:
        """True when nothing has to change, False when something has, None when that is unknown."""
        return None if self.verdict == "unknown" else self.verdict == "valid"

    @computed_field  # type: ignore[prop-decorator]
    @property
    def is_executable(self) -> bool:
        """Whether the sequence can be executed as it stands."""
        return self.verdict in ("valid", "repaired")

    @property
    def ok(self) -> bool:
        """
        Whether the calls may be made: nothing was wrong, or all of it is repaired and nothing is open.

        Example:
            >>> from refract_asp import check, repair
            >>> tools = {"tools": [{"name": "Get", "effect": "read", "parameters": {"id": {"type": "integer"}}}]}
            >>> check('Get(id="3")', tools).ok, repair('Get(id="3")', tools).ok
            (False, True)
        """
        return self.is_executable

    def __str__(self) -> str:
        """Return what a terminal shows: the verdict, the diff, and what is wrong, to ask or to confirm."""
        return str(port("summary")(self))

    def __rich__(self) -> object:
        """Return the same in colours, for `rich.print`."""
        from rich.text import Text

        return Text.from_ansi(port("summary")(self, color=True))

    def _repr_html_(self) -> str:
        """Return the same for notebooks."""
        return f"<pre>{html.escape(str(self))}</pre>"

    def diagnostics(
        self, limits: Limits | None = None, *, strict: bool = True
    ) -> tuple[Diagnostic, ...]:
        """
        Say of each violation the valid options, what was probably meant, and what to change.

        Of a report that was loaded from data only what its violations say is told.

        Args:
            limits: how much is shown; by default 20 entries of the valid options and 3 suggestions.
            strict: whether violations are errors; else they are warnings.

        Example:
            >>> from refract_asp import check
            >>> tool = {"name": "Transfer", "parameters": {"amount": {"type": "number", "required": True}}}
            >>> [each.fix for each in check("Tranfer(amount=3)", {"tools": [tool]}).diagnostics()]
            ['Change Tranfer to Transfer']
        """
        found: tuple[Diagnostic, ...] = port("diagnostics_of")(self, limits, strict=strict)
        return found

    def tags(self) -> Tags:
        """
        Return the mistakes by kind; a repair tells more of them than a check, see `report.tags.tags_of`.

        Example:
            >>> from refract_asp import repair
            >>> tool = {"name": "Get", "effect": "read", "parameters": {"amount": {"required": True}}}
            >>> repair("Get(amont=3)", {"tools": [tool]}).tags().sequence
            ('made_up_parameter',)
        """
        found: Tags = port("tags_of")(self)
        return found


class RepairResult(Report):
    """
    The cheapest admissible sequence, and how it came about.

    Attributes:
        given: the sequence as it came in.
        sequence: the repaired sequence (the given one where nothing had to change or nothing was found).
        edits: the changes, in the order of the repaired sequence.
        violations: what was wrong with the given sequence.
        asks: values that the user has to give.
        confirms: what the user has to agree to.
        unresolved: indexes of given calls that could not be mended and stay as they are.
        unmet: the goals that could not be met, as they are written.
        suggestions: for each unresolved call the tools that come nearest, best first; none for a known tool.
        ambiguous: whether another repair of the same cost differs in meaning, beyond what is asked for.
        undecided: what the equally cheap repairs have in each place where they differ, this one's first.
        alternatives: other repairs, where they were asked for.
        truncated: what a bound left out of the search; empty when nothing was.
        optimal: whether it is proven that no repair is cheaper.
        cost: cost by criterion of the cost model.
        cost_by_level: the same by priority, highest first, and in it by criterion.
        total: cost by priority, highest first.
        lower_bound: proven lower bound by priority, None where nothing is proven.
        cost_model: the cost model that ranked the edits.
        origins: for each call of the repaired sequence the index of the given call that it came from, or
            None for an added one.
        note: why there is no answer: the time ran out before one was found, or it failed its own check.
    """

    given: Sequence
    sequence: Sequence
    edits: tuple[Edit, ...] = ()
    asks: tuple[AskFor, ...] = ()
    confirms: tuple[ConfirmFor, ...] = ()
    unresolved: tuple[int, ...] = ()
    unmet: tuple[str, ...] = ()
    suggestions: dict[int, tuple[str, ...]] = {}
    ambiguous: bool = False
    undecided: tuple[str, ...] = ()
    alternatives: tuple[RepairResult, ...] = ()
    truncated: tuple[str, ...] = ()
    optimal: bool = True
    cost: dict[str, int] = {}
    cost_by_level: dict[int, dict[str, int]] = {}
    total: dict[int, int] = {}
    lower_bound: dict[int, int | None] = {}
    cost_model: str = "default"
    origins: tuple[int | None, ...] = ()
    note: str = ""

    @property
    def calls(self) -> tuple[Call, ...]:
        """
        The calls of the repaired sequence.

        Example:
            >>> from refract_asp import repair
            >>> tools = {"tools": [{"name": "Get", "effect": "read", "parameters": {"id": {"type": "integer"}}}]}
            >>> [call.name for call in repair("Gett(id=3)", tools).calls]
            ['Get']
        """
        return self.sequence.calls

    @property
    def outcomes(self) -> tuple[Outcome, ...]:
        """
        What became of each given call, in order, so that every call id can get its own answer.

        Example:
            >>> from refract_asp import repair
            >>> tool = {"name": "Pay", "parameters": {"amount": {"type": "number", "required": True}}}
            >>> result = repair('Pay(amount=3)\\nPay(amount="4")', {"tools": [tool]})
            >>> [outcome.verdict for outcome in result.outcomes]
            ['valid', 'repaired']
        """
        outcomes = []
        for number, call in enumerate(self.given.calls):
            violations = tuple(each for each in self.violations if each.call == number)
            edits = tuple(each for each in self.edits if each.call == number)
            positions: tuple[int, ...] = ()
            if number in self.origins:  # the further calls of one that was spread follow it
                first = self.origins.index(number)
                counts = [len(edit.after) for edit in edits if edit.kind == "split_call"]
                positions = tuple(range(first, first + (counts[0] if counts else 1)))
            verdict: Verdict = "repaired" if edits else "valid"
            if self.verdict == "unknown":
                verdict = "unknown" if violations else "valid"
            elif number in self.unresolved:
                verdict = "unrepairable"
            elif any(self.sequence.calls[position].is_open for position in positions):
                verdict = "needs_input"
            fields = {"verdict": verdict, "violations": violations, "edits": edits}
            outcomes.append(Outcome(call=number, id=call.id, positions=positions, **fields))
        return tuple(outcomes)

    def diff(self, *, color: bool = False, width: int | None = None) -> str:
        """
        Print given and repaired sequence against each other, lines marked `+`, `-`, `?` or blank.

        With `color` changed words are marked inside the lines, and changed calls that are wider than `width`
        columns stand on several lines. The empty text means that nothing changed.
        """
        return str(port("diff_text")(self, color=color, width=width))

    def prompt(
        self,
        kind: Literal["plain", "issues", "fix", "suggestions"] = "suggestions",
        **options: Unpack[PromptOptions],
    ) -> str:
        """
        Return a prompt that has a model correct its calls; empty where nothing is wrong.

        `alternatives` are told, too, each behind a line `OR`. See `refract_asp.report.prompts.prompt`, which
        also takes several results.

        Args:
            kind: how much help is given: the faulty calls alone ("plain"), with what is wrong ("issues"),
                with the corrected calls ("fix"), or with what is wrong and a possible fix for it.
            options: see `PromptOptions`.

        Raises:
            InputError: the kind is none.
            PromptTemplateError: a template is missing or broken, or does what is not allowed.
            LimitError: the faulty calls and the instruction alone are longer than `max_tokens`.
        """
        return str(port("prompt")(self, kind, **options))

    def explanation(self) -> Explanation:
        """
        Say as data what the repair costs, and of each edit what it answers and what would be without it.

        For each edit the cheapest repair that does without it is looked for, which takes another search. Of a
        result that was loaded from data only what they say is told.

        Example:
            >>> from refract_asp import repair
            >>> tool = {"name": "Get", "effect": "read", "parameters": {"amount": {"required": True}}}
            >>> explanation = repair("Get(amont=3)", {"tools": [tool]}).explanation()
            >>> [(reason.edit.kind, reason.outcome, reason.extra) for reason in explanation.reasons]
            [('rename_parameter', 'dearer', {2: 44})]
        """
        explained = "explanation_of" if self._handle.problem is None else "explain"
        explanation = port(explained)(self)
        found: Explanation = port("explanation_without_secrets")(explanation, self)
        return found

    def explain(self, *, color: bool = False, width: int = 80) -> str:
        """Print `explanation()` for a reader, wrapped at `width` columns; `color` adds terminal colours."""
        return str(port("explanation_text")(self.explanation(), self, color=color, width=width))

    def why_not(self, statement: str) -> Contrast:
        """
        Return the cheapest repair of which a statement holds, and what it costs more; or why there is none.

        Args:
            statement: what the repair should do: `keep var3.date`, `keep var3`, `drop var3.date`,
                `ask var3.date`, `var3.id = "$var2.id$"`, `rename var3.date to day`, `rename var3 to Tool`,
                `delete var3` or `call Tool`. `call 3` names a call without a label.

        Raises:
            StatementError: the statement cannot be understood, or the result was loaded from data and
                holds nothing to ask.

        Example:
            >>> from refract_asp import repair
            >>> tool = {"name": "Get", "effect": "read", "parameters": {"amount": {"required": True}}}
            >>> contrast = repair("Get(amont=3)", {"tools": [tool]}).why_not("ask call 1.amount")
            >>> print(contrast.result.sequence)
            ask(amount)
            Get(amount=amount)
            >>> contrast.extra
            {2: 44}
        """
        if self._handle.problem is None:
            what = "this result holds no more than its data, so nothing can be asked about it."
            hint = "Repair the sequence again, and ask the result of that."
            raise StatementError(what, hint=hint)
        contrast: Contrast = port("why_not")(self, statement)
        return contrast

    def answer(
        self, values: Mapping[str, Any] | None = None, *, confirmed: bool | Collection[int] = False
    ) -> Sequence:
        """
        Return the repaired sequence with asked values filled in.

        Args:
            values: value by name of the ask; asks that are not named stay open. None leaves out what is optional.
            confirmed: True takes every confirm as agreed to, or the indexes into `confirms` that are.

        Raises:
            AnswerError: a value is given for something that was not asked, or one that does not fit there.

        Example:
            >>> from refract_asp import repair
            >>> tool = {"name": "Pay", "parameters": {"amount": {"type": "number", "required": True}}}
            >>> print(repair("Pay()", {"tools": [tool]}).answer({"amount": 3}))
            Pay(amount=3)
        """
        if values is not None and not isinstance(values, Mapping):
            hint = 'As in {"date": "2024-08-15"}.'
            raise AnswerError("values are no mapping of names to values.", hint=hint)
        given = dict(values or {})
        self._refuse_misfit(given)
        agreed: Any = confirmed
        if isinstance(confirmed, bool):
            agreed = range(len(self.confirms)) if confirmed else ()
        elif not isinstance(confirmed, Iterable):
            raise AnswerError("confirmed is neither true, false nor a list of indexes.")
        done = set()
        for index in agreed:
            if not isinstance(index, int) or index not in range(len(self.confirms)):
                what = f"there is no confirm {shown(index)}."
                raise AnswerError(what, hint=f"There are {len(self.confirms)}.")
            done.add((self.confirms[index].call, self.confirms[index].confirm))
        calls = []
        for index, call in enumerate(self.sequence.calls):
            arguments = self._answered(index, call, given)
            self._refuse_parts(call, given)
            left = tuple(c for c in call.confirms if (index, c) not in done)
            calls.append(call.model_copy(update={"arguments": arguments, "confirms": left}))
        asks = tuple(name for name in self.sequence.asks if name not in given)
        returned = self.sequence.returns or {}
        returns = {name: answered(each, given) for name, each in returned.items()}
        update = {"calls": tuple(calls), "asks": asks, "returns": returns or self.sequence.returns}
        return self.sequence.model_copy(update=update)

    def _refuse_misfit(self, given: dict[str, Any]) -> None:
        """Refuse values for what was not asked, values that are none, and those that do not fit."""
        for name in given:
            if name not in self.sequence.asks:
                known = shown(", ".join(self.sequence.asks) or "nothing", LONGEST_TEXT)
                raise AnswerError(f"{shown(name)!r} was not asked for.", hint=f"Asked: {known}.")
            try:
                json.dumps(given[name], allow_nan=False)
            except (TypeError, ValueError, RecursionError):
                raise AnswerError(f"the value of {shown(name)} is not a JSON value.") from None
        for ask in self.asks:
            is_left_out = ask.optional and given.get(ask.name, ask) is None
            if ask.name not in given or is_left_out:
                continue
            if not port("is_fitting")(given[ask.name], ask.json_schema):
                place = f"{shown(path_text(ask.path))} of " if ask.path else ""
                takes = shown(ask.expected, LONGEST_TEXT) or "other values"
                hint = f"{place}{shown(ask.parameter)} takes {takes}."
                raise AnswerError(f"the value of {shown(ask.name)} does not fit.", hint=hint)

    def _refuse_parts(self, call: Call, given: dict[str, Any]) -> None:
        """Refuse answers inside a value with which that does not fit where it goes, as far as this is known."""
        instance = self._handle.instance
        tool = None if instance is None else instance.index.get(call.name)
        for name, source in call.arguments.items():
            for path in dict.fromkeys(path for _, path in slots_at(source)):
                if (text := part_at(source, path)).kind != "template":
                    continue
                whole: Any = answered(text, given)
                inside = {} if tool is None else tool.schema_inside(name, path)
                if whole.kind == "constant" and not port("is_fitting")(whole.value, inside):
                    what = f"with these answers {shown(name)} is a text that does not fit."
                    raise AnswerError(what, hint=f"See what {shown(call.name)} takes there.")
            if tool is None or source.kind != "structure":
                continue
            whole = answered(source, given)
            fits = instance.index.fits_schema
            if whole.kind == "constant" and not fits(call.name, name, whole.value):
                what = f"with these answers {shown(name)} is a value that does not fit."
                raise AnswerError(what, hint=f"See what {shown(call.name)} takes there.")

    def _answered(self, index: int, call: Call, given: dict[str, Any]) -> dict[str, Any]:
        """Return the arguments of a call with asked values filled in; None leaves out what is optional."""
        asks = (ask for ask in self.asks if ask.optional and ask.call == index)
        left = {ask.parameter for ask in asks if given.get(ask.name, ask) is None}
        return {p: answered(source, given) for p, source in call.arguments.items() if p not in left}
