print("imported")
__all__ = ["SkyScrapperSearchAirport"]


def SkyScrapperSearchAirport(query):
    print("called")
    return {}
