"""How many answers to the problems of a benchmark pass: for each problem, by dial, and in all."""

from __future__ import annotations

import asyncio
import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import permutations, product
from pathlib import Path
from random import Random
from statistics import fmean
from typing import Any, NamedTuple, TypeAlias

from refract_asp.bench.problems.grading import graded, is_one, is_samples, read_test
from refract_asp.bench.problems.problem import TestCase, make
from refract_asp.bench.problems.signatures import Argument, Call, Libraries, by_id, need
from refract_asp.errors import LONGEST_TEXT, InputError, ToolError, meant, placed, shown
from refract_asp.formats.source import opened
from refract_asp.model.paths import as_list, without
from refract_asp.resources import packaged
from refract_asp.runtime.calling import call_tool, run_to_end, sync_twin
from refract_asp.runtime.tools import bind
from refract_asp.settings import whole_number

# How many problems, and how many samples, one evaluation takes.
MAX_PROBLEMS = 100_000
MAX_SAMPLES = 1_000_000

# The answers to each problem, one or several, by its id; each as `execute` takes it.
Samples: TypeAlias = Mapping[str, Any]
# Problems, or what they are made from, by id.
Problems: TypeAlias = Mapping[str, Mapping[str, Any] | TestCase]

# It answers a prompt once or several times.
Sampler: TypeAlias = Callable[[str], Any]
# The arguments of problems, by id.
Made: TypeAlias = dict[str, dict[str, Any]]

_SHAPE = 'Write {"1": {"signature": "image.blur()", "description": "blurs an image"}}.'
_SAMPLE = 'Write {"id": "1", "sample": "return ..."} or {"id": "1", "samples": [...]}, one a line.'


def load_problems(data: Any) -> Made:
    """
    Read a file of a benchmark: the arguments of each problem by its id.

    Raises:
        FormatError: it is no such file; the message names the place.

    Example:
        >>> load_problems('{"1": {"signature": "image.blur()", "description": "blurs an image"}}')
        {'1': {'signature': 'image.blur()', 'description': 'blurs an image'}}
    """
    content, origin = opened(data, yaml=True)
    need = partial(origin.need, hint=_SHAPE)
    is_object = isinstance(content, dict) and "signature" not in content
    need(is_object, "this is no benchmark: an object of problems by id is needed.")
    what = f"the benchmark has no problem, or more than {MAX_PROBLEMS:,}."
    need(0 < len(content) <= MAX_PROBLEMS, what)
    for id, arguments in content.items():
        is_problem = isinstance(arguments, dict) and "signature" in arguments
        need(is_problem, "this is no benchmark: a problem has a signature.", id)
    return dict(content)


def load_samples(data: Any) -> dict[str, list[Any]]:
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
    if not isinstance(rows, list) or len(rows) > MAX_SAMPLES:
        raise origin.error(f"a list of at most {MAX_SAMPLES:,} samples is needed.", hint=_SAMPLE)
    found: dict[str, list[Any]] = defaultdict(list)
    for index, row in enumerate(rows):
        match row:
            case {"id": str(id), "sample": str() | dict() | list() as sample} if (
                "samples" not in row
            ):
                found[id].append(sample)
            case {"id": str(id), "samples": [*texts]} if "sample" not in row and is_samples(texts):
                found[id].extend(texts)
            case _:
                what = "a line has the id of its problem and one sample, or a list of samples."
                raise origin.error(what, (index,), _SAMPLE)
    return dict(found)


def made(problems: Problems, libraries: Libraries = None) -> dict[str, TestCase]:
    """
    Make the problems of a benchmark.

    Raises:
        InputError: one cannot be made; the message names its id.
    """
    registry = by_id(libraries)
    found: dict[str, TestCase] = {}
    for id, given in problems.items():
        with placed(f"problem {shown(id, 120)}"):
            found[id] = given if isinstance(given, TestCase) else make(given, registry)
    return found


