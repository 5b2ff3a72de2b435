"""
What is done with a call of a tool before it reaches an MCP server.

The tools are those that the server lists. A call that is right goes on as it is, one that can be repaired goes
on repaired, and every other one is answered with what is wrong and what to send. The latest results of the
tools are remembered, each under a label of its own. What comes from an earlier result is never filled in
silently: the model or the user says whether it is meant.
"""

from __future__ import annotations

import re
import threading
from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from functools import partial
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal, TypeAlias, cast

from refract_asp.errors import InputError, meant, shown
from refract_asp.formats import catalog_mistakes, dump_sequence, load_sequence
from refract_asp.formats.catalogs import has_name
from refract_asp.formats.references import with_names
from refract_asp.formats.values import DECODER, UnreadableError, json_text, plain, read_json_text
from refract_asp.integrations.decisions import Decision, Policy
from refract_asp.integrations.hook import TIME_LIMIT, Hook
from refract_asp.integrations.mcp.messages import Message
from refract_asp.integrations.shapes import Shapes
from refract_asp.model import Call, Constant, Reference, RepairResult, Sequence, Source, Tool
from refract_asp.model.paths import FieldPath, are_texts, list_of, object_of, only, steps_of
from refract_asp.model.schemas import schema_types
from refract_asp.model.sequence import slots_of
from refract_asp.options import RepairOptions
from refract_asp.refractor import Refractor
from refract_asp.runtime.scripts import with_values
from refract_asp.settings import choice, refuse

__all__ = ["Form", "Guard", "GuardOptions", "Remembered", "Verdict"]

MAX_RESULTS = 50
"""So many results are remembered, the latest ones."""
MAX_RESULT = 100_000
"""Characters of a text that is remembered; a longer one is forgotten at once."""
MAX_VALUES = 2_000
"""So many values of one result are compared with the arguments of a call."""
LEAST = 3
"""Characters that a text needs to count as found inside another one."""
_SAYING_NOTHING = {"type", "$schema", "title", "description"}
"""The keys of a schema that say nothing of parameters."""


@dataclass(frozen=True, slots=True)
class Result:
    """A call that ran, the label of its result, the result, and whether that is a text and no data."""

    label: str
    call: Call
    value: Any
    is_text: bool


class Remembered:
    """
    The latest results of calls; thread-safe.

    Example:
        >>> memory = Remembered()
        >>> memory.add("find", {"q": "x"}, {"content": [{"type": "text", "text": '{"id": "U-7"}'}]})
        >>> memory.values()
        {'find_1': {'id': 'U-7'}}
        >>> memory.source_of("U-7", {})
        Reference(kind='reference', label='find_1', path=('id',), bare=False)
    """

    def __init__(self) -> None:
        """Know nothing yet."""
        self._results: deque[Result] = deque(maxlen=MAX_RESULTS)
        self._numbers = count(1)
        self._lock = threading.Lock()

    def add(self, name: str, arguments: dict[str, Any], result: Message) -> None:
        """Remember what a call gave, unless it failed or gave too much."""
        if result.get("isError") or result.get("resultType") == "input_required":
            return
        texts = [
            str(block.get("text"))
            for block in list_of(result.get("content"))
            if object_of(block).get("type") == "text"
        ]
        if sum(map(len, texts)) > MAX_RESULT:
            return
        # the data that it is, else its text
        data, found = result.get("structuredContent"), "\n".join(texts) or None
        with suppress(UnreadableError, ValueError, RecursionError):
            if data is None and len(texts) == 1:
                data = DECODER.decode(texts[0])
            if isinstance(data, dict | list):
                found = plain(data)
        if found is None:
            return
        label = f"{re.sub(r'[^0-9A-Za-z_]', '_', name)[:60]}_{next(self._numbers)}"
        label = label if label[0].isalpha() or label[0] == "_" else f"_{label}"
        given: dict[str, Source] = {key: Constant(value=each) for key, each in arguments.items()}
        with self._lock:
            call = Call(name=name, arguments=given, label=label)
            self._results.append(Result(label, call, found, isinstance(found, str)))

    def values(self) -> dict[str, Any]:
        """Return the results that are data, by their labels."""
        with self._lock:
            return {each.label: each.value for each in self._results if not each.is_text}

    def history(self) -> Sequence:
        """Return the calls that ran."""
        with self._lock:
            return Sequence(calls=tuple(each.call for each in self._results))

    def source_of(self, value: Any, known: dict[str, Any]) -> Reference | None:
        """
        Return where the latest result holds a value, or None where none does.

        Args:
            value: what is looked for, no true, false or null, and no very short text.
            known: takes the value under a name of its own where it stands inside of a text.
        """
        if value is None or isinstance(value, bool | dict | list) or value == "":
            return None
        with self._lock:
            results = list(self._results)
        for each in reversed(results):
            if each.is_text:
                text = str(value)
                inside = rf"(?<!\w){re.escape(text)}(?!\w)"
                if len(text) >= LEAST and re.search(inside, each.value):
                    label = f"{each.label}_says_{len(known)}"
                    known[label] = value
                    return Reference(label=label)
                continue
            for number, (path, held) in enumerate(_leaves(each.value)):
                if number == MAX_VALUES:
                    break
                if type(held) is type(value) and held == value:
                    return Reference(label=each.label, path=path)
        return None


