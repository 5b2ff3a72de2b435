"""What is secret is printed nowhere."""

from __future__ import annotations

import logging
from typing import Any

import pytest

from refract_asp import Catalog, Refractor
from refract_asp.model import Tool
from refract_asp.runtime import run


def test_secrets_of_the_output_schema_are_not_printed() -> None:
    hidden = {"type": "object", "properties": {"word": {"type": "string", "format": "password"}}}
    catalog = Catalog(tools=(Tool(name="f", output_schema=hidden),))
    done = run("f()", {"f": lambda: {"word": "k3y", "other": 1}}, catalog=catalog)
    assert "k3y" not in done.summary()
    assert '"other": 1' in done.summary()


def test_secrets_are_not_printed() -> None:
    assert "k3y" not in run("f()", {"f": lambda: {"password": "k3y"}}).summary()


def refuse(word: str, password: str = "") -> None:
    raise ValueError(f"neither {word} nor {password} is right")


def is_word(name: str, schema: Any) -> bool:
    return name == "word"


def test_secrets_that_a_tool_puts_into_what_it_raises_are_not_printed() -> None:
    done = run('f(word="hunter1", password="hunter2")', {"f": refuse})
    assert "neither hunter1 nor (secret) is right" in done.summary()
    assert "hunter2" in str(done.outcomes[0].error)  # which is data


@pytest.mark.parametrize("is_repair", [True, False])
def test_a_rule_says_what_is_secret(is_repair: bool, caplog: pytest.LogCaptureFixture) -> None:
    catalog = Catalog.load({"tools": [{"name": "f", "parameters": {"word": {"type": "string"}}}]})
    what = 'f(word="hunter1")'
    with caplog.at_level(logging.INFO, "refract_asp.runtime"):
        if is_repair:
            done = run(
                Refractor(catalog, secrets=is_word).repair(what), {"f": refuse}, catalog=catalog
            )
        else:
            done = run(what, {"f": refuse}, catalog=catalog, secrets=is_word)
    assert done.outcomes[0].status == "failed"
    assert "hunter1" not in done.summary() + caplog.text
    assert caplog.records[0].refract_arguments == '{"word": "(secret)"}'  # type: ignore[attr-defined]
