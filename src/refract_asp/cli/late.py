"""
What commands load only when they work: their help is printed without any of it.

Each module is loaded when it is first asked for, as in `late.formats.load_catalog(path)`.
"""

# not from __future__ import annotations: it would take the place of the module of that name
import gc
import os
from contextlib import contextmanager

from refract_asp.ports import lazily

TYPE_CHECKING = False  # typing itself is loaded no earlier than the rest
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from refract_asp import formats, model, refractor
    from refract_asp.formats import examples, given
    from refract_asp.model import diagnostic
    from refract_asp.report import annotations, codes, diagnostics, graph, tags, text

__all__ = ["annotations", "codes", "diagnostic", "diagnostics", "examples"]
__all__ += ["INTERRUPTED", "formats", "given", "graph", "loading", "model", "refractor", "tags"]
__all__ += ["text"]

_load, _ = lazily(__name__)

# The exit code of a command that Ctrl-C ends.
INTERRUPTED = 130


@contextmanager
def loading() -> "Iterator[None]":
    """
    Load modules: Ctrl-C ends the process at once, as there is nothing to clean up yet.

    As an exception it would come up inside an import, where it may be printed and forgotten, or become
    another error. What is loaded is kept, so nobody looks for garbage in it.
    """
    import signal
    import threading

    # only the main thread hears signals
    is_main = threading.current_thread() is threading.main_thread()
    is_ours = is_main and signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if is_ours:
        signal.signal(signal.SIGINT, lambda *_: os._exit(INTERRUPTED))
    is_collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if is_collecting:
            gc.enable()
        if is_ours:
            signal.signal(signal.SIGINT, signal.default_int_handler)


def __getattr__(name: str) -> "Any":
    """Load a module of the table."""
    with loading():
        return _load(name)
