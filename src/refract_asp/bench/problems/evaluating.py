"""How many answers to the problems of a benchmark pass: for each problem, by dial, and in all."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import fmean
from typing import Any, TypeAlias

from refract_asp.bench.problems.grading import graded, read_test
from refract_asp.bench.problems.library import Library, Registry, placed, registry_of
from refract_asp.bench.problems.problem import TestCase, make
from refract_asp.bench.problems.signatures import Argument, Call
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
Problems: TypeAlias = Mapping[str, Mapping[str, Any] | TestCase]
"""Problems, or what they are made from, by id."""

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
        what = "this is no benchmark: an object of problems by id is needed."
        raise origin.error(what, hint=_SHAPE)
    if not content:
        raise origin.error("the benchmark has no problem.", hint=_SHAPE)
    if len(content) > MAX_PROBLEMS:
        what = f"the benchmark has more than {MAX_PROBLEMS:,} problems."
        raise origin.error(what, hint="Split it.")
    for id, arguments in content.items():
        if not isinstance(arguments, dict) or "signature" not in arguments:
            raise origin.error("this is no benchmark: a problem has a signature.", (id,), _SHAPE)
    return content


def made(
    problems: Problems, libraries: Registry | Iterable[Library] | None = None
) -> dict[str, TestCase]:
    """
    Make the problems of a benchmark.

    Raises:
        InputError: one cannot be made; the message names its id.
    """
    registry = registry_of(libraries)
    found: dict[str, TestCase] = {}
    for id, arguments in problems.items():
        with placed(f"problem {shown(id, 120)}"):
            found[id] = arguments if isinstance(arguments, TestCase) else make(arguments, registry)
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
    for index, row in enumerate(rows):
        if not isinstance(row, dict) or not isinstance(row.get("id"), str):
            what = "a sample needs the id of its problem, as a text."
            raise origin.error(what, (index,), _SAMPLE)
        if ("sample" in row) == ("samples" in row):
            what = "either one sample or a list of samples is needed."
            raise origin.error(what, (index,), _SAMPLE)
        key = "sample" if "sample" in row else "samples"
        samples = [row[key]] if key == "sample" else row[key]
        if not isinstance(samples, list) or not all(isinstance(sample, str) for sample in samples):
            raise origin.error("a sample is a text.", (index, key), _SAMPLE)
        found.setdefault(row["id"], []).extend(samples)
    if sum(map(len, found.values())) > MAX_SAMPLES:
        what = f"there are more than {MAX_SAMPLES:,} samples."
        raise origin.error(what, hint="Split the file.")
    return found


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
        return fmean(answer.passed for answer in self.answers)

    def value(self, name: str) -> Any:
        """Return the value of a dial, or one of the numbers that a problem is told by."""
        calls = list(self.problem.call.calls())
        if name == "calls":
            return len(calls)
        if name == "fixed":
            given = [value for call in calls for value in call.arguments]
            return sum(isinstance(value, Argument | Call) for value in given)
        if name == "examples":
            return len(self.problem.dials.fewshot)
        return getattr(self.problem.dials, name)


PLOTTED = (
    "num_distractors", "target_func_location", "function_noise_type", "description_noise_type",
    "arg_noise_type", "indent", "use_quotes", "joiner", "section_joiner", "intro",
    "task_description_preamble", "begin_token", "end_token", "calls", "fixed", "examples",
)  # fmt: skip
"""The dials, and besides the numbers of calls, of fixed arguments and of examples."""


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
        return fmean(case.accuracy for case in self.cases) if self.cases else None

    def by_dial(self) -> dict[str, list[tuple[str, int, float]]]:
        """
        Return for each dial that differs among the problems: a value, how many have it, their accuracy.

        Besides the dials there are the numbers of `calls`, of `fixed` arguments and of `examples`.
        """
        found: dict[str, list[tuple[str, int, float]]] = {}
        for name in PLOTTED:
            groups: dict[tuple[bool, float, str], list[float]] = {}
            for case in self.cases:
                value = case.value(name)
                is_text = not isinstance(value, int | float)  # numbers stand before texts
                text = (
                    value
                    if isinstance(value, str)
                    else json.dumps(value, sort_keys=True, default=dict)
                )
                rank = (is_text, 0.0 if is_text else value, text)
                groups.setdefault(rank, []).append(case.accuracy)
            if len({text for _, _, text in groups}) > 1:
                found[name] = [
                    (text, len(shares), fmean(shares))
                    for (_, _, text), shares in sorted(groups.items())
                ]
        return found

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield a row for each answer: the id, the sample, whether it passed, and why not."""
        for case in self.cases:
            for answer in case.answers:
                row = {"id": case.id, **asdict(answer)}
                del row["code"]
                yield row

    def as_data(self) -> dict[str, Any]:
        """Return the figures as JSON."""
        answers = [answer for case in self.cases for answer in case.answers]
        return {
            "schema_version": 1,
            "accuracy": self.accuracy,
            "problems": len(self.cases),
            "samples": len(answers),
            "passed": sum(answer.passed for answer in answers),
            "by_problem": {case.id: case.accuracy for case in self.cases},
            "by_dial": {
                dial: [{"value": v, "problems": n, "accuracy": a} for v, n, a in values]
                for dial, values in self.by_dial().items()
            },
            "missing": list(self.missing),
            "unknown": list(self.unknown),
        }


Sampler: TypeAlias = Callable[[str], str | Sequence[str]]
"""Answers a prompt, once or several times."""


def evaluate(
    problems: Problems,
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
    samples: Samples = {}
    for id, case in cases.items():
        samples[id] = _texts(sampler(case.prompt), id, "the sampler gives")
        if not samples[id]:
            raise InputError("the sampler gives no answer.", where=f"problem {shown(id, 120)}")
    return grade(cases, samples)


def grade(
    problems: Problems,
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
            test = read_test(problem.test)
            codes = [cut(s, problem.dials.end_token, problem.dials.margin) for s in given[id]]
            answers = zip(given[id], codes, strict=True)
            cases.append(
                Graded(
                    id, problem, tuple(Answer(s, code, *graded(code, test)) for s, code in answers)
                )
            )
    missing = tuple(id for id in problems if not given.get(id))
    return Evaluation(tuple(cases), missing, tuple(id for id in given if id not in problems))


def _texts(answers: Any, id: str, what: str) -> list[str]:
    """Return one answer or several as a list."""
    listed = [answers] if isinstance(answers, str) else answers
    if not isinstance(listed, Sequence) or not all(isinstance(each, str) for each in listed):
        raise InputError(f"{what} neither a text nor texts.", where=f"problem {shown(id, 120)}")
    return list(listed)


_BLANK = re.compile(r"\n(?:[ \t]*(?:\n|\Z))+")
_RETURN = re.compile(r"^[ \t]*return\b", re.M)


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
        goes_on = begun.startswith((" ", "\t"), blank.end())
        if not goes_on or _RETURN.search(begun, start, blank.start()):
            return begun[: blank.start()].rstrip()
        start = blank.end()
    return begun.rstrip()