def _leaves(value: Any, path: FieldPath = ()) -> Iterator[tuple[FieldPath, Any]]:
    """Yield each plain value inside of a value, with its path."""
    if isinstance(value, dict | list):
        parts = steps_of(value)
        for key, each in parts:
            yield from _leaves(each, (*path, key))
    else:
        yield path, value


PolicyName: TypeAlias = Literal["repair", "strict", "observe"]
Action: TypeAlias = Literal["pass", "repair", "ask", "answer", "failed"]

MAX_LISTED = 50
"""So many tools are named where a call names none of them."""
MAX_TEXT = 2_000
"""The most characters of the answer about one call."""

# The name of a parameter that can stand in a text of the rules.
_NAME = re.compile(r'[^${}()<>\[\]"\\]*')


@dataclass(frozen=True, kw_only=True)
class GuardOptions:
    """
    What is done with calls.

    Attributes:
        policy: what is done with a call that is not right: it is repaired ("repair"), sent back ("strict"),
            or goes on as it is ("observe").
        allow: names or globs of the tools that may be called; none allows all.
        deny: names or globs of tools that may not be called; they are not listed either.
        options: how calls are checked and repaired.
        remember: whether results are remembered.
        ids: parameters whose values have to come from an earlier result.
    """

    policy: PolicyName = "repair"
    allow: Collection[str] = ()
    deny: Collection[str] = ()
    options: RepairOptions = field(default_factory=RepairOptions)
    remember: bool = True
    ids: Collection[str] = ()

    def __post_init__(self) -> None:
        """Refuse what no policy can be."""
        choice("policy", self.policy, ("repair", "strict", "observe"))
        for name in self.ids:
            if _NAME.fullmatch(name) is None or not name.isprintable():
                refuse("ids", name, "Give names of parameters.")
        if self.ids and not self.remember:
            refuse("ids", ", ".join(self.ids), "Results have to be remembered for it.")

    def permits(self, name: object) -> bool:
        """Whether a tool may be called and listed."""
        if not isinstance(name, str):
            return True

        return (not self.allow or _is_one_of(name, self.allow)) and not self.denies(name)

    def denies(self, name: str) -> bool:
        """Whether a name is among those that may not be called, whatever else may."""
        return _is_one_of(name, self.deny)


def _is_one_of(name: str, names: Iterable[str]) -> bool:
    return any(fnmatchcase(name, each) for each in names)


@dataclass(frozen=True, slots=True)
class Verdict:
    """
    What becomes of a call.

    Attributes:
        action: "pass" it as it is, run it as it was "repair"ed, "ask" for what is open, "answer" with `text`;
            "failed": it could not be judged.
        name: the tool that is to be called.
        arguments: what it is to be given.
        text: what the model is to be told where the call does not run.
        reason: as of a `Decision`.
        changes: what was repaired, a sentence each.
        decision: the decision behind it, if there is one.
    """

    action: Action
    name: str = ""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    text: str = ""
    reason: str = ""
    changes: tuple[str, ...] = ()
    decision: Decision | None = None

    @property
    def result(self) -> RepairResult | None:
        """The repair behind it, if there is one."""
        return self.decision.result if self.decision is not None else None


@dataclass(frozen=True, slots=True)
class Form:
    """
    What the user is asked: a text, and the fields of a form by name, each with a schema of one plain value.

    Those that are `required` have to be filled in.
    """

    message: str
    fields: Mapping[str, Message]
    required: list[str]


