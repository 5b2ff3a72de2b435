"""What a run asks of people: values, and whether they agree; one question at a time."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, TypeAlias

from refract_asp.errors import InputError, ToolError, shown
from refract_asp.formats.values import UnreadableError, plain
from refract_asp.model.paths import path_text
from refract_asp.rules.schemas.validation import BrokenSchemaError, Validator
from refract_asp.runtime.calling import call_tool
from refract_asp.runtime.steps import Agreement, Arguments, Question, Step
from refract_asp.runtime.tools import bind

__all__ = ["AskBy", "ConfirmBy", "People"]

AskBy: TypeAlias = Callable[[Question], Any] | Mapping[str, Any] | None
"""Gives the value that is asked for, or None for no answer; it may be async. Or the values by name."""

ConfirmBy: TypeAlias = Callable[[Agreement], Any] | bool | None
"""Gives True where somebody agrees; it may be async. Or the same answer to everything."""

TRIES = 3
"""How often a value is asked for when the answers do not fit."""

log = logging.getLogger("refract_asp.runtime")


class People:
    """
    Asks for values and for agreement.

    Args:
        ask: gives the values.
        confirm: agrees.

    Raises:
        InputError: what is given can answer nothing.
    """

    def __init__(self, ask: AskBy = None, confirm: ConfirmBy = None) -> None:
        """Take who answers."""
        if ask is not None and not callable(ask) and not isinstance(ask, Mapping):
            raise InputError(
                "ask is no function and no mapping.", hint='As in ask={"date": "2024-08-15"}.'
            )
        if confirm is not None and not callable(confirm) and not isinstance(confirm, bool):
            raise InputError(
                "confirm is no function.", hint="Or give True, which agrees to everything."
            )
        self.answers: dict[str, Any] = {}
        self._ask = ask
        self._confirm = confirm
        self._questions: Mapping[str, Question] = {}
        self._answered: dict[str, asyncio.Future[str]] = {}
        self._turn = asyncio.Lock()

    def begin(self, questions: Mapping[str, Question]) -> bool:
        """Take what has to be asked for, and return whether there is anything."""
        loop = asyncio.get_running_loop()
        self._questions = questions
        self._answered = {name: loop.create_future() for name in questions}
        return bool(questions)

    async def ask_all(self) -> None:
        """Ask for every value, in order."""
        for name, question in self._questions.items():
            async with self._turn:
                self._answered[name].set_result(await self._asked(question))

    async def unanswered(self, names: tuple[str, ...]) -> str:
        """Wait for answers; return which one there is none to, as a sentence, or the empty text."""
        for name in names:
            if problem := await self._answered[name]:
                return problem
        return ""

    async def disagreed(self, step: Step, arguments: Arguments, reasons: list[str]) -> str:
        """Have a call agreed to; return what was not, as a sentence, or the empty text."""
        for confirm, reason in zip(step.confirms, reasons, strict=True):
            named = plain(arguments.named)  # whoever is shown them cannot change them
            agreement = Agreement(step.number, step.tool, step.label, named, confirm, reason)
            if self._confirm is None:
                return f"nobody was there to agree to {_kind(agreement)}."
            if isinstance(self._confirm, bool):
                agreed: Any = self._confirm
            else:
                async with self._turn:
                    agreed = await _called(self._confirm, agreement)
            if agreed is not True:
                return f"{_kind(agreement)} was not agreed to."
        return ""

    async def _asked(self, question: Question) -> str:
        """Ask for a value and keep it; return why there is none, as a sentence, or the empty text."""
        name = shown(question.name)
        for _ in range(TRIES):
            try:
                value = await self._answer(question)
            except UnreadableError as error:
                return f"the answer for {name} is no JSON value: {error}"
            if value is None:
                return f"{name} was not answered."
            problem = _problem(value, question)
            if not problem:
                self.answers[question.name] = value
                return ""
            question = replace(question, problem=problem)
            if not callable(self._ask):
                break
        return f"the answer for {name} does not fit: {question.problem}"

    async def _answer(self, question: Question) -> Any:
        if isinstance(self._ask, Mapping):
            return plain(self._ask.get(question.name))
        return None if self._ask is None else await _called(self._ask, question)


async def _called(function: Callable[[Any], Any], asked: Any) -> Any:
    """Return what a function answers, a JSON value; None where it fails."""
    try:
        return await call_tool(replace(bind(function), name="answer"), {}, (asked,))
    except ToolError as error:
        log.warning("what answers the questions of a run failed: %s", error, exc_info=error)
        return None


def _problem(value: Any, question: Question) -> str:
    """Say what is wrong with an answer, or return the empty text."""
    if not question.schema:
        return ""
    try:
        faults = Validator(question.schema).faults(value)
    except BrokenSchemaError:
        return ""
    places = (
        (f"{path_text(fault.path)} should" if fault.path else "it should", fault)
        for fault in faults[:3]
    )
    return "; ".join(f"{place} be {fault.expected}" for place, fault in places)


def _kind(agreement: Agreement) -> str:
    confirm = agreement.confirm
    tool = shown(agreement.tool)
    if confirm.kind == "tool":
        return f"the use of {tool}"
    word = "leaving out" if confirm.kind == "drop" else "the value of"
    return f"{word} {shown(confirm.parameter)} of {tool}"
