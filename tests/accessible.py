"""Let axe-core judge the pages of reports in Chromium; `make axe` fetches it from npm and runs this."""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.batch.browser import Browser
from tests.batch.page_pictures import MODES, PAGES, WIDTHS, written

OPEN = "document.querySelectorAll('details').forEach(e => e.open = true)"
RUN = """
axe.run().then((found) => found.violations.map((each) => `${each.id}: ${each.nodes.map((node) => node.html)}`))
"""


def main(axe: Path) -> int:
    """Print what axe-core complains of, and return whether there is something."""
    script, found = axe.read_text("utf-8"), 0
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        browser = Browser(Path(folder) / "profile")
        try:
            for name in PAGES:
                path = written(name, Path(folder))
                for width in WIDTHS:
                    for mode in MODES:
                        browser.open(path, width=width, mode=mode)
                        browser.value(OPEN)
                        browser.value(f"{script};0")
                        complaints = browser.value(RUN)
                        found += len(complaints)
                        print(f"{name}, {width} pixels, {mode}:", *complaints or ["nothing"])
        finally:
            browser.close()
    return int(found > 0)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
