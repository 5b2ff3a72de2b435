"""What each criterion of the cost models stands for, in words."""

from __future__ import annotations

__all__ = ["MEANINGS", "meaning_of"]

MEANINGS = {
    "rename_tool": "a call gets another tool",
    "tool_distance": "how unlike the names of the two tools are",
    "leave_unresolved": "a call stays as it was given",
    "delete_call": "a call goes",
    "delete_copy": "a call goes that is there twice, or was an attempt that is made again",
    "move_call": "a call moves",
    "add_call": "a call is added that a lost label demands, or a goal",
    "add_own_call": "a call is added on its own account",
    "rename_label": "a call gets another label",
    "add_label": "a call gets a label where it had none",
    "rename_parameter": "an argument goes to another parameter",
    "parameter_distance": "how unlike the two parameters are, by name or by value",
    "drop_undeclared": "an argument goes that the tool does not declare",
    "drop_declared": "an argument goes that the tool declares",
    "transform": "a value is brought into another form",
    "form_distance": "how much of the value is changed",
    "hoist": "a call that stood inside an argument is made before it",
    "spread": "a call is made once for each element of a list",
    "fill": "a given call gets a missing argument",
    "fill_added": "an added call gets an argument",
    "ask": "a value of a given call is asked, or as unsure as if it were",
    "ask_added": "a value of an added call is asked, or as unsure as if it were",
    "ask_own": "a value of a call that was added on its own account is asked, or as unsure",
    "reuse_constant": "a constant of the sequence is used once more",
    "repoint": "a reference reads from another call, or from memory",
    "repath": "a reference reads another path",
    "leave_label": "a reference leaves a label that somebody bears",
    "path_distance": "how unlike the path is to the one that was written, or to the parameter",
    "fit_distance": "how unlike the output is to the parameter that it fills",
    "guess": "nothing but likeness speaks for a value",
    "suggestion": "nothing but a computed mapping speaks for a value",
    "use_again": "a value comes from what is there, not from a call that is made for it",
    "make_call": "a call is made that might not have to be",
    "split": "references to one lost label read from different places",
    "named_distance": "how unlike a returned name is to the tool whose output it gives",
    "same_twice": "a call gets a value that it has already",
    "busy": "a value comes from a call that others read and this one did not",
    "ignored_gap": "a missing number is explained otherwise than by a missing call",
    "ignored_number": "a number out of line is explained otherwise than by its call",
    "alternative_only": "no answer does that: a given call goes, or uses a constant of another one",
}


def meaning_of(criterion: str) -> str:
    """
    Return what is paid for.

    Example:
        >>> meaning_of("move_call")
        'a call moves'
    """
    return MEANINGS.get(criterion, "a penalty of this cost model")
