"""The benchmarks of the package: problems that differ in one thing, to plot answers against it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import permutations, product
from random import Random
from typing import Any, TypeAlias

from refract_asp.errors import InputError, shown
from refract_asp.resources import packaged

# The arguments of problems, by id.
Problems: TypeAlias = dict[str, dict[str, Any]]

# What makes the problems of each benchmark.
BENCHMARKS: dict[str, Callable[[], Problems]] = {}
# What the problems are made of, read when the first ones are made.
_made_of = partial(packaged, "bench/problems/benchmarks")
_SEEDS = 20
_LONGEST = 8


def _declared(make: Callable[[], Problems]) -> Callable[[], Problems]:
    """Declare a benchmark by what makes its problems; the function bears its name."""
    return BENCHMARKS.setdefault(make.__name__, make)


def benchmark(name: str) -> Problems:
    """
    Return the problems of a benchmark.

    Raises:
        InputError: there is none of that name.

    Example:
        >>> {name: len(benchmark(name)) for name in BENCHMARKS}["chaining"]
        160
    """
    if not isinstance(name, str) or name not in BENCHMARKS:
        hint = f"Known: {', '.join(BENCHMARKS)}."
        raise InputError(f"there is no benchmark {shown(name)!r}.", hint=hint)
    return BENCHMARKS[name]()


@_declared
def argument_fixing() -> Problems:
    """Fix some arguments, in each order, after none, one or two examples that fix the same or others."""
    found: Problems = {}
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
    return {
        "signature": f"{library}.volume_of_{solid}({', '.join(f'{n}={v}' for n, v in given.items())})",
        "description": f"computes the volume of a {solid}"
        + (f" with {said}" if said else "")
        + (f" given its {rest}" if rest else ""),
        "func_name": f"get_volume_of_{solid}" + (f"_with_{name}" if name else ""),
    }


def _listed(words: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))


@_declared
def chaining() -> Problems:
    """Chain one to eight calls, each chain the beginning of the next."""
    chain, example = _made_of()["chain"], _made_of()["example"]
    found: Problems = {}
    for seed in range(_SEEDS):
        steps = Random(seed).sample(list(chain), _LONGEST)
        for length in range(1, _LONGEST + 1):
            calls, words = zip(*(chain[name] for name in steps[:length]), strict=True)
            said = [word.format("it" if index else "an image") for index, word in enumerate(words)]
            found[f"{length}/{seed}"] = {
                "signature": ".".join(("image", *calls)),
                "description": ", then ".join(said),
                "func_name": "_then_".join(steps[:length]),
                "fewshot": [example],
                "num_distractors": 4,
                "random_seed": seed,
            }
    return dict(sorted(found.items(), key=lambda item: tuple(map(int, item[0].split("/")))))


@_declared
def distractors_and_positioning() -> Problems:
    """List none to seven distractors, and the function to be called at each place among them."""
    return {
        f"{count}/{place}": {
            **_cone("solids2", "cone", (), ()),
            "num_distractors": count,
            "target_func_location": place,
        }
        for count in range(8)
        for place in range(count + 1)
    }


# Noise of function names and of descriptions.
@_declared
def name_description() -> Problems:
    """Noise in the list, under names and descriptions of the task that help, say nothing or mislead."""
    found: Problems = {}
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
                (function, description), (name, word) = noise, words
                found[f"{library}/{count}/{'_'.join(noise)}/{'_'.join(words)}"] = {
                    "signature": right["signature"],
                    "description": tasks[word]["description"],
                    "func_name": tasks[name]["func_name"],
                    "function_noise_type": function,
                    "description_noise_type": description,
                    "num_distractors": 4,
                }
    return found
