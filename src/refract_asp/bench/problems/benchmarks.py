"""The benchmarks of the package: problems that differ in one thing, to plot answers against it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import permutations, product
from random import Random
from typing import Any, TypeAlias

from refract_asp.errors import InputError, shown

# The arguments of problems, by id.
Problems: TypeAlias = dict[str, dict[str, Any]]

_ARGUMENTS = {
    "solids2": ("radius", "height"),
    "solids3": ("length", "width", "height"),
    "solids4": ("length", "width", "height", "depth"),
}
# Steps of a chain: name, call, and what it does.
_CHAIN = {
    "rotate_30": ("rotate(degrees=30)", "rotates {} 30 degrees"),
    "rotate_60": ("rotate(degrees=60)", "rotates {} 60 degrees"),
    "rotate": ("rotate()", "rotates {} by the given number of degrees"),
    "blur_10": ("blur(pixels=10)", "blurs {} over 10 pixels"),
    "blur": ("blur()", "blurs {} over the given number of pixels"),
    "distort_5": ("distort(pixels=5)", "distorts {} by 5 pixels"),
    "distort_wide": (
        "distort(pixels=image.get_width())",
        "distorts {} by as many pixels as it was wide at first",
    ),
    "flip_horizontal": ("flip_horizontal()", "flips {} horizontally"),
    "flip_vertical": ("flip_vertical()", "flips {} vertically"),
}
_SEEDS = 20
_LONGEST = 8


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
        raise InputError(
            f"there is no benchmark {shown(name)!r}.", hint=f"Known: {', '.join(BENCHMARKS)}."
        )
    return BENCHMARKS[name]()


def _argument_fixing() -> Problems:
    """Fix some arguments, in each order, after none, one or two examples that fix the same or others."""
    found: Problems = {}
    for library, names in _ARGUMENTS.items():
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
    rest = _listed([name for name in _ARGUMENTS[library] if name not in given])
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


def _chaining() -> Problems:
    """Chain one to eight calls, each chain the beginning of the next."""
    example = {
        "signature": "image.grayscale()",
        "description": "takes the colours out of an image",
        "func_name": "without_colours",
    }
    found: Problems = {}
    for seed in range(_SEEDS):
        steps = Random(seed).sample(list(_CHAIN), _LONGEST)
        for length in range(1, _LONGEST + 1):
            calls, words = zip(*(_CHAIN[name] for name in steps[:length]), strict=True)
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


def _distractors_and_positioning() -> Problems:
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
_NOISES = ("none_none", "none_empty", "none_swap", "number_none", "swap_none")
# What the name and the description of the task say.
_WORDS = (
    "descriptive_descriptive", "descriptive_none", "none_descriptive", "descriptive_adversarial",
    "adversarial_descriptive",
)  # fmt: skip
# How many arguments are fixed.
_FIXED = {"solids2": (0, 1, 2), "solids3": (0, 3), "solids4": (3, 4)}


def _name_description() -> Problems:
    """Noise in the list, under names and descriptions of the task that help, say nothing or mislead."""
    found: Problems = {}
    for library, counts in _FIXED.items():
        for count in counts:
            fixed = _ARGUMENTS[library][:count]
            right = _cone(library, "cone", fixed, (7, 1, 6, 8))
            tasks = {
                "descriptive": right,
                "none": {"func_name": "func", "description": "computes the volume"},
                "adversarial": _cone(library, "cylinder", fixed, (7, 1, 6, 8)),
            }
            for noise, words in product(_NOISES, _WORDS):
                (function, description), (name, word) = noise.split("_"), words.split("_")
                found[f"{library}/{count}/{noise}/{words}"] = {
                    "signature": right["signature"],
                    "description": tasks[word]["description"],
                    "func_name": tasks[name]["func_name"],
                    "function_noise_type": function,
                    "description_noise_type": description,
                    "num_distractors": 4,
                }
    return found


# What makes the problems of each benchmark.
BENCHMARKS: dict[str, Callable[[], Problems]] = {
    "argument_fixing": _argument_fixing,
    "chaining": _chaining,
    "distractors_and_positioning": _distractors_and_positioning,
    "name_description": _name_description,
}
