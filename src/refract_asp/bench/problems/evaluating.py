"""How many answers to the problems of a benchmark pass: for each problem, by dial, and in all."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from refract_asp.bench.problems.expressions import Argument, Call
from refract_asp.bench.problems.grading import graded, read_test
from refract_asp.bench.problems.library import Library, Registry, registry_of
from refract_asp.bench.problems.problem import TestCase, make
from refract_asp.errors import InputError, shown
from refract_asp.formats.source import opened

__all__ = [
    "Answer",
    "Evaluation",
    "Graded",
    "Sampler",
    "Samples",
    "cut",
    "evaluate",
    "grade",
    "load_problems",
    "load_samples",
    "made",
]


MAX_PROBLEMS = 100_000
MAX_SAMPLES = 1_000_000

Samples: TypeAlias = dict[str, list[str]]
"""The answers to each problem, by its id."""

_SHAPE = 'Write {"1": {"signature": "image.blur()", "description": "blurs an image"}}.'
_SAMPLE = 'Write {"id": "1", "sample": "return ..."} or {"id": "1", "samples": [...]}, one a line.'


def load_problems(data: Any) -> dict[str, dict[str, Any]]:
    """
    Read a file of a benchmark: the arguments of each problem by its id.

    Raises:
        FormatError: it is no such file; the message names the place.

    Example:
        >>> load_problems('{"1": {"signature": "image.blur()", "description": "blurs an image"}}')
        {'1': {'signature': 'image.blur()', 'description': 'blurs an image'}}
    """
    content, origin = opened(data, yaml=True)
    if not isinstance(content, dict) or "signature" in content:
        raise origin.error(
            "this is no benchmark: an object of problems by id is needed.", hint=_SHAPE
        )
    if not content:
        raise origin.error("the benchmark has no problem.", hint=_SHAPE)
    if len(content) > MAX_PROBLEMS:
        raise origin.error(
            f"the benchmark has more than {MAX_PROBLEMS:,} problems.", hint="Split it."
        )
    for id, arguments in content.items():
        if not isinstance(arguments, dict) or "signature" not in arguments:
            raise origin.error("this is no benchmark: a problem has a signature.", (id,), _SHAPE)
    return content


def made(
    problems: Mapping[str, Mapping[str, Any] | TestCase],
    libraries: Registry | Iterable[Library] | None = None,
) -> dict[str, TestCase]:
    """
    Make the problems of a benchmark.

    Raises:
        InputError: one cannot be made; the message names its id.
    """
    registry = registry_of(libraries)
    found: dict[str, TestCase] = {}
    for id, arguments in problems.items():
        try:
            found[id] = arguments if isinstance(arguments, TestCase) else make(arguments, registry)
        except InputError as error:
            where = ": ".join(filter(None, (f"problem {shown(id, 120)}", error.where)))
            raise type(error)(error.what, where=where, hint=error.hint) from None
    return found


def load_samples(data: Any) -> Samples:
    """
    Read answers to problems, one or several a line; those of one id are put together.

    Raises:
        FormatError: it is no such file; the message names the place.

    Example:
        >>> load_samples([{"id": "1", "sample": "return image"}, {"id": "1", "samples": ["return 1"]}])
        {'1': ['return image', 'return 1']}
    """
    content, origin = opened(data, yaml=True, lines=True)
    rows = [content] if isinstance(content, dict) else content
    if not isinstance(rows, list):
        raise origin.error("these are no samples.", hint=_SAMPLE)
    found: Samples = {}
    count = 0
    for index, row in enumerate(rows):
        if not isinstance(row, dict) or not isinstance(row.get("id"), str):
            raise origin.error(
                "a sample needs the id of its problem, as a text.", (index,), _SAMPLE
            )
        if ("sample" in row) == ("samples" in row):
            raise origin.error(
                "either one sample or a list of samples is needed.", (index,), _SAMPLE
            )
        samples = [row["sample"]] if "sample" in row else row["samples"]
        if not isinstance(samples, list) or not all(isinstance(sample, str) for sample in samples):
            key = "sample" if "sample" in row else "samples"
            raise origin.error("a sample is a text.", (index, key), _SAMPLE)
        count += len(samples)
        if count > MAX_SAMPLES:
            raise origin.error(
                f"there are more than {MAX_SAMPLES:,} samples.", hint="Split the file."
            )
        found.setdefault(row["id"], []).extend(samples)
    return found


Sampler: TypeAlias = Callable[[str], str | Sequence[str]]
"""Answers a prompt, once or several times."""

_BLANK = re.compile(r"\n(?:[ \t]*(?:\n|\Z))+")
_RETURN = re.compile(r"^[ \t]*return\b", re.M)
_PLOTTED = (
    "num_distractors", "target_func_location", "function_noise_type", "description_noise_type",
    "arg_noise_type", "indent", "use_quotes", "joiner", "section_joiner", "intro",
    "task_description_preamble", "begin_token", "end_token",
)  # fmt: skip


@dataclass(frozen=True)
class Answer:
    """
    An answer that was graded.

    Attributes:
        sample: the answer, whole.
        code: what of it counts, see `cut`.
        passed: whether it is as good as the target.
        error: why it is not.
    """

    sample: str
    code: str
    passed: bool
    error: str | None


@dataclass(frozen=True)
class Graded:
    """The answers to one problem."""

    id: str
    problem: TestCase
    answers: tuple[Answer, ...]

    @property
    def accuracy(self) -> float:
        """The share of the answers that pass."""
        return sum(answer.passed for answer in self.answers) / len(self.answers)


@dataclass(frozen=True)
class Evaluation:
    """
    The answers to the problems of a benchmark.

    Attributes:
        cases: the problems that were answered.
        missing: the ids of those that were not.
        unknown: the ids of answers to no problem.
    """

    cases: tuple[Graded, ...]
    missing: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()

    @property
    def accuracy(self) -> float | None:
        """The mean of the accuracies of the problems that were answered; None where none was."""
        return _mean(self.cases)

    def by_dial(self) -> dict[str, list[tuple[str, int, float]]]:
        """
        Return for each dial that differs among the problems: a value, how many have it, their accuracy.

        Besides the dials there are the numbers of `calls`, of `fixed` arguments and of `examples`.
        """
        found: dict[str, list[tuple[str, int, float]]] = {}
        for name in (*_PLOTTED, "calls", "fixed", "examples"):
            groups: dict[str, list[Graded]] = {}
            for case in sorted(self.cases, key=lambda case: _rank(_set(case.problem, name))):
                groups.setdefault(_text(_set(case.problem, name)), []).append(case)
            if len(groups) > 1:
                found[name] = [
                    (value, len(cases), _mean(cases) or 0.0) for value, cases in groups.items()
                ]
        return found

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield a row for each answer: the id, the sample, whether it passed, and why not."""
        for case in self.cases:
            for answer in case.answers:
                yield {
                    "id": case.id, "sample": answer.sample, "passed": answer.passed, "error": answer.error,
                }  # fmt: skip

    def as_data(self) -> dict[str, Any]:
        """Return the figures as JSON."""
        return {
            "schema_version": 1,
            "accuracy": self.accuracy,
            "problems": len(self.cases),
            "samples": sum(len(case.answers) for case in self.cases),
            "passed": sum(answer.passed for case in self.cases for answer in case.answers),
            "by_problem": {case.id: case.accuracy for case in self.cases},
            "by_dial": {
                dial: [{"value": v, "problems": n, "accuracy": a} for v, n, a in values]
                for dial, values in self.by_dial().items()
            },
            "missing": list(self.missing),
            "unknown": list(self.unknown),
        }


