"""Make the pictures of the README from real runs: the terminal as SVG, and with Chromium the report as PNG."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import tempfile
from io import StringIO
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text
from typer.testing import CliRunner

from refract_asp.cli.app import app

PICTURES = Path(__file__).with_name("pictures")
WIDTH = 84
TOOLS = [
    {
        "name": "search_flights",
        "description": "Find flights.",
        "inputSchema": {
            "type": "object",
            "required": ["origin", "destination", "date"],
            "properties": {
                "origin": {"type": "string"},
                "destination": {"type": "string"},
                "date": {"type": "string"},
                "adults": {"type": "integer"},
            },
        },
        "outputSchema": {
            "type": "object",
            "properties": {"flight_id": {"type": "string"}, "price": {"type": "number"}},
        },
    },
    {
        "name": "book_flight",
        "description": "Book a flight.",
        "inputSchema": {
            "type": "object",
            "required": ["flight_id", "passenger"],
            "properties": {"flight_id": {"type": "string"}, "passenger": {"type": "string"}},
        },
    },
]
CALLS = """\
flight = search_flight(origin="FCO", destination="OSL", date="2024-08-15", adults="2")
book_flight(flightId="$flight.id$", passenger="Ada Lovelace")
"""
LIGHT = TerminalTheme(
    (255, 255, 255),
    (36, 41, 47),
    [
        (36, 41, 47),
        (207, 34, 46),
        (17, 99, 41),
        (77, 45, 0),
        (9, 105, 218),
        (130, 80, 223),
        (27, 124, 131),
        (110, 119, 129),
    ],
)


def terminal(title: str, *words: str) -> str:
    """Return a picture of what a command prints on a terminal."""
    printed = CliRunner().invoke(
        app, [*words, "--color", "always"], prog_name="refract-asp", env={"COLUMNS": str(WIDTH)}
    )
    console = Console(record=True, width=WIDTH, file=StringIO(), force_terminal=True)
    console.print(Text.from_ansi(f"$ {title}\n{printed.stdout.rstrip()}"))
    made = console.export_svg(title="refract-asp", theme=LIGHT, unique_id="solve")
    return re.sub(
        r"\s*@font-face \{.*?\}", "", made, flags=re.S
    )  # nothing is fetched to look at it


def report(folder: Path) -> Path:
    """Return a page about made-up recordings of two models, in which more or fewer calls are broken."""
    lines = []
    for seed in range(120):
        case, broken = folder / f"{seed}.jsonl", folder / f"{seed}-broken.jsonl"
        model = ("large", "small")[seed % 2]
        run(
            "bench",
            "generate",
            "--catalog",
            "travel",
            "--calls",
            "3",
            "--seed",
            str(seed),
            "-o",
            str(case),
        )
        if (seed // 2) % (5 if model == "large" else 2) == 0:
            run("bench", "mutate", str(case), "--mix", "1", "--seed", str(seed), "-o", str(broken))
            case = broken
        row = json.loads(case.read_text("utf-8").splitlines()[0])
        told = {
            "sequence": row["sequence"],
            "meta": {"model": model, "date": f"2024-08-{1 + seed // 9:02}"},
        }
        lines.append(json.dumps(told))
    (folder / "agents.jsonl").write_text("\n".join(lines))
    run(
        "batch",
        str(folder / "agents.jsonl"),
        "--catalog",
        "travel",
        "-o",
        str(folder / "run.jsonl"),
    )
    run(
        "batch",
        "report",
        str(folder / "run.jsonl"),
        "--by",
        "model",
        "-o",
        str(folder / "run.html"),
    )
    return folder / "run.html"


def run(*words: str) -> None:
    """Run a command that has to succeed."""
    done = CliRunner().invoke(app, list(words), prog_name="refract-asp")
    if done.exit_code not in (0, 1, 3):
        raise SystemExit(f"{' '.join(words)}: {done.stderr}")


def main() -> None:
    """Write the pictures."""
    PICTURES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "tools.json").write_text(json.dumps(TOOLS))
        (folder / "calls.txt").write_text(CALLS)
        words = ["solve", str(folder / "calls.txt"), "--catalog", str(folder / "tools.json")]
        made = terminal("refract-asp solve calls.txt --catalog tools.json", *words)
        (PICTURES / "solve.svg").write_text(made, "utf-8")
        page = report(folder)
        for browser in filter(None, map(shutil.which, ("chromium", "google-chrome", "chrome"))):
            picture = f"--screenshot={PICTURES / 'report.png'}"
            options = [
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--hide-scrollbars",
                "--window-size=1280,860",
            ]
            subprocess.run(
                [browser, *options, picture, page.as_uri()], check=True, capture_output=True
            )
            break


if __name__ == "__main__":
    main()
