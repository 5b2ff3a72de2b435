// where the flight starts
from = SkyScrapperSearchAirport({query: 'New York'});
to = SkyScrapperSearchAirport({query: 'London'});
return SkyScrapperFlightSearch({
  originSkyId: from.skyId,
  originEntityId: from.entityId,
  destinationSkyId: to.skyId,
  destinationEntityId: to.entityID,
  date: next(Thursday)
});
