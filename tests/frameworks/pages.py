"""The programs of docs/frameworks, and what the pages say that they print."""

import re
import subprocess
import sys
from pathlib import Path

PAGES = Path(__file__).resolve().parents[2] / "docs" / "frameworks"


def printed_and_said(name: str, folder: Path, before: str = "") -> tuple[str, str]:
    """Run the program of a page after some lines; return what it prints, and what the page says that it does."""
    text = (PAGES / f"{name}.md").read_text("utf-8")
    (program,) = re.findall(r"^```python\n(.*?)^```$", text, re.M | re.S)
    (said,) = re.findall(r"^```text\n(.*?)^```$", text, re.M | re.S)
    (folder / "program.py").write_text(before + program)
    command = [sys.executable, "program.py"]
    run = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    return run.stdout, said
