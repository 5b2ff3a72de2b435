"""Files of benchmarks and of samples: read, and made into problems."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

from refract_asp.bench.problems.library import Library
from refract_asp.bench.problems.problem import TestCase, make
from refract_asp.bench.problems.registry import Registry, registry_of
from refract_asp.errors import InputError, shown
from refract_asp.formats.opening import opened

__all__ = ["Samples", "load_problems", "load_samples", "made"]

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
        raise origin.error("this is no benchmark: an object of problems by id is needed.", hint=_SHAPE)
    if not content:
        raise origin.error("the benchmark has no problem.", hint=_SHAPE)
    if len(content) > MAX_PROBLEMS:
        raise origin.error(f"the benchmark has more than {MAX_PROBLEMS:,} problems.", hint="Split it.")
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
            raise origin.error("a sample needs the id of its problem, as a text.", (index,), _SAMPLE)
        if ("sample" in row) == ("samples" in row):
            raise origin.error("either one sample or a list of samples is needed.", (index,), _SAMPLE)
        samples = [row["sample"]] if "sample" in row else row["samples"]
        if not isinstance(samples, list) or not all(isinstance(sample, str) for sample in samples):
            key = "sample" if "sample" in row else "samples"
            raise origin.error("a sample is a text.", (index, key), _SAMPLE)
        count += len(samples)
        if count > MAX_SAMPLES:
            raise origin.error(f"there are more than {MAX_SAMPLES:,} samples.", hint="Split the file.")
        found.setdefault(row["id"], []).extend(samples)
    return found
