"""`refract-asp costs`: work with cost models."""

from __future__ import annotations

import typer

from refract_asp.cli import compare, fit

__all__ = ["app"]

EPILOG = """
Examples:

\b
  refract-asp costs compare default refraction data.jsonl --catalog travel
  refract-asp costs fit data.jsonl --catalog travel -o mine.lp
"""

app = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="Work with cost models.", epilog=EPILOG)
app.command("compare", epilog=compare.EPILOG, short_help="Say where two cost models differ.")(compare.compare)
app.command("fit", epilog=fit.EPILOG, short_help="Fit the weights of a cost model to examples.")(fit.fit)