def evaluate(
    problems: Mapping[str, Mapping[str, Any] | TestCase],
    sampler: Sampler,
    libraries: Registry | Iterable[Library] | None = None,
) -> Evaluation:
    """
    Ask a sampler for answers to the prompts of problems, and grade them.

    Raises:
        InputError: a problem cannot be made, or the sampler answers with something else than text.

    Example:
        >>> from refract_asp.bench.problems import get_example
        >>> width = get_example("image.get_width()", "tells how wide an image is")
        >>> evaluate({"width": width}, lambda prompt: "return image.get_width()").accuracy
        1.0
    """
    cases = made(problems, libraries)
    samples: dict[str, list[str]] = {}
    for id, case in cases.items():
        samples[id] = _texts(sampler(case.prompt), id, "the sampler gives")
        if not samples[id]:
            raise InputError("the sampler gives no answer.", where=f"problem {shown(id, 120)}")
    return grade(cases, samples)


def grade(
    problems: Mapping[str, Mapping[str, Any] | TestCase],
    samples: Mapping[str, str | Sequence[str]],
    libraries: Registry | Iterable[Library] | None = None,
) -> Evaluation:
    """
    Grade answers to problems.

    Args:
        problems: the problems, or what they are made from, by id.
        samples: the answers, one or several, by the id of their problem.
        libraries: the libraries of the problems, by default those of the package.

    Raises:
        InputError: a problem cannot be made, or an answer is no text.
    """
    given = {id: _texts(answers, id, "the samples are") for id, answers in samples.items()}
    cases = []
    for id, problem in made(problems, libraries).items():
        if given.get(id):
            cases.append(Graded(id, problem, tuple(_answers(problem, given[id]))))
    return Evaluation(
        tuple(cases),
        missing=tuple(id for id in problems if not given.get(id)),
        unknown=tuple(id for id in given if id not in problems),
    )


