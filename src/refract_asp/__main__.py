"""`python -m refract_asp` is `refract-asp`."""

from refract_asp.cli import main

main()
