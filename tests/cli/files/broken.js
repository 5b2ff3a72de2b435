// where to
const to = SkyScrapperSearchAirprt({query: 'London'})
spare = 3;
return SkyScrapperFlightSearch({
  originSkyId: 'NYCA', originEntityId: '1', destinationSkyId: to.skyid,
  destinationEntityId: to.entityId, date: next(Thursday).at('9:00am')
});
