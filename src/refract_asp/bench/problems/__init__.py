"""
Problems of code synthesis over libraries that have documentation and no code, and the grading of answers.

Example:
    >>> problem = get_example("image.rotate().blur(pixels=5)", "rotates an image and blurs it", "turn")
    >>> print(problem.target)
    return image.rotate(degrees).blur(5)
    >>> execute("turned = image.rotate(degrees=degrees)\\n    return turned.blur(5)", problem.test)
    (True, None)
"""

from refract_asp.bench.problems.evaluating import BENCHMARKS as BENCHMARKS
from refract_asp.bench.problems.evaluating import Evaluation as Evaluation
from refract_asp.bench.problems.evaluating import benchmark as benchmark
from refract_asp.bench.problems.evaluating import evaluate as evaluate
from refract_asp.bench.problems.evaluating import evaluate_async as evaluate_async
from refract_asp.bench.problems.evaluating import grade as grade
from refract_asp.bench.problems.evaluating import load_problems as load_problems
from refract_asp.bench.problems.evaluating import load_samples as load_samples
from refract_asp.bench.problems.evaluating import made as made
from refract_asp.bench.problems.grading import execute as execute
from refract_asp.bench.problems.problem import Listed as Listed
from refract_asp.bench.problems.problem import TestCase as TestCase
from refract_asp.bench.problems.problem import get_example as get_example
from refract_asp.bench.problems.problem import make as make
from refract_asp.bench.problems.problem import minimal_pair as minimal_pair
from refract_asp.bench.problems.signatures import SUBJECTS as SUBJECTS
from refract_asp.bench.problems.signatures import Library as Library
from refract_asp.bench.problems.signatures import load_libraries as load_libraries
from refract_asp.bench.problems.signatures import read_signature as read_signature
from refract_asp.bench.problems.signatures import shipped as shipped
from refract_asp.formats.tool_lists import Function as Function
