"""Write what the reference pages take from the program: tables of formats and options, the help of commands."""

from __future__ import annotations

from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any

from typer.main import get_command
from typer.testing import CliRunner

from refract_asp.cli import options
from refract_asp.cli.app import COMMANDS, app
from refract_asp.formats import CATALOG_FORMATS, SEQUENCE_FORMATS
from refract_asp.options import RepairOptions

DOCS = Path(__file__).parent
FLAGS = {
    "constants": "-c",
    "encodings": "--encoding",
    "patterns": "--pattern",
    "encodings_dir": "--encodings",
}


def format_table(formats: tuple[Any, ...], option: str) -> str:
    """Return a table with a row for each format."""
    rows = [f"| {option} | looks like | written |", "|---|---|---|"]
    for each in formats:
        looks = (
            each.looks
            if "`" in each.looks
            else f"`{each.looks}`"
            if "<" in each.looks
            else each.looks
        )
        rows.append(f"| `{each.name}` | {looks} | {'yes' if each.write else 'no'} |")
    return "\n".join(rows)


def option_table() -> str:
    """Return a table with a row for each option of a repair."""
    told = options.told_in(RepairOptions.__doc__)
    rows = ["| option | default | command line | meaning |", "|---|---|---|---|"]
    for each in fields(RepairOptions):
        default = "" if each.default is MISSING else f"`{each.default!r}`"
        flag = FLAGS.get(each.name, f"--{each.name.replace('_', '-')}")
        flag = "" if each.name == "secrets" else f"`{flag}`"
        rows.append(
            f"| `{each.name}` | {default} | {flag} | {told[each.name][1]} |".replace("  ", " ")
        )
    return "\n".join(rows)


def names_of_commands() -> list[str]:
    """Return every command, those of groups behind the name of their group."""
    found = []
    for name in COMMANDS:
        context = get_command(app).make_context(
            "refract-asp", [name, "--help"], resilient_parsing=True
        )
        command = context.command.resolve_command(context, [name])[1]
        found += [name, *(f"{name} {inner}" for inner in getattr(command, "commands", ()))]
    return found


def help_pages() -> str:
    """Return the help of each command, below a heading."""
    blocks = []
    for name in ["", *names_of_commands()]:
        text = CliRunner().invoke(app, f"{name} --help", prog_name="refract-asp").stdout
        title = f"refract-asp {name}".strip()
        blocks.append(f"{'###' if ' ' in name else '##'} {title}\n\n```text\n{text.rstrip()}\n```")
    return "\n\n".join(blocks)


def made(text: str) -> str:
    """Return a page with the parts between its marks made anew."""
    parts = {
        "sequences": lambda: format_table(SEQUENCE_FORMATS, "`--from`, `--to`"),
        "catalogs": lambda: format_table(CATALOG_FORMATS, "`--catalog-format`"),
        "options": option_table,
        "commands": help_pages,
    }
    for name, part in parts.items():
        if f"<!-- {name} -->" in text:
            before, _, rest = text.partition(f"<!-- {name} -->\n")
            _, _, after = rest.partition("<!-- end -->")
            text = f"{before}<!-- {name} -->\n\n{part()}\n\n<!-- end -->{after}"
    return text


PAGES = ("formats.md", "options.md", "commands.md")

if __name__ == "__main__":
    for page in PAGES:
        path = DOCS / page
        path.write_text(made(path.read_text("utf-8")), "utf-8")
