"""Names and texts of whoever wrote the input, in what a model is told of a failure and in the log."""

import logging
import threading
from typing import Any

import pytest
from test_shown_text import HOSTILE

from declaring import called
from refract_asp.runtime.arguments import MAX_ERROR
from refract_asp.runtime.invoker import Invoker
from refract_asp.runtime.replies import default_mapper, plain_mapper
from waiting import PATIENCE


def outcomes(bad: str, mapper: Any) -> list[str]:
    """Return what the model is told of each kind of failure."""

    def fail(**given: Any) -> None:
        raise type(f"E{bad}", (Exception,), {})(bad)

    told = threading.Event()  # the late tool returns when everything has been told
    tools = {f"a{bad}": fail, f"late{bad}": lambda: told.wait(PATIENCE)}
    parameter = {"name": bad, "parameters": {f"p{bad}": {"type": "integer", "description": bad}}}
    catalog = {"tools": [{**parameter, "name": f"checked{bad}"}]}
    invoker = Invoker({**tools, f"checked{bad}": fail}, catalog, mapper=mapper, timeout=0.01)
    calls: list[tuple[str, Any]] = [
        (f"a{bad}", {bad: bad}),
        (f"late{bad}", {}),
        (f"aa{bad}", {}),
        (f"checked{bad}", {f"pp{bad}": bad}),
        (f"checked{bad}", {f"p{bad}": bad}),
        (f"a{bad}", bad),
        (f"a{bad}", None),
    ]
    data = [called(*each, f"{bad}{number}") for number, each in enumerate(calls)]
    replies = [reply for each in data for reply in invoker.replies([each])]
    told.set()
    return [reply.content for reply in replies if reply.failure]


@pytest.mark.parametrize("mapper", [default_mapper, plain_mapper], ids=["default", "plain"])
@pytest.mark.parametrize("kind", HOSTILE)
def test_no_tricks(kind: str, mapper: Any, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    told = outcomes(HOSTILE[kind], mapper)
    assert len(told) == 7
    for text in told:
        assert text.isprintable()
        mistakes = text.count(" has no parameter ") + text.count(" requires ")
        assert 0 < len(text) <= MAX_ERROR * max(1, mistakes)
    assert len(caplog.records) == 7
    for record in caplog.records:
        assert record.getMessage().isprintable()
        assert len(record.getMessage()) < 1_500
        for name, value in vars(record).items():
            if name.startswith("refract_") and isinstance(value, str):
                assert value.isprintable(), name
