"""The dials of generated cases: what each one sets, and in which bounds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from collections.abc import Sequence as SequenceOf
from dataclasses import dataclass, fields, replace
from itertools import product
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

from refract_asp.errors import InputError, shown
from refract_asp.model.catalog import Effect
from refract_asp.model.schemas import JsonSchema

__all__ = [
    "ASPECTS",
    "COUPLINGS",
    "FIELDS",
    "MAX_CALLS",
    "MAX_TOOLS",
    "NAMESPACES",
    "NOUNS",
    "PARAMETERS",
    "QUALIFIERS",
    "VERBS",
    "Coupling",
    "Dials",
    "Typed",
    "coupling_named",
    "grid",
]


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


Coupling: TypeAlias = Literal["independent", "chain", "fan-out", "fan-in", "random"]
"""How calls read from each other: not at all, each from the one before, all from the first, the last from
all, or some from any before them."""

COUPLINGS: tuple[Coupling, ...] = get_args(Coupling)

MAX_TOOLS = 10_000
MAX_CALLS = 300

_COUNTS = {"tools": (1, MAX_TOOLS), "calls": (1, MAX_CALLS), "namespaces": (0, len(NAMESPACES))}
_SHARES = ("share", "reuse", "likeness", "typed", "optional", "renamed")


@dataclass(frozen=True, slots=True)
class Dials:
    """
    What a generated case is like; a share is a number from 0 to 1.

    Attributes:
        tools: size of the catalog: the tools that are called and distractors.
        calls: length of the sequence.
        coupling: how calls read from each other.
        share: how many calls read from earlier ones, with the coupling "random".
        reuse: how many calls use a tool that was called before; the others have one of their own.
        likeness: how many distractors are named like a tool that is called, with one word or letter
            changed as long as there are such names; the others have no word in common with those.
        typed: how many parameters take an enumeration, a whole number, a flag, a list or an object;
            the others take any text.
        optional: how many of the parameters with constants are optional; about half of these are passed.
        renamed: how many references are read into a parameter that is not called like the field.
        namespaces: how many services the tools belong to, whose names stand before theirs; 0 is none.

    Raises:
        InputError: a dial is out of range, or there are too few tools for the calls.

    Example:
        >>> Dials(tools=100, coupling="fan-in").calls
        5
    """

    tools: int = 20
    calls: int = 5
    coupling: Coupling = "chain"
    share: float = 0.5
    reuse: float = 0.0
    likeness: float = 0.5
    typed: float = 0.5
    optional: float = 0.3
    renamed: float = 0.0
    namespaces: int = 0

    def __post_init__(self) -> None:
        """Refuse what is out of range."""
        for name, (least, most) in _COUNTS.items():
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
                what = f"{shown(value)} is no number of {name}."
                raise InputError(
                    what, where=name, hint=f"Take a whole number from {least} to {most}."
                )
        coupling_named(self.coupling)
        for name in _SHARES:
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
                raise InputError(
                    f"{shown(value)} is no share.", where=name, hint="Take one from 0 to 1."
                )
        if self.needed > self.tools:
            raise InputError(
                f"{self.tools} tools are too few for {self.calls} calls, which use {self.needed}.",
                where="tools",
                hint=f"Take at least {self.needed}, or let more calls use a tool again (reuse).",
            )

    @property
    def needed(self) -> int:
        """
        How many tools the sequence calls.

        Example:
            >>> Dials(calls=5).needed, Dials(calls=5, reuse=0.5).needed, Dials(calls=5, reuse=1).needed
            (5, 3, 1)
        """
        return self.calls - round(self.reuse * (self.calls - 1))

    def data(self) -> dict[str, Any]:
        """Return the dials by name."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    def text(self) -> str:
        """
        Say the dials that are not as they are by default, and the first two.

        Example:
            >>> Dials(tools=100, likeness=1.0).text()
            'tools=100,calls=5,likeness=1'
        """
        said = [
            f"{each.name}={_number(getattr(self, each.name))}"
            for each in fields(self)
            if each.name in ("tools", "calls") or getattr(self, each.name) != each.default
        ]
        return ",".join(said)


def _number(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def coupling_named(name: str) -> Coupling:
    """
    Return the coupling of that name.

    Raises:
        InputError: there is none.
    """
    for each in COUPLINGS:
        if each == name:
            return each
    hint = f"There are {', '.join(COUPLINGS)}."
    raise InputError(f"there is no coupling {shown(name)!r}.", where="coupling", hint=hint)


def grid(values: Mapping[str, SequenceOf[Any]], base: Dials | None = None) -> Iterator[Dials]:
    """
    Yield the dials for every combination of some values, the last one changing fastest.

    Raises:
        InputError: there is no such dial, or a combination cannot be.

    Example:
        >>> [(d.tools, d.coupling) for d in grid({"tools": [10, 20], "coupling": ["chain", "fan-in"]})]
        [(10, 'chain'), (10, 'fan-in'), (20, 'chain'), (20, 'fan-in')]
    """
    known = [each.name for each in fields(Dials)]
    for name in values:
        if name not in known:
            raise InputError(
                f"there is no dial {shown(name)!r}.", hint=f"Known: {', '.join(known)}."
            )
    base = base or Dials()
    for chosen in product(*values.values()):
        yield replace(base, **dict(zip(values, chosen, strict=True)))
