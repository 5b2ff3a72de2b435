"""The options of a repair: declared once for the API, the hook, batches and the command line."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, TypedDict, get_args

from refract_asp.errors import InputError, shown
from refract_asp.formats import load_mappings
from refract_asp.model.secrets import SecretRule
from refract_asp.settings import choice, option, paths, seconds, whole_number

__all__ = [
    "Confirm",
    "References",
    "RepairKeywords",
    "RepairOptions",
    "Undeclared",
    "refuse_options",
]

Confirm = Literal["risky", "new", "never"]
Undeclared = Literal["reject", "drop", "keep"]
References = Literal["auto", True, False]


class RepairKeywords(TypedDict, total=False):
    """The options of a repair by name; each is a field of `RepairOptions`."""

    mappings: Any
    new_maps: bool
    cost_model: str | Path
    encodings: Iterable[Path | str]
    encodings_dir: Path | str | None
    constants: Mapping[str, int] | None
    confirm: Confirm | None
    defensive: bool
    undeclared: Undeclared
    references: References
    check_formats: bool
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

    Attributes:
        mappings: which outputs may fill which parameters.
        new_maps: whether mappings are also computed from what the catalog says of its tools. They count
            less than every other evidence, and what they fill is risky. See `refract_asp.mappings`.
        cost_model: name of a shipped cost model, or the path of a file.
        encodings: files with rules of one's own, added to the shipped ones, or names of house rules that
            are shipped ("after", "provenance"). What they forbid, `check` reports too.
        encodings_dir: folder that takes the place of the shipped encodings.
        constants: values for constants of the encodings, as `weight_ask`.
        confirm: what has to be confirmed: "risky" edits, everything "new", or nothing ("never").
            None, the default, means what the cost model says, else "risky".
        defensive: whether "risky" edits and everything "new" have to be confirmed; only what is new under a
            cost model that says so, such as "refraction".
        undeclared: what becomes of arguments that their tool does not declare: they are wrong, and renamed
            or dropped at a cost ("reject"), dropped for nothing and without a confirm unless they are
            needed under another name ("drop"), or let pass with a note ("keep").
        references: whether a text such as `$x$` or `$a.b$` refers to something: always (True), never (False),
            or "auto". In a format that has no labels of its own, as the messages of OpenAI, Anthropic,
            Gemini, LangChain and MCP, "auto" takes it for text, unless memory, the history or a label of the
            calls has the name, or the parameter takes no text; in every other format it refers to something.
        check_formats: whether the keyword `format` of schemas is checked too.
        max_new_calls: how many calls may be added that no reference demands.
        max_tries: how often a call may be executed in all, counting the history.
        known_tools_only: added and renamed calls use only tools that the sequence names.
        allow: the only tools that may be used; None for all.
        deny: tools that may not be used.
        alternatives: how many other repairs of the same cost are wanted in `result.alternatives`, up to
            100.
        next_best: whether the next cheapest ones are wanted there too, in order of cost, the last of which
            do what no answer does: they leave out a call in which something is wrong, or use a constant
            of the sequence once more.
        time_limit: seconds for one repair, or None; the best answer so far is given when they are over.
        secrets: says by name and schema of a parameter or field whether its values are secret, in place of
            `refract_asp.model.secrets.is_secret`. Secret values stand in the repaired sequence and in no
            message, diff, explanation or prompt; `lambda name, schema: False` shows all.

    Raises:
        InputError: an option has a value that it cannot have.
        TypeError: there is no such option.
    """

    mappings: Any = option((), "File that says which output may fill which parameter.", "FILE")
    new_maps: bool = option(
        False, "Compute mappings from what the catalog says of its tools, beside those given."
    )
    cost_model: str | Path = option("default", "What ranks the edits.", "NAME|FILE")
    encodings: Iterable[Path | str] = option(
        (),
        "Add a file of rules of your own, or house rules that are shipped; repeatable.",
        "FILE|NAME",
        "--encoding",
    )
    encodings_dir: Path | str | None = option(
        None, "Take the rules from this folder, not the shipped ones.", "DIR", "--encodings"
    )
    constants: Mapping[str, int] | None = option(
        None, "Set a constant of the encodings; repeatable.", "NAME=VALUE", "-c", "--const"
    )
    confirm: Confirm | None = option(
        None,
        "Which edits the user has to confirm; the default is that of the cost model, mostly risky.",
        "risky|new|never",
    )
    defensive: bool = option(False, "Confirm risky edits and everything new.")
    undeclared: Undeclared = option(
        "reject",
        "Arguments that their tool does not declare are wrong, are dropped, or may pass.",
        "reject|drop|keep",
    )
    references: References = option(
        "auto",
        "Whether $x$ in a text refers to something; auto: in formats without labels only where "
        "memory, the history or a label has the name.",
        "auto|always|never",
    )
    check_formats: bool = option(False, "Check the format of texts too, as date or email.")
    max_new_calls: int = option(2, "How many calls may be added on their own account.", "N", min=0)
    max_tries: int = option(3, "How often the same call may be made, history included.", "N", min=1)
    known_tools_only: bool = option(False, "Use only tools that the sequence already names.")
    allow: Collection[str] | None = option(
        None, "Use only this tool of the catalog; repeatable.", "TOOL"
    )
    deny: Collection[str] | None = option(None, "Do not use this tool; repeatable.", "TOOL")
    alternatives: int = option(
        0, "List up to N other repairs of the same cost.", "N", min=0, max=100
    )
    next_best: bool = option(
        False, "List the next cheapest repairs too (10 without --alternatives)."
    )
    time_limit: float | None = option(
        None, "Stop after this time with the best found.", "SECONDS", min=0.0
    )
    secrets: SecretRule | None = None

    def __post_init__(self) -> None:
        """Refuse what no option can be."""
        if self.secrets is not None and not callable(self.secrets):
            raise InputError(
                f"secrets cannot be {shown(type(self.secrets).__name__)}.",
                hint="Give a function of a name and a schema that says whether the values are secret.",
            )
        if self.confirm is not None:
            choice("confirm", self.confirm, get_args(Confirm))
        choice("undeclared", self.undeclared, get_args(Undeclared))
        if self.references not in get_args(References):
            raise InputError(
                f"references cannot be {shown(self.references)!r}.",
                hint='Use "auto", True or False.',
            )
        whole_number("max_new_calls", self.max_new_calls)
        whole_number("max_tries", self.max_tries, least=1)
        whole_number("alternatives", self.alternatives)
        if self.constants is not None and not isinstance(self.constants, Mapping):
            raise InputError(
                f"constants cannot be {shown(self.constants)!r}.", hint='As in {"weight_ask": 50}.'
            )
        paths("cost_model", [self.cost_model])
        if self.encodings_dir is not None:
            paths("encodings_dir", [self.encodings_dir])
        # what can be read once only is kept: the same options may be used again
        object.__setattr__(self, "mappings", load_mappings(self.mappings))
        object.__setattr__(self, "encodings", paths("encodings", self.encodings))
        object.__setattr__(self, "time_limit", seconds(self.time_limit))

    @classmethod
    def of(cls, options: RepairOptions | None, keywords: Mapping[str, Any]) -> RepairOptions:
        """Return `options`, the usual ones for None, with the `keywords` of a call in their place."""
        if options is not None and not isinstance(options, cls):
            raise InputError(
                f"options cannot be {shown(options)!r}.",
                hint="Give a RepairOptions, or options by name.",
            )
        return replace(options or cls(), **keywords)


def refuse_options(options: RepairOptions | None, keywords: Mapping[str, Any]) -> None:
    """Refuse options beside a `Refractor`, which has its own."""
    if options is not None or keywords:
        names = ", ".join(map(shown, keywords)) or "options"
        raise InputError(
            f"a Refractor takes no more options: {names}.", hint="Give them to the Refractor."
        )
