"""The programs of docs/frameworks, and what the pages say that they print."""

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

PAGES = Path(__file__).resolve().parents[2] / "docs" / "frameworks"


def program_of(name: str, before: str = "") -> Callable[[Path], None]:
    """Return a test that the program of a page, after some lines, prints what the page says that it does."""

    def test(tmp_path: Path) -> None:
        text = (PAGES / f"{name}.md").read_text("utf-8")
        (program,) = re.findall(r"^```python\n(.*?)^```$", text, re.M | re.S)
        (said,) = re.findall(r"^```text\n(.*?)^```$", text, re.M | re.S)
        (tmp_path / "program.py").write_text(before + program)
        command = [sys.executable, "program.py"]
        run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert run.returncode == 0, run.stderr
        assert run.stdout == said, run.stdout

    return test
