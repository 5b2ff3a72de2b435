"""A fixed set of inputs for the travel catalog, one kind of fault each, for tests of determinism."""

from __future__ import annotations

from typing import Any

from refract_asp import Refractor
from refract_asp.resources import catalog_path

MEMORY = {"date_from_user": "2024-08-15", "var9": {"geoId": "60763", "list": [{"id": 1}]}}

INPUTS: dict[str, str] = {
    "valid": 'var1 = SkyScrapperSearchAirport(query="New York")',
    "misspelt tools": """
        var1 = SkyCrapperSearchAirport(query="New York")
        var2 = SkyScrapperSearchAirprt(query="London")
        var3 = SkyScrapperFlightSearch(originSkyId="$var1.skyId$", destinationSkyId="$var2.skyId$",
            originEntityId="$var1.entityId$", destinationEntityId="$var2.entityId$", date="2024-08-15")""",
    "made-up tool": 'var1 = Qqqqq(zzz="1")',
    "lost label": """
        TripadvisorSearchLocation(query="London")
        var5 = TripadvisorSearchHotels(geoId="$var4.geoId$", checkIn="2024-08-15", checkOut="2024-08-18")""",
    "lost call": 'var2 = TripadvisorSearchHotels(geoId="$var1.geoId$", checkIn="2024-08-15", checkOut="x")',
    "missing parameter": """
        var1 = TripadvisorSearchLocation(query="London")
        var2 = TripadvisorSearchHotels(geoId="$var1.geoId$", checkIn="2024-08-15")""",
    "undeclared parameters": """
        var1 = TripadvisorSearchLocation(qery="London", colour="red")
        var2 = TripadvisorSearchHotels(geoID="$var1.geoId$", checkIn="2024-08-15", checkOut="2024-08-18")""",
    "wrong field and order": """
        var2 = TripadvisorSearchHotels(geoId="$var1.geoIdentity$", checkIn="2024-08-15", checkOut="x")
        var1 = TripadvisorSearchLocation(query="London")""",
    "several lost labels": """
        var3 = SkyScrapperFlightSearch(originSkyId="$a.skyId$", destinationSkyId="$b.skyId$",
            originEntityId="$a.entityId$", destinationEntityId="$b.entityId$", date=date_from_user)""",
    "values of memory": """
        var1 = TripadvisorSearchHotels(geoId="$var9.geo$", checkIn="$date_from_user$", checkOut=day_of_return)
        return {"hotels": "$var1$", "place": ["$var9.list[0].id$", "about $var8.x$"]}""",
}


def answers(**options: Any) -> dict[str, Any]:
    """Repair every input with one `Refractor` and return the answers as data."""
    refractor = Refractor(catalog_path("travel"), **options)
    return {
        name: refractor.repair(text, memory=MEMORY).model_dump(mode="json")
        for name, text in INPUTS.items()
    }
