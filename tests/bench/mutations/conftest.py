"""A small catalog with a parameter of every sort, and a valid sequence over it."""

from pathlib import Path

import pytest

from refract_asp import Catalog, Refractor, Sequence

FOLDER = Path(__file__).parent


@pytest.fixture(scope="session")
def trip() -> Catalog:
    return Catalog.load(FOLDER / "trip.yaml")


@pytest.fixture(scope="session")
def planned() -> Sequence:
    return Sequence.load(FOLDER / "trip.txt")


@pytest.fixture(scope="session")
def refractor(trip: Catalog) -> Refractor:
    return Refractor(trip)