class Guard:
    """
    Judges calls of the tools that a server lists; thread-safe, compiled once.

    Args:
        tools: the tools as `tools/list` gives them.
        options: what is done with calls.
        memory: what earlier calls gave.

    Example:
        >>> schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
        >>> guard = Guard([{"name": "double", "inputSchema": schema}])
        >>> guard.judged({"name": "duoble", "arguments": {"n": "3"}}).arguments
        {'n': 3}
    """

    def __init__(
        self,
        tools: list[Message],
        options: GuardOptions | None = None,
        memory: Remembered | None = None,
    ) -> None:
        """Read the tools as far as they can be read."""
        self.options = options = options or GuardOptions()
        self.memory = memory or Remembered()
        named: dict[str, Message] = {}
        for tool in filter(has_name, tools):
            named.setdefault(tool["name"], tool)
        self.tools = list(named.values())
        self.names = frozenset(named)
        permitted = [tool for name, tool in named.items() if options.permits(name)]
        catalog, self.mistakes = catalog_mistakes({"tools": permitted}, "mcp")
        said = {name: object_of(tool.get("inputSchema")) for name, tool in named.items()}
        # those that declare no parameters at all, and forbid none
        free = {name for name, each in said.items() if each.keys() <= _SAYING_NOTHING}
        kept = (
            tool.model_copy(update={"additional_parameters": True}) if tool.name in free else tool
            for tool in catalog.tools
        )
        catalog = catalog.model_copy(update={"tools": tuple(kept)})
        # one request is one call, and a model that speaks through a server has no references
        how = replace(options.options, references=False, max_new_calls=0)
        self._how, self._whole = how, cast("Refractor | None", None)
        with TemporaryDirectory() as folder:
            if options.ids:
                facts = Path(folder, "ids.lp")
                stated = (f'must_come_from_result("{name}").\n' for name in options.ids)
                facts.write_text("".join(stated), "utf-8")
                how = replace(how, encodings=(*how.encodings, "provenance", facts))
            self._refractor = Refractor(catalog, how)
        self._tools: Mapping[str, Tool] = self._refractor.catalog.by_name
        on_repair: Any = "retry" if options.policy == "strict" else "repair"
        policy = Policy(on_repair=on_repair, on_destructive="retry")
        limit = options.options.time_limit
        more: Any = {} if limit is None else {"time_limit": limit}
        self._hook = Hook(self._refractor, policy=policy, **more)
        self._is_plain = not (how.encodings or how.patterns)
        self._shapes = Shapes(self._refractor)

    def is_like_a_right_one(self, params: Message) -> bool:
        """Whether a call is of the same kind as one that was found right, so that it is right, too."""
        name, arguments = params.get("name"), params.get("arguments", {})
        if self._shapes.has(name, arguments):
            return True
        read = partial(load_sequence, request_of(str(name), arguments), "mcp")
        return self._shapes.has_stated([(name, arguments)], read)

    def judged(self, params: Message) -> Verdict:
        """Say what becomes of a call; `params` are those of the request."""
        if (verdict := self._at_once(params)) is not None:
            return verdict
        name, arguments = params["name"], params.get("arguments", {})
        opened = _opened(arguments)
        known = self.memory.values() if self.options.remember else {}
        history: Any = ()
        request = request_of(name, opened)
        given: Any = request
        if not self._is_plain and self.options.remember:
            # it reads from earlier results what it repeats of them, as house rules want to see
            read = with_names(load_sequence(request, "mcp"), (), labels=False)
            calls = []
            for call in read.calls:
                sources = dict(call.arguments)
                for parameter, source in call.arguments.items():
                    value = source.value if isinstance(source, Constant) else None
                    sources[parameter] = self.memory.source_of(value, known) or source
                calls.append(call.model_copy(update={"arguments": sources}))
            given = read.model_copy(update={"calls": tuple(calls), "format": None})
            history = self.memory.history()
        decision = self._hook(given, memory=known, history=history)
        if decision.outcome == "pass" and opened is arguments:
            if self._is_plain and isinstance(arguments, dict):
                self._shapes.keep(name, arguments)
                if decision.result is not None:
                    instance = decision.result._handle.instance
                    self._shapes.keep_stated([(name, arguments)], instance)
            return Verdict("pass", name, opened, decision=decision)
        if decision.reason in ("internal", "time", "bounds"):
            return Verdict("failed", name, text=decision.feedback, reason=decision.reason)
        verdict = self._mended(name, decision, is_text=opened is not arguments)
        if verdict.action != "answer" and name not in self.names and self._means_denied(request):
            return self._denied(name)
        return verdict

    def form(self, verdict: Verdict) -> Form | None:
        """Return what a user is to be asked before a call can run, or None where no form can say it."""
        result = verdict.result
        if result is None:
            return None
        fields: dict[str, Message] = {}
        for ask in result.asks:
            schema = plain_schema(ask.json_schema)
            if schema is None:
                return None
            about = shown(ask.description or schema.get("description", ""), 300)
            fields[ask.name] = {**schema, **({"description": about} if about else {})}
        sent = self._agreed(result)
        required = [ask.name for ask in result.asks if not ask.optional]
        wrong = _wrong(result)
        if sent is not None:
            for parameter in self._recalled(result):
                if (schema := plain_schema(self._schema(sent[0], parameter))) is not None:
                    fields[parameter] = {**schema, "default": sent[1][parameter]}
            wrong += f" Run this: {self._written(*sent)}?"
        else:
            called = ", ".join(shown(call.name) for call in result.sequence.calls)
            wrong += f" Needed for {called}: {', '.join(map(shown, fields))}."
        return Form(wrong.strip(), fields, required)

    def answered(self, verdict: Verdict, values: Mapping[str, Any]) -> Verdict:
        """Say what becomes of a call when the user gave values and agreed to what was open."""
        result = verdict.result
        if result is None:
            return replace(verdict, action="answer")
        asked = {ask.name for ask in result.asks}
        try:
            sent = self._agreed(result, only(values, asked))
        except InputError as error:
            text = f"Not run: what the user answered does not fit. {shown(error, 500)}"
            return Verdict("answer", verdict.name, text=text, reason="asks")
        if sent is None:
            return replace(verdict, action="answer")
        name, arguments = sent
        for parameter in {*self._recalled(result)} & values.keys():
            if not self._refractor._engine.index.fits_schema(name, parameter, values[parameter]):
                text = f"Not run: what the user gave for {shown(parameter)} does not fit."
                return Verdict("answer", name, text=text, reason="asks")
            arguments = {**arguments, parameter: values[parameter]}
        agreed = [f"The user gave {shown(key)}" for key in values if key in asked]
        changes = (*_changes(result), *(agreed or ["The user agreed"]))
        return Verdict("repair", name, arguments, "", "agreed", changes)

    def shown_arguments(self, name: str, arguments: object) -> object:
        """Return arguments without what is secret in them, for a log."""
        secret = self._refractor._engine.index.secrets
        if not isinstance(arguments, dict):
            return secret.value([name], ["arguments"], arguments)
        return {key: secret.value([name], [key], value) for key, value in arguments.items()}

    # -- steps -----------------------------------------------------------------

    def _at_once(self, params: Message) -> Verdict | None:
        """Say what becomes of a call where the rules need not be asked."""
        name, arguments = params.get("name"), params.get("arguments", {})
        if not isinstance(name, str):
            text = f"Not run: the call names no tool. {self._listed()}"
            return Verdict("answer", text=text, reason="unreadable")
        # a name that the server does not have may be a slip in that of a tool that may be called
        if self.options.denies(name) or (name in self.names and not self.options.permits(name)):
            return self._denied(name)
        if name in self.names and name not in self._tools:
            return Verdict("pass", name, reason="unread")
        if self._is_plain and self.is_like_a_right_one(params):
            return Verdict("pass", name, arguments)
        return None

    def _denied(self, name: str) -> Verdict:
        text = f"Not run: {shown(name)} may not be called. {self._listed()}"
        return Verdict("answer", name, text=text, reason="denied")

    def _means_denied(self, request: Message) -> bool:
        """Whether a call whose tool does not exist would be repaired to one that may not be called."""
        if all(map(self.options.permits, self.names)):
            return False
        if self._whole is None:
            every = catalog_mistakes({"tools": self.tools}, "mcp")[0]
            self._whole = Refractor(every, replace(self._how, encodings=()))
        limit = self.options.options.time_limit or TIME_LIMIT
        calls = self._whole.repair(request, time_limit=limit).sequence.calls
        return not all(self.options.permits(call.name) for call in calls)

    def _mended(self, name: str, decision: Decision, *, is_text: bool) -> Verdict:
        """Say what becomes of a call that is not right as it is."""
        result, reason = decision.result, decision.reason
        text = decision.calls[0].feedback if decision.calls else decision.feedback
        if result is None or reason == "unrepairable":
            return Verdict("answer", name, text=text, reason=reason, decision=decision)
        sent, is_recalled = self._agreed(result), any(self._recalled(result))
        is_strict = self.options.policy == "strict"
        if is_text and is_strict:
            text = f"Not run: the arguments are a text and no object. {text}".strip()
        elif decision.outcome in ("pass", "repair") and not is_recalled:
            if sent is not None:
                changes = (
                    *(["Give the arguments as an object"] if is_text else []),
                    *_changes(result),
                )
                return Verdict("repair", *sent, "", "repaired", changes, decision=decision)
            text = "Not run: it would have to become several calls. Send each of them by itself."
            return Verdict("answer", name, text=text, reason=reason, decision=decision)
        if is_recalled:
            text = f"Not run: {_wrong(result)} An earlier result may hold what is meant."
            reason = "confirms"
        if sent is not None and (is_recalled or is_text):
            text = f"{text} If that is what you mean, send {self._written(*sent, ' with ')}."
        action: Action = "ask" if reason in ("asks", "confirms", "destructive") else "answer"
        if is_strict or (sent is None and not result.asks):
            action = "answer"
        return Verdict(action, name, text=text, reason=reason, decision=decision)

    def _agreed(
        self, result: RepairResult, values: Mapping[str, Any] | None = None
    ) -> tuple[str, Message] | None:
        """Return the one call that a repair comes to when all is agreed to; None where it is no single one."""
        runs = with_values(result.answer(values, confirmed=True), dict(_known(result)))
        held = (source for call in runs.calls for source in call.arguments.values())
        if len(runs.calls) != 1 or any(True for source in held for _ in slots_of(source)):
            return None
        written = dump_sequence(runs, "mcp")
        params = (written[0] if isinstance(written, list) else written)["params"]
        return params["name"], params.get("arguments", {})

    def _written(self, name: str, arguments: Message, between: str = " ") -> str:
        """Return a call as a text without secrets."""
        shown_here = json_text(self.shown_arguments(name, arguments))
        return f"{shown(name)}{between}{shown(shown_here, MAX_TEXT)}"

    def _recalled(self, result: RepairResult) -> Iterator[str]:
        """Yield the parameters that a repair fills from an earlier result."""
        known = _known(result)
        for edit in result.edits:
            if edit.kind in ("fill", "rebind") and any(
                isinstance(slot, Reference) and slot.label in known for slot in slots_of(edit.after)
            ):
                yield edit.parameter

    def _schema(self, name: str, parameter: str) -> object:
        """Return the schema of a parameter."""
        tool = self._tools.get(name)
        declared = tool.parameters.get(parameter) if tool is not None else None
        return declared.json_schema if declared is not None else None

    def _listed(self) -> str:
        """Return a sentence with the tools that may be called."""
        names = [each for each in self.names if self.options.permits(each)]
        return meant("", names, "Tools", MAX_LISTED) or "Tools: none."


