"""How good repairs are, under the name by which it was known before `refract_asp.evaluation`."""

from refract_asp.evaluation import __all__ as __all__
from refract_asp.evaluation import __getattr__ as __getattr__
