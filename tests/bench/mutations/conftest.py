"""A small catalog with a parameter of every sort, and a valid sequence over it."""

from __future__ import annotations

import pytest

from refract_asp import Catalog, Sequence

CATALOG = """
name: trip
tools:
  - name: geo.find_city
    description: Finds a city by its name.
    effect: read
    parameters:
      name: {type: string, required: true}
      country: {type: string, enum: [fr, it, great_britain]}
      limit: {type: integer, minimum: 1, maximum: 50}
    returns:
      city: {type: object, properties: {id: {type: string}, label: {type: string}}}
      matches: {type: array, items: {type: object, properties: {code: {type: string}}}}
  - name: weather_report
    description: Tells the weather of the next days in a city.
    effect: read
    parameters:
      city_id: {type: string, required: true}
      days: {type: integer, required: true, minimum: 1, maximum: 16}
      units: {type: string, enum: [metric, imperial, us_customary], required: true}
      hourly: {type: boolean}
      alerts: {type: array, items: {type: string}}
      area: {type: object, properties: {radius: {type: number}, unit: {type: string}}}
      stationCode: {type: string}
    returns:
      summary: {type: string}
      highs: {type: array, items: {type: number}}
  - name: send_message
    description: Sends a text to somebody.
    effect: write
    parameters:
      recipient: {type: string, required: true}
      text: {type: string, required: true}
      place_code: {type: string}
    returns:
      message_id: {type: string}
"""

SEQUENCE = """
var1 = geo.find_city(name="Rome", country="great_britain", limit=5)
var2 = weather_report(city_id="$var1.city.id$", days=3, units="us_customary", hourly=true, alerts=["storm"], \
area={"radius": 2.5, "unit": "km"}, stationCode="1204")
var3 = send_message(recipient="ada@example.org", text="$var2.summary$", place_code="$var1.matches[0].code$")
var4 = geo.find_city(name="Paris")
var5 = weather_report(city_id="$var4.city.id$", days=1, units="metric")
"""


@pytest.fixture(scope="session")
def trip() -> Catalog:
    """Return the catalog."""
    return Catalog.load(CATALOG)


@pytest.fixture(scope="session")
def planned() -> Sequence:
    """Return the sequence."""
    return Sequence.load(SEQUENCE)