def _texts(answers: Any, id: str, what: str) -> list[str]:
    """Return one answer or several as a list."""
    listed = [answers] if isinstance(answers, str) else answers
    if not isinstance(listed, Sequence) or not all(isinstance(each, str) for each in listed):
        raise InputError(f"{what} neither a text nor texts.", where=f"problem {shown(id, 120)}")
    return list(listed)


def _answers(problem: TestCase, samples: Sequence[str]) -> Iterator[Answer]:
    test = read_test(problem.test)
    for sample in samples:
        code = cut(sample, problem.dials.end_token, problem.dials.margin)
        passed, error = graded(code, test)
        yield Answer(sample, code, passed, error)


def cut(sample: str, end_token: str = "[END]", margin: str = "    ") -> str:
    """
    Return what of a sample counts as the answer: up to the end token, and up to a blank line.

    It is the first blank line that stands below a `return`, or that no indented line follows. Blank lines
    before the answer are passed over, and with them the indent that a prompt ends with.

    Example:
        >>> cut("return image.blur(5)\\n[END]\\n\\nWrite a function that")
        'return image.blur(5)'
    """
    text = sample.replace("\r\n", "\n")
    if end_token:
        text = text.split(end_token, 1)[0]
    begun = re.sub(r"\A(?:[ \t]*\n)+", "", text)
    if begun != text:
        begun = begun.removeprefix(margin)
    start = 0
    for blank in _BLANK.finditer(begun):
        if _RETURN.search(begun, start, blank.start()) or not begun.startswith(
            (" ", "\t"), blank.end()
        ):
            return begun[: blank.start()].rstrip()
        start = blank.end()
    return begun.rstrip()


def _mean(cases: Sequence[Graded]) -> float | None:
    return sum(case.accuracy for case in cases) / len(cases) if cases else None


def _set(problem: TestCase, name: str) -> Any:
    """Return the value of a dial, or one of the numbers that a problem is told by."""
    if name == "calls":
        return sum(1 for _ in problem.call.calls())
    if name == "fixed":
        return sum(
            1 for call in problem.call.calls() for value in call.arguments if _is_fixed(value)
        )
    if name == "examples":
        return len(problem.dials.fewshot)
    return getattr(problem.dials, name)


def _is_fixed(value: object) -> bool:
    return isinstance(value, Argument | Call)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True, default=dict)


def _rank(value: Any) -> tuple[int, float, str]:
    """Return what puts numbers before texts."""
    if isinstance(value, int | float):
        return 0, value, ""
    return 1, 0.0, _text(value)
