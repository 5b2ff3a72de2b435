// where to stay
place = TripadvisorSearchLocation({query: 'London',});
return TripadvisorSearchHotels({geoId: place.geoId, checkIn: '2024-08-15', checkOut: '2024-08-18'});
