"""The arguments and options that several commands share."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, TypeAlias

import typer

__all__ = [
    "Allow",
    "CatalogFormat",
    "CatalogName",
    "CheckFormats",
    "Color",
    "ColorChoice",
    "ConfirmChoice",
    "Constants",
    "CostModel",
    "Defensive",
    "Deny",
    "EncodingFiles",
    "EncodingsFolder",
    "From",
    "HistoryFile",
    "KnownToolsOnly",
    "MappingsFile",
    "MaxNewCalls",
    "MaxTries",
    "MemoryFile",
    "NewMaps",
    "Output",
    "OutputFormat",
    "OutputFormatChoice",
    "SequenceFile",
    "TimeLimit",
    "UndeclaredChoice",
    "WhatBecomesOfUndeclared",
    "WhatToConfirm",
]


class OutputFormat(StrEnum):
    """How results are printed."""

    TEXT = "text"
    JSON = "json"


class ColorChoice(StrEnum):
    """When the output is coloured."""

    AUTO = "auto"
    ALWAYS = "always"
    NEVER = "never"


class WhatToConfirm(StrEnum):
    """Which edits open a confirm."""

    RISKY = "risky"
    NEW = "new"
    NEVER = "never"


class WhatBecomesOfUndeclared(StrEnum):
    """What becomes of arguments that their tool does not declare."""

    REJECT = "reject"
    DROP = "drop"
    KEEP = "keep"


SequenceFile: TypeAlias = Annotated[
    str, typer.Argument(metavar="SEQUENCE", help="File with the calls; - reads standard input.")
]
CatalogName: TypeAlias = Annotated[
    str,
    typer.Option(
        "--catalog", metavar="PATH|NAME", help="File with the tools, or the name of a shipped catalog."
    ),
]
CatalogFormat: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--catalog-format", metavar="FORMAT", help="Format of the catalog, when it is not to be detected."
    ),
]
From: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--from",
        metavar="FORMAT",
        help="Format of SEQUENCE, when it is not to be detected: pretty, nestful, python, openai, "
        "openai-responses, anthropic, gemini, langchain, mcp or loose.",
    ),
]
MemoryFile: TypeAlias = Annotated[
    str | None, typer.Option("--memory", metavar="FILE", help="JSON or YAML file with values already known.")
]
HistoryFile: TypeAlias = Annotated[
    str | None, typer.Option("--history", metavar="FILE", help="File with the calls made so far.")
]
MappingsFile: TypeAlias = Annotated[
    str | None,
    typer.Option("--mappings", metavar="FILE", help="File that says which output may fill which parameter."),
]
NewMaps: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--new-maps", help="Compute mappings from what the catalog says of its tools, beside those given."
    ),
]
CostModel: TypeAlias = Annotated[
    str, typer.Option("--cost-model", metavar="NAME|FILE", help="What ranks the edits.")
]
Constants: TypeAlias = Annotated[
    list[str] | None,
    typer.Option("-c", "--const", metavar="NAME=VALUE", help="Set a constant of the encodings; repeatable."),
]
EncodingFiles: TypeAlias = Annotated[
    list[str] | None,
    typer.Option("--encoding", metavar="FILE", help="Add a file of rules of your own; repeatable."),
]
EncodingsFolder: TypeAlias = Annotated[
    str | None,
    typer.Option("--encodings", metavar="DIR", help="Take the rules from this folder, not the shipped ones."),
]
ConfirmChoice: TypeAlias = Annotated[
    WhatToConfirm | None,
    typer.Option(
        "--confirm",
        metavar="risky|new|never",
        help="Which edits the user has to confirm; the default is that of the cost model, mostly risky.",
    ),
]
Defensive: TypeAlias = Annotated[bool, typer.Option("--defensive", help="The same as --confirm new.")]
UndeclaredChoice: TypeAlias = Annotated[
    WhatBecomesOfUndeclared,
    typer.Option(
        "--undeclared",
        metavar="reject|drop|keep",
        help="Arguments that their tool does not declare are wrong, are dropped, or may pass.",
    ),
]
CheckFormats: TypeAlias = Annotated[
    bool, typer.Option("--check-formats", help="Check the format of texts too, as date or email.")
]
MaxNewCalls: TypeAlias = Annotated[
    int,
    typer.Option(
        "--max-new-calls", metavar="N", min=0, help="How many calls may be added on their own account."
    ),
]
MaxTries: TypeAlias = Annotated[
    int,
    typer.Option(
        "--max-tries", metavar="N", min=1, help="How often the same call may be made, history included."
    ),
]
KnownToolsOnly: TypeAlias = Annotated[
    bool, typer.Option("--known-tools-only", help="Use only tools that the sequence already names.")
]
Allow: TypeAlias = Annotated[
    list[str] | None,
    typer.Option("--allow", metavar="TOOL", help="Use only this tool of the catalog; repeatable."),
]
Deny: TypeAlias = Annotated[
    list[str] | None, typer.Option("--deny", metavar="TOOL", help="Do not use this tool; repeatable.")
]
TimeLimit: TypeAlias = Annotated[
    float | None,
    typer.Option(
        "--time-limit", metavar="SECONDS", min=0.0, help="Stop after this time with the best found."
    ),
]
OutputFormatChoice: TypeAlias = Annotated[
    OutputFormat, typer.Option("--format", metavar="text|json", help="How to print the answer.")
]
Color: TypeAlias = Annotated[
    ColorChoice,
    typer.Option(
        "--color", metavar="auto|always|never", help="Colour the text; auto: on a terminal without NO_COLOR."
    ),
]
Output: TypeAlias = Annotated[
    str | None, typer.Option("-o", "--output", metavar="FILE", help="Write here, not to standard output.")
]
