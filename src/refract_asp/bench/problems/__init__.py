"""
Problems of code synthesis over libraries that have documentation and no code, and the grading of answers.

Example:
    >>> problem = get_example("image.rotate().blur(pixels=5)", "rotates an image and blurs it", "turn")
    >>> print(problem.target)
    return image.rotate(degrees).blur(5)
    >>> execute("turned = image.rotate(degrees=degrees)\\n    return turned.blur(5)", problem.test)
    (True, None)
"""

from refract_asp.bench.problems.benchmarks import BENCHMARKS, benchmark
from refract_asp.bench.problems.dials import Dials
from refract_asp.bench.problems.evaluating import (
    Evaluation,
    evaluate,
    grade,
    load_problems,
    load_samples,
    made,
)
from refract_asp.bench.problems.grading import execute
from refract_asp.bench.problems.library import (
    SUBJECTS,
    Function,
    Library,
    Registry,
    load_libraries,
    shipped,
)
from refract_asp.bench.problems.problem import Listed, TestCase, get_example, make, minimal_pair
from refract_asp.bench.problems.signatures import read_signature

__all__ = [
    "BENCHMARKS",
    "SUBJECTS",
    "Dials",
    "Evaluation",
    "Function",
    "Library",
    "Listed",
    "Registry",
    "TestCase",
    "benchmark",
    "evaluate",
    "execute",
    "get_example",
    "grade",
    "load_libraries",
    "load_problems",
    "load_samples",
    "made",
    "make",
    "minimal_pair",
    "read_signature",
    "shipped",
]
