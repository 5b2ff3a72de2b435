"""What came of one sequence of many, as one line of the file that a batch writes; reading such files."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import PydanticSerializationError

from refract_asp.errors import LONGEST_TEXT, FormatError, LimitError, shown
from refract_asp.model import Ask, AskFor, ConfirmFor, Edit, RepairResult, Sequence, Verdict
from refract_asp.model.diagnostic import Diagnostic, TaggedFault, Tags
from refract_asp.model.paths import Frozen
from refract_asp.model.sequence import slots_of

Mode: TypeAlias = Literal["repair", "check", "compress"]
# What is done with each sequence.
MODES: tuple[Mode, ...] = get_args(Mode)
# The format of calls where that in which they came in cannot say what is open.
CALLS = "nestful"


class Shown(Frozen):
    """
    A repair to be printed: its secrets are replaced.

    Attributes:
        given: the given calls, as NESTFUL.
        calls: the repaired ones, likewise.
        edits: the changes.
    """

    given: list[Any]
    calls: list[Any]
    edits: tuple[Edit, ...] = ()


class Alternative(Frozen):
    """
    Another repair.

    Attributes:
        verdict: in one word.
        calls: its calls, in the format of those of the row where that can say what is open, else as NESTFUL.
        edits: the changes.
        cost: cost by criterion.
        shown: its calls as NESTFUL without secrets, where there are any.
    """

    verdict: Verdict
    calls: Any
    edits: tuple[Edit, ...] = ()
    cost: dict[str, int] = {}
    shown: list[Any] | None = None

    def sequence(self, format: str | None) -> Sequence:
        """
        Return its calls without secrets; `format` is that of the calls of the row.

        Raises:
            FormatError: the row was changed by hand.
        """
        if self.shown is not None:
            return Sequence.load(self.shown, CALLS)
        try:
            return Sequence.load(self.calls, format)
        except FormatError:
            return Sequence.load(self.calls, CALLS)


class StepOutcome(Frozen):
    """What became of one given call where each was judged with those before it: its index and verdict."""

    call: int
    verdict: Verdict
    optimal: bool = True


class Expected(Frozen):
    """
    How a sequence compares with the ground truth that its entry brought.

    Attributes:
        given: whether the given calls are the expected ones, up to labels and the order of independent calls.
        repaired: whether the repaired ones are; None where nothing was repaired.
        tags: the mistakes of the given calls against the expected ones.
    """

    given: bool
    repaired: bool | None = None
    tags: tuple[TaggedFault, ...] = ()


class Row(Frozen):
    """
    What came of one entry of a data set.

    The values of edits and calls are the real ones, as data, where secrets are kept; `shown` then holds them
    without secrets where there are any, for whatever is printed. Diagnostics hold none.

    Attributes:
        number: the number of the entry in the run, from 0.
        place: where it stood: file and line, or file and index.
        id: its name, or None.
        digest: the hash of the entry as it came in.
        meta: whatever else came with it.
        catalog: the name of the catalog that judged it.
        mode: what was done with it.
        stepwise: whether each call was judged with those before it.
        verdict: in one word; None where there is an error.
        error: why it could not be read or answered; the fields about its calls are empty then.
        optimal: whether the answer is proven to be the cheapest.
        ambiguous: whether another one of the same cost differs in meaning.
        truncated: what a bound left out of the search.
        count: how many calls were given.
        tools: the tools that the given calls name, one for each call.
        tags: the mistakes by kind.
        diagnostics: what is wrong, what would fit there, and what to change.
        edits: the changes.
        unresolved: indexes of given calls that could not be mended.
        unmet: goals that could not be met.
        origins: for each repaired call the index of the given one that it came from, or None.
        cost: cost by criterion of the cost model.
        total: cost by priority, highest first.
        notes: remarks that make nothing wrong.
        note: why the verdict is "unknown".
        steps: what became of each call, where each was judged with those before it.
        format: the format of `calls`.
        calls: the calls as they are to be made: the repaired ones, or the given ones after a check.
        given: the calls that were given, as NESTFUL; None where nothing was changed.
        shown: the same without secrets, where there are any.
        alternatives: other repairs, where they were asked for.
        expected: how it compares with the ground truth, where there was one.

    Example:
        >>> head = '"schema_version": 1, "number": 0, "place": "a.jsonl:1", "digest": "", "mode": "check"'
        >>> read_row(f'{{{head}, "verdict": "valid"}}').is_executable
        True
    """

    schema_version: Literal[1]
    number: int
    place: str
    digest: str
    mode: Mode
    verdict: Verdict | None = None
    error: str | None = None
    id: str | None = None
    meta: dict[str, Any] = {}
    catalog: str = ""
    stepwise: bool = False
    optimal: bool = True
    ambiguous: bool = False
    truncated: tuple[str, ...] = ()
    count: int = 0
    tools: tuple[str, ...] = ()
    tags: tuple[TaggedFault, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    edits: tuple[Edit, ...] = ()
    unresolved: tuple[int, ...] = ()
    unmet: tuple[str, ...] = ()
    origins: tuple[int | None, ...] = ()
    cost: dict[str, int] = {}
    total: dict[int, int] = {}
    notes: tuple[str, ...] = ()
    note: str = ""
    steps: tuple[StepOutcome, ...] = ()
    format: str | None = None
    calls: Any = None
    given: list[Any] | None = None
    shown: Shown | None = None
    alternatives: tuple[Alternative, ...] = ()
    expected: Expected | None = None

    @property
    def name(self) -> str:
        """Its id, else where it stood."""
        return self.id if self.id is not None else self.place

    @property
    def is_executable(self) -> bool:
        """Whether the calls can be made as `calls` holds them."""
        return self.verdict in ("valid", "repaired")

    @property
    def tagged(self) -> Tags:
        """The mistakes, to be asked by call and counted."""
        return Tags(faults=self.tags)

    def sequences(self) -> tuple[Sequence, Sequence]:
        """
        Return the given and the repaired sequence, without secrets: to be printed, not to be made.

        Raises:
            FormatError: the row was changed by hand, or there is an error in place of calls.
        """
        if self.calls is None:
            raise FormatError("there are no calls.", where=shown(self.name))
        if self.shown is not None:
            return Sequence.load(self.shown.given, CALLS), Sequence.load(self.shown.calls, CALLS)
        calls = Sequence.load(self.calls, self.format)
        return calls if self.given is None else Sequence.load(self.given, CALLS), calls

    def result(self) -> RepairResult:
        """
        Return the repair as far as a printer needs it, without secrets: calls, edits, and their origins.

        Raises:
            FormatError: as for `sequences`.
        """
        given, calls = self.sequences()
        told = ("unresolved", "optimal", "ambiguous", "cost", "total", "note")
        edits = self.edits if self.shown is None else self.shown.edits
        places = {
            each.name: {"call": number, "parameter": parameter}
            for number, call in reversed(list(enumerate(calls.calls)))
            for parameter, source in call.arguments.items()
            for each in slots_of(source)
            if isinstance(each, Ask)
        }
        risks = {(each.call, getattr(each, "parameter", None)): each.risky for each in edits}
        origins = dict(enumerate(self.origins))
        return RepairResult(
            verdict=self.verdict or "unknown",
            given=given,
            sequence=calls,
            edits=edits,
            asks=tuple(AskFor(name=name, **places.get(name, {})) for name in calls.asks),
            confirms=tuple(
                ConfirmFor(call=number, confirm=each, reason=risks.get(place) or "")
                for number, call in enumerate(calls.calls)
                for each in call.confirms
                for place in [(origins.get(number), getattr(each, "parameter", None))]
            ),
            origins=self.origins if self.origins or self.edits else tuple(range(len(calls.calls))),
            **{name: getattr(self, name) for name in told},
        )

    def line(self) -> str:
        """Return the row as one line of JSON, without a line break and without fields that have their defaults."""
        given, fields = self.model_fields_set, type(self).model_fields
        told = {name for name in given if getattr(self, name) != fields[name].default}
        # the edit that answers a diagnostic is in `edits`; its `answers` number the diagnostics
        how: Any = {"include": told, "exclude": {"diagnostics": {"__all__": {"edit"}}}}
        try:
            return self.model_dump_json(**how)
        except PydanticSerializationError:  # half of a surrogate pair, which JSON can only escape
            return json.dumps(self.model_dump(**how))


def read_row(line: str | bytes, place: str = "", *, may_be_cut: bool = False) -> Row:
    """
    Read a line of the file that a batch wrote.

    Raises:
        FormatError: it is none, or only the beginning of one where it may have been cut.
    """
    try:
        return Row.model_validate_json(line)
    except ValidationError as error:
        try:
            return Row.model_validate(json.loads(line))
        except (ValueError, RecursionError):  # a validation error is one too
            first = error.errors(include_url=False, include_input=False, include_context=False)[0]
            place_in = shown(".".join(map(str, first["loc"])))
            said = "it is not JSON" if first["type"] == "json_invalid" else shown(first["msg"])
            told = f"{place_in}: {said}" if place_in else said
            what = f"this is not a batch result line: {told}."
            hint = "Give a file that `refract-asp batch ... -o FILE` wrote."
            if may_be_cut and first["type"] == "json_invalid":
                what = "the last line ends in the middle: the run that wrote it was stopped."
                hint = "Resume it by `refract-asp batch ... --resume`, or take the line away."
            raise FormatError(what, where=place, hint=hint) from None


# A longer line is refused; no more than one is held at once.
MAX_ROW_BYTES = 50_000_000


def read_rows(path: Path, name: str | None = None) -> Iterator[Row]:
    """
    Yield the rows of a file that a batch wrote, one at a time.

    Args:
        path: the file.
        name: what it is called in messages; by default its path.

    Raises:
        FormatError: it cannot be read, or a line is no row; the message names file and line.
        LimitError: a line is too long.

    Example:
        >>> from tempfile import NamedTemporaryFile
        >>> head = '"schema_version": 1, "number": 0, "place": "a.jsonl:1", "digest": "", "mode": "check"'
        >>> with NamedTemporaryFile("w", suffix=".jsonl") as file:
        ...     print(f'{{{head}, "verdict": "valid"}}', file=file, flush=True)
        ...     [row.verdict for row in read_rows(Path(file.name))]
        ['valid']
    """
    called = shown(path if name is None else name, LONGEST_TEXT)
    try:
        with path.open("rb") as file:
            for number, line in enumerate(iter(partial(file.readline, MAX_ROW_BYTES + 1), b""), 1):
                place = f"{called}:{number}"
                if len(line) > MAX_ROW_BYTES:
                    what = f"the line is longer than {MAX_ROW_BYTES:,} bytes."
                    hint = "Give a file that `refract-asp batch` wrote."
                    raise LimitError(what, where=place, hint=hint)
                if line.strip():
                    yield read_row(line.strip(), place, may_be_cut=not line.endswith(b"\n"))
    except OSError as error:
        reason = shown(error.strerror or error, LONGEST_TEXT).lower()
        raise FormatError(f"the file cannot be read: {reason}.", where=called) from None


# -- times ---------------------------------------------------------------------

# Of later sequences no times are kept.
MAX_NUMBER = 20_000_000
# Bytes of a line that says how long a row took.
MAX_TIME_BYTES = 10_000


class _Time(BaseModel):
    model_config = ConfigDict(strict=True)

    number: Annotated[int, Field(ge=0, lt=MAX_NUMBER)]
    seconds: Annotated[float, Field(ge=0, allow_inf_nan=False)]


def times_file(path: Path) -> Path:
    """
    Return the file beside the rows that holds how the run was made, and how long each entry took.

    Example:
        >>> times_file(Path("runs/out.jsonl")).name
        'out.times.jsonl'
    """
    return path.with_name(f"{path.stem}.times{path.suffix or '.jsonl'}")


def times_of(path: Path) -> dict[int, float] | None:
    """
    Return how long the sequences of a run took, by number; None where there is no file with times.

    Lines without a time are left out, such as the first one, which describes the run.
    """
    found: dict[int, float] = {}
    try:
        with times_file(path).open("rb") as file:
            while line := file.readline(MAX_TIME_BYTES):
                with suppress(ValidationError):
                    time = _Time.model_validate_json(line)
                    found[time.number] = min(time.seconds, 1e9)
    except OSError:
        return None
    return found
