import asyncio

__all__ = ["SkyScrapperSearchAirport", "TripadvisorSearchHotels", "TripadvisorSearchLocation"]


def SkyScrapperSearchAirport(query):
    return {"skyId": query[:3].upper(), "entityId": "1"}


async def TripadvisorSearchLocation(query):
    await asyncio.sleep(0)
    return {"geoId": "7", "locationId": "8"}


def TripadvisorSearchHotels(**given):
    return {"id": "h1", **given}


def fails(query):
    raise ValueError("no such city")


async def never(query):
    print("begun", flush=True)
    await asyncio.sleep(3600)


registry = [SkyScrapperSearchAirport, TripadvisorSearchLocation, TripadvisorSearchHotels]
broken = {"SkyScrapperSearchAirport": fails}
slow = {"SkyScrapperSearchAirport": never}
