"""What `--prompt` and the options that go with it ask for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import typer

from refract_asp.cli import inputs, options

if TYPE_CHECKING:
    from refract_asp.model import RepairResult

__all__ = ["Prompting"]


@dataclass(frozen=True)
class Prompting:
    """
    Which prompt is wanted.

    Attributes:
        kind: how much help it gives, or None where no prompt is wanted.
        words: what the user asked for, or a file with it behind an @.
        max_tokens: how long it may be.
        templates: the folder with templates of the user's own.
    """

    kind: options.PromptKind | None = None
    words: str | None = None
    max_tokens: int | None = None
    templates: str | None = None

    def __post_init__(self) -> None:
        """Refuse what goes with a prompt only."""
        of_prompts = (
            ("--words", self.words), ("--max-tokens", self.max_tokens), ("--templates", self.templates)
        )  # fmt: skip
        for name, value in of_prompts:
            if value is not None and self.kind is None:
                raise typer.BadParameter("it goes with --prompt.", param_hint=f"'{name}'")

    @property
    def words_file(self) -> str | None:
        """The file with the user's words, or None."""
        return self.words[1:] if self.words is not None and self.words.startswith("@") else None

    def text(self, result: RepairResult) -> str:
        """Return the prompt about a result; empty where nothing is wrong."""
        if self.kind is None:
            return ""
        words = self.words if self.words_file is None else inputs.read_words(self.words_file)
        folder = inputs.read_folder(self.templates)
        return result.prompt(self.kind.value, words=words, max_tokens=self.max_tokens, templates=folder)
