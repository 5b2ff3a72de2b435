"""Functions behind some tools of the catalog `travel`, for the examples of `refract-asp run`."""

from __future__ import annotations

import asyncio
from typing import Any

__all__ = ["SkyScrapperSearchAirport", "TripadvisorSearchHotels", "TripadvisorSearchLocation"]


async def SkyScrapperSearchAirport(query: str) -> dict[str, Any]:  # noqa: N802 - the name of the tool
    """Find the airport of a place."""
    await asyncio.sleep(0.01)
    return {"skyId": query[:3].upper(), "entityId": str(len(query))}


async def TripadvisorSearchLocation(query: str) -> dict[str, Any]:  # noqa: N802
    """Find a place."""
    await asyncio.sleep(0.01)
    return {"geoId": str(len(query)), "name": query}


def TripadvisorSearchHotels(geoId: str, checkIn: str, checkOut: str) -> dict[str, Any]:  # noqa: N802, N803
    """Find hotels; a function that is not async runs on a thread of its own."""
    return {"id": f"hotel-{geoId}", "nights": [checkIn, checkOut]}
