"""The options of a repair: declared once for the API, the hook, batches and the command line."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypedDict, get_args

from refract_asp.errors import InputError, shown
from refract_asp.ports import port
from refract_asp.settings import choice, function, paths, refuse, seconds, whole_number

if TYPE_CHECKING:
    from refract_asp.model.secrets import SecretRule
else:  # the command line reads the hints, and prints its help without the models
    SecretRule = Callable[..., bool]

__all__ = ["RepairKeywords", "RepairOptions", "refuse_options"]

Confirm = Literal["risky", "new", "never"]
Undeclared = Literal["reject", "drop", "keep"]
Lenient = Literal["scalars"]
References = Literal["auto", True, False]
EvidenceKind = Literal["needed", "all"]


class RepairKeywords(TypedDict, total=False):
    """The options of a repair by name; each is a field of `RepairOptions`."""

    mappings: Any
    new_maps: bool
    cost_model: str | Path
    encodings: Iterable[Path | str]
    patterns: Iterable[Path | str]
    encodings_dir: Path | str | None
    constants: Mapping[str, int] | None
    evidence: EvidenceKind
    confirm: Confirm | None
    defensive: bool
    undeclared: Undeclared
    references: References
    check_formats: bool
    lenient: Lenient | None
    effects: Any
    max_new_calls: int
    max_tries: int
    known_tools_only: bool
    allow: Collection[str] | None
    deny: Collection[str] | None
    alternatives: int
    next_best: bool
    time_limit: float | None
    secrets: SecretRule | None


@dataclass(frozen=True, kw_only=True)
class RepairOptions:
    """
    How sequences are checked and repaired, whatever the catalog.

    Every function that repairs takes these as keywords, too: `repair(sequence, catalog, alternatives=5)`.

    The command line has an option for each but `secrets`; its help is the first sentence here.

    Attributes:
        mappings (FILE): File that says which output may fill which parameter. Or the mappings themselves.
        new_maps: Compute mappings from what the catalog says of its tools, beside those given. They count
            less than every other evidence, and what they fill is risky. See `refract_asp.mappings`.
        cost_model (NAME|FILE): What ranks the edits. The name of a shipped cost model, or the path of a file.
        encodings (FILE|NAME): Add a file of rules of your own, or house rules that are shipped; repeatable.
            The shipped ones are "after", "budget", "never_after", "privacy", "provenance" and "taint". What they
            forbid, `check` reports too.
        patterns (FILE): Add a file with a recovery pattern of your own; repeatable. See docs/patterns.md.
        encodings_dir (DIR): Take the rules from this folder, not the shipped ones.
        constants (NAME=VALUE): Set a constant of the encodings; repeatable. As in {"weight_ask": 50}.
        evidence (needed|all): State what the rules need to know of the calls, or everything. With patterns
            or a set of rules of your own it is always everything.
        confirm (risky|new|never): Which edits the user has to confirm; the default is that of the cost model,
            mostly risky. "new" is everything new, "never" is nothing.
        defensive: Confirm risky edits and everything new. Only what is new under a cost model that says so,
            such as "refraction".
        undeclared (reject|drop|keep): Arguments that their tool does not declare are wrong, are dropped, or
            may pass. Wrong ones are renamed or dropped at a cost ("reject"); others are dropped for nothing
            and without a confirm unless they are needed under another name ("drop"), or pass with a note
            ("keep").
        references: Whether $x$ in a text refers to something; auto: in formats without labels only where
            memory, the history or a label has the name. So it is with the messages of OpenAI, Anthropic,
            Gemini, LangChain and MCP, also where the parameter takes no text; in every other format it
            always refers to something. True is always, False is never.
        check_formats: Check the format of texts too, such as date or email.
        lenient (scalars): Take numbers that are written as texts, with a note, where they are read exactly.
            As "42" for an integer; "042" or "4,2" is none. Texts are what is given on.
        effects (infer|declared|FILE): What tools do where the catalog is silent, or a file that says it of
            each. By default the words of its name say whether a tool reads, writes or destroys; "declared"
            leaves it unknown. A mapping of names or globs, {"get_*": "read"}, or a JSON or YAML file of one,
            takes effect before the catalog; what it does not name is inferred. See `encodings/words.lp`.
        max_new_calls (N): Maximum number of calls to add that no reference requires.
        max_tries (N): How often the same call may be made, history included.
        known_tools_only: Use only tools that the sequence already names. That holds for added and renamed
            calls.
        allow (TOOL): Use only this tool of the catalog; repeatable. None allows all.
        deny (TOOL): Do not use this tool; repeatable.
        alternatives (N): List up to N other repairs of the same cost. At most 100, in `result.alternatives`.
        next_best: List the next cheapest repairs too (10 without --alternatives). In order of cost; the last
            of them are never chosen as the answer: they leave out a call in which something is wrong, or use
            a constant of the sequence once more.
        time_limit (SECONDS): Stop after this time with the best found. None is no limit.
        secrets: says by name and schema of a parameter or field whether its values are secret, in place of
            `refract_asp.model.secrets.is_secret`. Secret values stand in the repaired sequence and in no
            message, diff, explanation or prompt; `lambda name, schema: False` shows all.

    Raises:
        InputError: an option has a value that it cannot have.
        TypeError: there is no such option.
    """

    mappings: Any = ()
    new_maps: bool = False
    cost_model: str | Path = "default"
    encodings: Iterable[Path | str] = ()
    patterns: Iterable[Path | str] = ()
    encodings_dir: Path | str | None = None
    constants: Mapping[str, int] | None = None
    evidence: EvidenceKind = "needed"
    confirm: Confirm | None = None
    defensive: bool = False
    undeclared: Undeclared = "reject"
    references: References = "auto"
    check_formats: bool = False
    lenient: Lenient | None = None
    effects: Any = "infer"
    max_new_calls: int = 2
    max_tries: int = 3
    known_tools_only: bool = False
    allow: Collection[str] | None = None
    deny: Collection[str] | None = None
    alternatives: int = 0
    next_best: bool = False
    time_limit: float | None = None
    secrets: SecretRule | None = None

    def __post_init__(self) -> None:
        """Refuse what no option can be."""
        hint = "Give a function of a name and a schema that says whether the values are secret."
        function("secrets", self.secrets, hint)
        if self.confirm is not None:
            choice("confirm", self.confirm, get_args(Confirm))
        choice("evidence", self.evidence, get_args(EvidenceKind))
        choice("undeclared", self.undeclared, get_args(Undeclared))
        if self.lenient is not None:
            choice("lenient", self.lenient, get_args(Lenient))
        choice("references", self.references, get_args(References))
        for name in ("new_maps", "defensive", "check_formats", "known_tools_only", "next_best"):
            choice(name, getattr(self, name), (False, True))
        whole_number("max_new_calls", self.max_new_calls)
        whole_number("max_tries", self.max_tries, least=1)
        whole_number("alternatives", self.alternatives)
        if self.constants is not None and not isinstance(self.constants, Mapping):
            refuse("constants", self.constants, 'As in {"weight_ask": 50}.')
        paths("cost_model", [self.cost_model])
        if self.encodings_dir is not None:
            paths("encodings_dir", [self.encodings_dir])
        # what can be read once only is kept: the same options may be used again
        object.__setattr__(self, "mappings", port("load_mappings")(self.mappings))
        object.__setattr__(self, "effects", port("load_effects")(self.effects))
        object.__setattr__(self, "encodings", paths("encodings", self.encodings))
        object.__setattr__(self, "patterns", paths("patterns", self.patterns))
        object.__setattr__(self, "time_limit", seconds(self.time_limit))

    @classmethod
    def of(cls, options: RepairOptions | None, keywords: Mapping[str, Any]) -> RepairOptions:
        """Return `options`, the usual ones for None, with the `keywords` of a call in their place."""
        if options is not None and not isinstance(options, cls):
            refuse("options", options, "Give a RepairOptions, or options by name.")
        return replace(options or cls(), **keywords)


def refuse_options(options: RepairOptions | None, keywords: Mapping[str, Any]) -> None:
    """Refuse options beside a `Refractor`, which has its own."""
    if options is not None or keywords:
        names = ", ".join(map(shown, keywords)) or "options"
        what = f"a Refractor takes no more options: {names}."
        raise InputError(what, hint="Give them to the Refractor.")
