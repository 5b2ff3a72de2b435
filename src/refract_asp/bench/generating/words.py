"""Words for the names of tools, parameters and fields, and the names that are made of them."""

from __future__ import annotations

import random
from collections.abc import Iterator
from hashlib import blake2b
from itertools import count
from typing import Any, NamedTuple

from refract_asp.model.catalog import Effect
from refract_asp.model.schemas import JsonSchema

__all__ = [
    "FIELDS",
    "NAMESPACES",
    "PARAMETERS",
    "VERBS",
    "Name",
    "Names",
    "Typed",
    "chance",
    "plural",
    "shuffled",
    "stream",
]

ATTEMPTS = 20_000
"""So many names with two words changed are tried before versions are numbered."""

VERBS: dict[str, Effect] = {
    "get": "read", "search": "read", "list": "read", "find": "read", "fetch": "read", "count": "read",
    "estimate": "read", "validate": "read", "compare": "read", "track": "read", "summarize": "read",
    "lookup": "read", "query": "read", "calculate": "read", "inspect": "read", "forecast": "read",
    "rank": "read", "translate": "read", "verify": "read", "browse": "read",
    "create": "write", "update": "write", "book": "write", "send": "write", "approve": "write",
    "schedule": "write", "assign": "write", "publish": "write", "reserve": "write", "register": "write",
    "cancel": "destructive", "delete": "destructive", "revoke": "destructive", "archive": "destructive",
}  # fmt: skip
"""What tools do, and what that changes outside."""

NOUNS = (
    "account", "address", "airport", "album", "appointment", "article", "artist", "asset", "auction",
    "author", "branch", "budget", "building", "campaign", "candidate", "carrier", "chapter", "claim",
    "clinic", "company", "concert", "contract", "county", "course", "customer", "dataset", "dealer",
    "delivery", "deposit", "device", "document", "donor", "drug", "employee", "episode", "event",
    "exhibit", "expense", "factory", "farm", "ferry", "festival", "flight", "fund", "gallery", "garage",
    "grant", "guest", "harbor", "hotel", "incident", "invoice", "journal", "kitchen", "landmark", "lawyer",
    "lesson", "library", "license", "loan", "machine", "market", "meeting", "member", "merchant", "mission",
    "movie", "museum", "order", "package", "parcel", "patient", "payment", "playlist", "podcast", "portfolio",
    "printer", "product", "project", "property", "railway", "recipe", "referee", "refund", "repository",
    "reservation", "restaurant", "sensor", "shipment", "station", "stock", "student", "studio", "supplier",
    "survey", "teacher", "team", "theater", "ticket", "trail", "tutor", "vehicle", "vendor", "village",
    "warehouse", "winery", "workout", "workshop",
)  # fmt: skip

ASPECTS = (
    "alert", "archive", "award", "badge", "benefit", "booking", "calendar", "capacity", "comment",
    "contact", "deadline", "detail", "discount", "forecast", "guide", "history", "incentive", "insight",
    "inspection", "label", "ledger", "metric", "note", "offer", "overview", "permit", "photo", "preview",
    "price", "profile", "quota", "rating", "report", "review", "roster", "route", "schedule", "snapshot",
    "statistic", "status", "summary", "template", "timetable", "trend", "update", "warning",
)  # fmt: skip
"""What of a thing a tool is about, as in `get_hotel_review`."""

QUALIFIERS = (
    "nearby", "daily", "weekly", "monthly", "yearly", "recent", "upcoming", "popular", "local", "global",
    "public", "internal", "draft", "full", "basic", "premium", "verified", "featured", "bulk", "batch",
    "live", "cached", "regional", "national", "seasonal",
)  # fmt: skip
"""What comes last in the names of tools that are more special than others."""

NAMESPACES = (
    "atlas", "beacon", "cedar", "delta", "ember", "falcon", "granite", "horizon", "indigo", "juniper",
    "keystone", "lotus", "meridian", "nimbus", "orchard", "pioneer", "quartz", "ridge", "summit", "tundra",
)  # fmt: skip
"""Names of services, which stand before those of their tools: `atlas.get_hotel`."""


class Typed(NamedTuple):
    """
    A parameter that takes a constant.

    Attributes:
        name: its name, in snake_case.
        about: its description.
        schema: what it takes where it says so.
        texts: values of it where it is any text.
    """

    name: str
    about: str
    schema: JsonSchema
    texts: tuple[str, ...]


def _choice(name: str, about: str, *members: str) -> Typed:
    return Typed(name, about, {"type": "string", "enum": list(members)}, members)