def request_of(name: str, arguments: object) -> Message:
    """Return a call of a tool as a request."""
    params = {"name": name, "arguments": arguments}
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}


def plain_schema(schema: Any) -> Message | None:
    """
    Return the schema of a field in a form, which holds one plain value; None where the value is none.

    Example:
        >>> plain_schema({"type": ["integer", "null"], "minimum": 1, "x": 2})
        {'type': 'integer', 'minimum': 1}
        >>> plain_schema({"type": "array"})
    """
    held = object_of(schema)
    types = sorted({*schema_types(held)} - {"null"})
    types = ["number"] if types == ["integer", "number"] else types
    values = held.get("enum")
    if values and are_texts(values):
        return {"type": "string", "enum": values}
    if len(types) != 1 or types[0] not in ("string", "integer", "number", "boolean"):
        return None
    kept: Message = {"type": types[0]}
    for key in ("title", "description", "default", *_OF_FORMS[types[0]]):
        value = held.get(key)
        if isinstance(value, str | int | float) and (key != "format" or value in _FORMATS):
            kept[key] = value
    return kept


_FORMATS = ("email", "uri", "date", "date-time")
_OF_FORMS = {
    "string": ("minLength", "maxLength", "format"),
    "integer": ("minimum", "maximum"),
    "number": ("minimum", "maximum"),
    "boolean": (),
}


def _opened(arguments: object) -> object:
    """Return the arguments that a JSON text holds; everything else as it is."""
    if isinstance(arguments, str):
        with suppress(UnreadableError, ValueError, RecursionError):
            held = read_json_text(arguments)[0]
            if isinstance(held, dict):
                return held
    return arguments


def _wrong(result: RepairResult) -> str:
    """Say what is wrong first, a sentence each."""
    return " ".join(f"{shown(each.message, 300)}." for each in result.violations[:5])


def _known(result: RepairResult) -> Mapping[str, Any]:
    """Return the values that a repair may read."""
    instance = result._handle.instance
    return {} if instance is None else instance.memory.values


def _changes(result: RepairResult) -> tuple[str, ...]:
    """Return what a repair changes, a sentence each."""
    told = (each for each in result.diagnostics() if each.fix)
    fixes = (
        shown(each.fix, 300) for each in told if each.edit is None or each.edit.pattern != "ask"
    )
    return tuple(dict.fromkeys(fixes))
