"""`python -m refract_asp.cli` is `refract-asp`."""

from refract_asp.cli import main

main()