def _whole(name: str, about: str, low: int, high: int) -> Typed:
    texts = tuple(str(low + (high - low) * n // 4) for n in range(5))
    return Typed(name, about, {"type": "integer", "minimum": low, "maximum": high}, texts)


def _flag(name: str, about: str) -> Typed:
    return Typed(name, about, {"type": "boolean"}, ("yes", "no"))


def _list(name: str, about: str, *members: str) -> Typed:
    inner: JsonSchema = {"type": "string", "enum": list(members)}
    return Typed(
        name, about, {"type": "array", "items": inner, "minItems": 1, "maxItems": 3}, members
    )


def _object(name: str, about: str, texts: tuple[str, ...], **properties: Any) -> Typed:
    required = list(properties)[:1]
    return Typed(
        name, about, {"type": "object", "properties": properties, "required": required}, texts
    )


_NUMBER = {"type": "number", "minimum": 0, "maximum": 500}
_TEXTS = ("blue", "quiet", "modern", "central")

PARAMETERS = (
    _whole("limit", "How many results at most", 1, 100),
    _whole("offset", "How many results to skip", 0, 500),
    _whole("max_distance", "How far away at most, in kilometres", 1, 300),
    _whole("adults", "How many grown-ups", 1, 9),
    _whole("children", "How many who are under 12", 0, 8),
    _whole("since_year", "First year that counts", 1950, 2024),
    _whole("duration", "How long, in minutes", 5, 480),
    _whole("retries", "How often to try again", 0, 5),
    _choice("language", "Language of the answer", "en", "de", "fr", "es", "ja"),
    _choice("currency", "Currency of all amounts", "EUR", "GBP", "USD", "JPY"),
    _choice("sort_order", "Which come first", "relevance", "newest", "cheapest", "nearest"),
    _choice("unit_system", "Units of measures", "metric", "imperial"),
    _choice("output_style", "How much the answer says", "short", "normal", "verbose"),
    _choice("priority", "How urgent it is", "low", "medium", "high"),
    _choice("color_scheme", "Colours of pictures", "light", "dark"),
    _choice("country", "Country, by its code of two letters", "US", "GB", "DE", "FR", "IN"),
    _choice("cabin", "Class of travel", "economy", "business", "first"),
    _choice("frequency", "How often it comes", "once", "hourly", "every_morning"),
    _flag("include_closed", "Whether what is closed counts"),
    _flag("dry_run", "Whether to try only"),
    _flag("notify_owner", "Whether the owner is told"),
    _flag("exact_match", "Whether words have to be the same"),
    _flag("with_images", "Whether pictures come along"),
    _flag("refundable", "Whether money can be given back"),
    _list("tags", "What it is marked with", "family", "outdoor", "luxury", "budget"),
    _list("amenities", "What has to be there", "parking", "wifi", "pool", "gym"),
    _list("channels", "Where people are told", "mail", "phone", "app"),
    _list("weekdays", "On which days", "mon", "tue", "wed", "thu", "fri"),
    _list("exclude_types", "What is left out", "archived", "private", "expired"),
    _object(
        "filters", "What results have to be like", _TEXTS,
        min_score=_NUMBER, keyword={"type": "string", "enum": list(_TEXTS)},
    ),
    _object(
        "price_range", "What it may cost", ("0-100", "50-200", "any"), lower=_NUMBER, upper=_NUMBER,
    ),
    _object(
        "bounding_box", "The corners of a map", ("downtown", "north", "seaside"),
        north={"type": "number", "minimum": 0, "maximum": 60}, east=_NUMBER,
    ),
)  # fmt: skip

FIELDS: tuple[tuple[str, JsonSchema], ...] = (
    ("title", {"type": "string"}),
    ("created_at", {"type": "string", "description": "When it was made"}),
    ("total", {"type": "integer"}),
    ("score", {"type": "number"}),
    ("is_open", {"type": "boolean"}),
    ("website", {"type": "string"}),
    ("phone_number", {"type": "string"}),
    ("latitude", {"type": "number"}),
    ("longitude", {"type": "number"}),
    ("owner_name", {"type": "string"}),
    ("message_text", {"type": "string"}),
    ("next_page", {"type": "integer"}),
    ("checksum", {"type": "string"}),
    ("categories", {"type": "array", "items": {"type": "string"}}),
    ("expires_on", {"type": "string", "description": "Last day, as YYYY-MM-DD"}),
    ("weight_kg", {"type": "number"}),
)
"""What tools return besides what they are about; no parameter is named like one of them."""


# -- chance ------------------------------------------------------------------------


def stream(seed: object, *about: object) -> random.Random:
    """Return random numbers for one purpose alone, so that drawing more for another one changes nothing."""
    # the hash of a text is the same everywhere
    return random.Random(":".join(map(str, (seed, *about))))


def chance(seed: object, *about: object) -> float:
    """
    Return one random number from 0 to 1 for one purpose alone; much cheaper than a stream of them.

    Example:
        >>> chance(0, "a") == chance(0, "a"), chance(0, "a") == chance(0, "b"), 0 <= chance(0, "a") < 1
        (True, False, True)
    """
    text = ":".join(map(str, (seed, *about)))
    digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=7)
    return int.from_bytes(digest.digest()) / 2**56


def shuffled(size: int, rng: random.Random) -> Iterator[int]:
    """
    Yield the numbers below `size` in any order; the first ones cost no more than their number.

    Example:
        >>> sorted(shuffled(4, random.Random(0)))
        [0, 1, 2, 3]
    """
    moved: dict[int, int] = {}
    for index in range(size):
        other = rng.randrange(index, size)
        yield moved.get(other, other)
        moved[other] = moved.get(index, index)


# -- names ---------------------------------------------------------------------------


class Name(NamedTuple):
    """
    What a tool is called: `find_upcoming_hotel_reviews` and the like, in words.

    Attributes:
        verb: what it does.
        noun: what with.
        aspect: what of that, or the empty text.
        plural: whether the last word is in the plural.
        qualifier: what it is special for, or the empty text.
    """

    verb: str
    noun: str
    aspect: str = ""
    plural: bool = False
    qualifier: str = ""

    @property
    def subject(self) -> str:
        """What the tool is about, in snake_case."""
        return "_".join(filter(None, (self.noun, self.aspect)))

    @property
    def words(self) -> tuple[str, ...]:
        """The words of the name; the qualifier comes last."""
        about = [self.noun, self.aspect] if self.aspect else [self.noun]
        if self.plural:
            about[-1] = plural(about[-1])
        return tuple(filter(None, (self.verb, *about, self.qualifier)))


def plural(word: str) -> str:
    """
    Return the plural of a noun.

    Example:
        >>> plural("gallery"), plural("address"), plural("railway")
        ('galleries', 'addresses', 'railways')
    """
    if word.endswith("y") and word[-2] not in "aeo":
        return word[:-1] + "ies"
    return word + ("es" if word.endswith(("s", "ch", "x", "sh")) else "s")


class Names:
    """
    The names of one case.

    The words are dealt into two halves by the seed: needed tools are named with the one, distractors that are
    unlike them with the other.
    """

    def __init__(self, seed: object) -> None:
        """Deal the words."""
        rng = stream(seed, "words")

        def halves(words: list[str]) -> tuple[list[str], list[str]]:
            mixed = [words[number] for number in shuffled(len(words), rng)]
            return mixed[: len(mixed) // 2], mixed[len(mixed) // 2 :]

        reading = halves(sorted(verb for verb, effect in VERBS.items() if effect == "read"))
        writing = halves(sorted(verb for verb, effect in VERBS.items() if effect != "read"))
        self._verbs = (reading[0] + writing[0], reading[1] + writing[1])
        self._nouns = halves(sorted(NOUNS))
        # A word that is a verb as well, or a thing, would be had in common after all.
        aspects = halves(sorted(set(ASPECTS) - set(VERBS) - set(NOUNS)))
        self._aspects = (["", *aspects[0]], ["", *aspects[1]])
        self._seed = seed

    def needed(self) -> Iterator[Name]:
        """Yield names of needed tools; each is about something else, at first about other nouns."""
        nouns, aspects, seed = self._nouns[0], self._aspects[0], self._seed
        order = {n: list(shuffled(len(aspects), stream(seed, "aspects", n))) for n in nouns}
        for number in range(len(aspects)):
            for noun in nouns:
                rng = stream(seed, "needed", noun, number)
                verb = rng.choice(self._verbs[0])
                yield Name(verb, noun, aspects[order[noun][number]], rng.random() < 0.4)

    def unlike(self) -> Iterator[Name]:
        """Yield names that have no word in common with those of needed tools."""
        verbs, nouns, aspects = self._verbs[1], self._nouns[1], self._aspects[1]
        rng = stream(self._seed, "unlike")
        for qualifier in ("", *QUALIFIERS):
            for number in shuffled(len(verbs) * len(nouns) * len(aspects), rng):
                rest, verb = divmod(number, len(verbs))
                aspect, noun = divmod(rest, len(nouns))
                yield Name(verbs[verb], nouns[noun], aspects[aspect], rng.random() < 0.4, qualifier)

    def twins(self, name: Name, index: int) -> Iterator[Name]:
        """
        Yield names like the given one, the nearest first, without an end.

        At first one word or letter is another, then a word is added, then two are others; in the end versions
        are numbered.
        """
        rng = stream(self._seed, "twins", index)
        near = [
            name._replace(plural=not name.plural),
            *(name._replace(verb=verb) for verb in sorted(VERBS) if verb != name.verb),
            *(name._replace(noun=noun) for noun in NOUNS if noun != name.noun),
        ]
        if name.aspect:
            near += [name._replace(aspect=aspect) for aspect in ASPECTS if aspect != name.aspect]
        yield from (near[number] for number in shuffled(len(near), rng))
        yield from (name._replace(qualifier=QUALIFIERS[n]) for n in shuffled(len(QUALIFIERS), rng))
        if not name.aspect:
            yield from (name._replace(aspect=ASPECTS[n]) for n in shuffled(len(ASPECTS), rng))
        for _ in range(ATTEMPTS):
            one, other = rng.choice(near), rng.choice(near)
            triples = zip(name, one, other, strict=True)  # what the first has changed counts
            both = Name._make(a if a != given else b for given, a, b in triples)
            yield rng.choice((one._replace(qualifier=rng.choice(QUALIFIERS)), both))
        for version in count(2):
            yield name._replace(qualifier=f"v{version}")
