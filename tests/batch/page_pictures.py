"""Pages of runs that are looked at: at which widths, in which colours, and how their pictures are measured."""

from pathlib import Path
from typing import Any

from refract_asp.evaluation.page import summary_page
from refract_asp.evaluation.summary import summarise
from refract_asp.evaluation.versus import compare_rows

from .browser import Browser
from .page_rows import HOSTILE, small_run
from .travel_rows import rows_of, travelled

WIDTHS = (400, 800, 1280)
MODES = ("light", "dark")
PAGES = ("small", "travel", "errors", "empty")
ABOUT = {"judged": "2026-01-01 12:00", "from": "out.jsonl", "version": "refract-asp 1"}
# The share of the pixels of a picture by colour, and how bright it is on the whole.
_MEASURE = """
(async () => {
  const image = new Image();
  image.src = "data:image/png;base64,%s";
  await image.decode();
  const canvas = Object.assign(document.createElement("canvas"), {width: image.width, height: image.height});
  const context = canvas.getContext("2d");
  context.drawImage(image, 0, 0);
  const data = context.getImageData(0, 0, image.width, image.height).data;
  const found = {red: 0, amber: 0, green: 0, blue: 0, grey: 0};
  let light = 0;
  for (let at = 0; at < data.length; at += 4) {
    const [r, g, b] = data.slice(at, at + 3), most = Math.max(r, g, b), least = Math.min(r, g, b);
    light += (r + g + b) / 3 / 255;
    if (most - least < 60) { found.grey += 1; continue; }
    const turn = most === r ? g - b : most === g ? b - r : r - g, from = most === r ? 0 : most === g ? 120 : 240;
    const hue = (from + 60 * turn / (most - least) + 360) %% 360;
    found[hue < 20 || hue > 330 ? "red" : hue < 60 ? "amber" : hue < 180 ? "green" : "blue"] += 1;
  }
  const all = data.length / 4;
  for (const name in found) found[name] /= all;
  return {...found, light: light / all};
})()
"""


def written(name: str, folder: Path) -> Path:
    """Write one of the pages."""
    versus: Any = None
    if name == "small":
        rows = small_run()
        earlier = [row.model_copy(update={"verdict": "valid", "edits": ()}) for row in rows]
        versus = compare_rows(earlier, rows)
    elif name == "errors":
        rows = tuple(rows_of([b'{"sequence": '] * 30 + [b'{"x": 1}'] * 10))
    else:
        rows = tuple(travelled()) if name == "travel" else ()
    title = HOSTILE if name == "small" else ""
    html = summary_page(lambda: iter(rows), summarise(rows), versus, title=title, about=ABOUT)
    path = folder / f"{name}.html"
    path.write_text(html, encoding="utf-8")
    return path


def colours(browser: Browser, selector: str) -> Any:
    """Return the share of each colour in the picture of an element, and how bright it is, from 0 to 1."""
    box = browser.value(
        f"(({{x, y, width, height}}) => ({{x: x + scrollX, y: y + scrollY, width, height, scale: 1}}))"
        f"(document.querySelector({selector!r}).getBoundingClientRect())"
    )
    how = {"format": "png", "captureBeyondViewport": True, "clip": box}
    picture = browser.send("Page.captureScreenshot", **how)
    return browser.value(_MEASURE % picture["data"])
