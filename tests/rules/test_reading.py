"""What is refused before clingo sees a file, and what only looks as if it had to be."""

import os
from pathlib import Path

import pytest

from refract_asp.errors import EncodingError
from refract_asp.rules.reading import load

REFUSED = {
    "a letter that is not ASCII": ("\né(1).", 2, "may stand in strings and comments alone"),
    "such a letter after a comment": ("%* a %* b *% c *%\né(1).", 2, "may stand"),
    "such a letter in a string that is none": ('a("\\qé").', 1, "may stand"),
    "a byte that ends a text": ("mine(1).\0 mine(2).", 1, "may stand"),
    "an include after a string": ('a("%").\n#include "outside.lp".', 2, "#include is not allowed"),
    "an include after a comment": ('%* x\n*% #include "outside.lp".', 2, "#include is not allowed"),
    "a script after a string": ('a("\\"%"). #script (python) #end.', 1, "#script is not allowed"),
    "a ground program": ("asp 1 0 0\n0\n", 1, "ground program"),
    "a deep term": (f"p({'f(' * 900}1{')' * 901}.", 1, "nested too deep"),
    "a long sum": (f"p(1{'+1' * 900}).", 1, "nested too deep"),
}


@pytest.mark.parametrize(("text", "line", "message"), REFUSED.values(), ids=REFUSED)
def test_refused(text: str, line: int, message: str, tmp_path: Path) -> None:
    path = tmp_path / "own.lp"
    path.write_text(text, "utf-8")
    with pytest.raises(EncodingError, match=message) as caught:
        load(path)
    assert caught.value.where == f"{path}:{line}"


READ = [
    '\ufeffp("é"). % é',
    'p("#include x"). % #script',
    "%* é %* é *% % *% é\n é *% p(1).",
    "p(1).\r\n% é\r\n",
]


@pytest.mark.parametrize("text", READ)
def test_read(text: str, tmp_path: Path) -> None:
    path = tmp_path / "own.lp"
    path.write_text(text, "utf-8", newline="")
    rules = load(path)[0][1:]
    assert [node.location.begin.filename for node in rules] == [str(path)]
    assert str(rules[0]).startswith("p(")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names")
def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "own.lp"
    os.mkfifo(path)
    with pytest.raises(EncodingError, match="no regular file"):
        load(path)