class Answer(NamedTuple):
    """An answer that was graded: the sample, whether it is as good as the target, why not, how it was read."""

    sample: Any
    passed: bool
    error: str | None
    note: str = ""


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

    def values(self) -> dict[str, Any]:
        """Return what the problem is plotted by: its dials, and how many calls, fixed arguments and examples."""
        calls, dials = self.problem.call.calls(), dict(self.problem.dials)
        given = [value for call in calls for value in call.arguments]
        plotted = without(dials, _NOT_PLOTTED)
        fixed = sum(isinstance(value, Argument | Call) for value in given)
        return {**plotted, "calls": len(calls), "fixed": fixed, "examples": len(dials["fewshot"])}


_NOT_PLOTTED = (
    "signature", "description", "func_name", "fewshot", "arg_order", "format_function", "random_seed",
    "return_test_case",
)  # fmt: skip


@dataclass(frozen=True)
class Evaluation:
    """
    The answers to the problems of a benchmark.

    Attributes:
        cases: the problems that were answered.
        missing: the ids of those that were not.
        unknown: the ids of answers to no problem.
        failed: why there is no answer, by the id of the problem, where a sampler was asked.
    """

    cases: tuple[Graded, ...]
    missing: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    failed: Mapping[str, str] = field(default_factory=dict)

    @property
    def samples(self) -> dict[str, list[Any]]:
        """The answers by the id of their problem, as `evaluate` takes them to go on."""
        return {case.id: [answer.sample for answer in case.answers] for case in self.cases}

    @property
    def accuracy(self) -> float | None:
        """The mean of the accuracies of the problems that were answered; None where none was."""
        return fmean(case.accuracy for case in self.cases) if self.cases else None

    def by_dial(self) -> dict[str, list[tuple[str, int, float]]]:
        """
        Return for each dial that differs among the problems: a value, how many have it, their accuracy.

        Besides the dials there are the numbers of `calls`, of `fixed` arguments and of examples (`fewshot`).
        """
        groups: dict[str, dict[tuple[bool, float, str], list[float]]] = defaultdict(dict)
        for case in self.cases:
            for name, value in case.values().items():
                is_number = isinstance(value, int | float)  # numbers are sorted before texts
                text = value if isinstance(value, str) else json.dumps(value, sort_keys=True)
                rank = (not is_number, value if is_number else 0.0, text)
                groups[name].setdefault(rank, []).append(case.accuracy)
        return {
            name: [(key[-1], len(shares), fmean(shares)) for key, shares in sorted(found.items())]
            for name, found in groups.items()
            if len({key[-1] for key in found}) > 1
        }

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield a row for each answer: the id, the sample, whether it passed, and why not."""
        for case in self.cases:
            yield from ({"id": case.id, **answer._asdict()} for answer in case.answers)

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
            "failed": dict(self.failed),
            "read_as": dict(Counter(answer.note for answer in answers if answer.note)),
        }


async def evaluate_async(
    problems: Problems,
    sampler: Sampler,
    libraries: Libraries = None,
    *,
    limit: int = 10,
    timeout: float | None = 300,
    samples: Samples | None = None,
    keep: Path | None = None,
    relaxed: bool = True,
) -> Evaluation:
    """
    Ask a sampler for answers to problems, and grade them. `evaluate` does it outside of an event loop.

    What a sampler raises, its silence and its delay cost the answers to that problem and nothing else, and are
    reported in `Evaluation.failed`.

    Args:
        problems: the problems, or what they are made from, by id.
        sampler: answers a prompt once or several times; it may be async. A sync one runs on threads.
        libraries: the libraries of the problems, by default those of the package.
        limit: how many prompts it answers at once.
        timeout: seconds for each prompt, or None.
        samples: answers that are there already; these problems are not asked again.
        keep: a file to which each answer is added when it comes, a line each; those in it are there already.
        relaxed: see `execute`.

    Raises:
        InputError: a problem cannot be made, or an option is what it cannot be.
        OSError: `keep` cannot be written.

    Example:
        >>> from refract_asp.bench.problems import get_example
        >>> width = get_example("image.get_width()", "tells how wide an image is")
        >>> evaluate({"width": width}, lambda prompt: "return image.get_width()").accuracy
        1.0
    """
    whole_number("limit", limit, 1, 10_000)
    cases, failed = made(problems, libraries), dict[str, str]()
    bound = replace(bind(sampler, timeout=timeout), name="sampler")
    known: dict[str, Any] = load_samples(keep) if keep is not None and keep.exists() else {}
    known |= {id: answers for id, answers in (samples or {}).items() if answers}
    free = asyncio.Semaphore(limit)

    async def ask(id: str, prompt: str) -> None:
        async with free:
            try:
                found = await call_tool(bound, {}, (prompt,))
            except ToolError as error:
                failed[id] = shown(error, LONGEST_TEXT)
                return
        answers = as_list(found)
        if not answers or not is_samples(answers):
            failed[id] = "the sampler gives no answer: a text or a list of texts is needed."
            return
        known[id] = answers
        if keep is not None:
            with keep.open("a", encoding="utf-8") as file:
                file.write(json.dumps({"id": id, "samples": answers}) + "\n")

    async with asyncio.TaskGroup() as group:
        for id, case in cases.items():
            if id not in known:
                group.create_task(ask(id, case.prompt))
    found = grade(cases, {id: known[id] for id in cases if id in known}, relaxed=relaxed)
    return replace(found, failed={id: failed[id] for id in cases if id in failed})


evaluate = sync_twin(evaluate_async, run_to_end)


def grade(
    problems: Problems, samples: Samples, libraries: Libraries = None, *, relaxed: bool = True
) -> Evaluation:
    """
    Grade answers to problems.

    Args:
        problems: the problems, or what they are made from, by id.
        samples: the answers, one or several, by the id of their problem.
        libraries: the libraries of the problems, by default those of the package.
        relaxed: see `execute`.

    Raises:
        InputError: a problem cannot be made, or an answer is no text and holds no calls.
    """
    given: dict[str, Sequence[Any]] = {}
    for id, answers in samples.items():
        given[id] = [answers] if is_one(answers) else answers
        where = f"problem {shown(id, 120)}"
        need(is_samples(given[id]), "an answer is a text or a list of texts.", where=where)
    cases = []
    for id, problem in made(problems, libraries).items():
        if given.get(id):
            test, dials = read_test(problem.test), problem.dials
            how: Any = {"relaxed": relaxed, "ends": (dials.end_token, dials.margin)}
            found = [Answer(each, *graded(each, test, **how)) for each in given[id]]
            cases.append(Graded(id, problem, tuple(found)))
    missing = tuple(id for id in problems if not given.get(id))
    return Evaluation(tuple(cases), missing, tuple(id for id in given if id not in problems))


# -- the benchmarks of the package: problems that differ in one thing, to plot answers against it ------

# What makes the problems of each benchmark.
BENCHMARKS: dict[str, Callable[[], Made]] = {}
# What the problems are made of, read when the first ones are made.
_made_of = partial(packaged, "bench/problems/benchmarks")
_SEEDS = 20
# How many calls the longest chain of a problem has.
_LONGEST = 8


def _declared(make: Callable[[], Made]) -> Callable[[], Made]:
    """Declare a benchmark by what makes its problems; the function has its name."""
    return BENCHMARKS.setdefault(make.__name__, make)


def benchmark(name: str) -> Made:
    """
    Return the problems of a benchmark.

    Raises:
        InputError: there is none of that name.

    Example:
        >>> {name: len(benchmark(name)) for name in BENCHMARKS}["chaining"]
        160
    """
    if not isinstance(name, str) or name not in BENCHMARKS:
        raise InputError(f"there is no benchmark {shown(name)!r}.", hint=meant(name, BENCHMARKS))
    return BENCHMARKS[name]()


@_declared
def argument_fixing() -> Made:
    """Fix some arguments, in each order, after none, one or two examples that fix the same or others."""
    found: Made = {}
    for library, names in _made_of()["arguments"].items():
        for count in range(1, len(names) + 1):
            patterns = list(permutations(names, count))
            for pattern, other in zip(patterns, [*patterns[1:], patterns[0]], strict=True):
                id = f"{library}/{','.join(str(names.index(name)) for name in pattern)}"
                main = {**_cone(library, "cone", pattern, (5, 4, 3, 2)), "num_distractors": 4}
                shots = {"iid": pattern, "ood": other}
                one = {k: _cone(library, "cylinder", p, (2, 3, 8, 6)) for k, p in shots.items()}
                two = {k: _cone(library, "prism", p, (7, 2, 9, 3)) for k, p in shots.items()}
                found[f"{id}/0shot"] = main
                for kind, shot in one.items():
                    found[f"{id}/1shot_{kind}"] = {**main, "fewshot": [shot]}
                for first, second in product(one, two):
                    examples = [one[first], two[second]]
                    found[f"{id}/2shot_{first}_{second}"] = {**main, "fewshot": examples}
    return found


def _cone(library: str, solid: str, fixed: Sequence[str], values: Sequence[int]) -> dict[str, Any]:
    """Return the problem of a solid with some of its arguments fixed."""
    given = dict(zip(fixed, values, strict=False))
    said = _listed([f"{name} {value}" for name, value in given.items()])
    rest = _listed([name for name in _made_of()["arguments"][library] if name not in given])
    name = "_and_".join(f"{name}_{value}" for name, value in given.items())
    signature = f"{library}.volume_of_{solid}({', '.join(f'{n}={v}' for n, v in given.items())})"
    description = f"computes the volume of a {solid}" + (f" with {said}" if said else "")
    description += f" given its {rest}" if rest else ""
    func_name = f"get_volume_of_{solid}" + (f"_with_{name}" if name else "")
    return {"signature": signature, "description": description, "func_name": func_name}


def _listed(words: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))


@_declared
def chaining() -> Made:
    """Chain one to eight calls, each chain the beginning of the next."""
    chain, example = _made_of()["chain"], _made_of()["example"]
    found: Made = {}
    for seed in range(_SEEDS):
        steps = Random(seed).sample(list(chain), _LONGEST)
        for length in range(1, _LONGEST + 1):
            calls, words = zip(*(chain[name] for name in steps[:length]), strict=True)
            said = [word.format("it" if index else "an image") for index, word in enumerate(words)]
            task = {"signature": ".".join(("image", *calls)), "description": ", then ".join(said)}
            task["func_name"] = "_then_".join(steps[:length])
            others = {"fewshot": [example], "num_distractors": 4, "random_seed": seed}
            found[f"{length}/{seed}"] = {**task, **others}
    return dict(sorted(found.items(), key=lambda item: tuple(map(int, item[0].split("/")))))


@_declared
def distractors_and_positioning() -> Made:
    """List none to seven distractors, and the function to be called at each place among them."""
    cone = _cone("solids2", "cone", (), ())
    return {
        f"{count}/{place}": {**cone, "num_distractors": count, "target_func_location": place}
        for count in range(8)
        for place in range(count + 1)
    }


# Noise of function names and of descriptions.
@_declared
def name_description() -> Made:
    """Noise in the list, under names and descriptions of the task that help, say nothing or mislead."""
    found: Made = {}
    for library, counts in _made_of()["fixed"].items():
        for count in counts:
            fixed = _made_of()["arguments"][library][:count]
            right = _cone(library, "cone", fixed, (7, 1, 6, 8))
            tasks = {
                "descriptive": right,
                "none": {"func_name": "func", "description": "computes the volume"},
                "adversarial": _cone(library, "cylinder", fixed, (7, 1, 6, 8)),
            }
            for noise, words in product(_made_of()["noises"], _made_of()["words"]):
                problem = {**right, "description": tasks[words[1]]["description"]}
                problem["func_name"] = tasks[words[0]]["func_name"]
                problem["function_noise_type"], problem["description_noise_type"] = noise
                id = f"{library}/{count}/{'_'.join(noise)}/{'_'.join(words)}"
                found[id] = {**problem, "num_distractors": 4}
    return found
