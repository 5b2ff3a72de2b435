"""risk.lp: which edits are risky, and that only these are confirmed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from encoding_facts import held, returning

TOOLS = """
in_tool("Find"). in_effect("Find", read). in_param("Find", "query"). in_required("Find", "query").
in_gives("Find", "key"). in_supplier("z", "Find").
in_tool("Look"). in_effect("Look", read). in_param("Look", ("query";"key")).
in_tool("Book"). in_effect("Book", write). in_param("Book", ("query";"key")).
"""
UNKNOWN = TOOLS + 'in_call(0). in_name(0, "Bk"). in_label(0, "a"). in_arg(0, "query").'
READER = 'in_call(1). in_name(1, "Look"). in_label(1, "b").'
FOUND = TOOLS + 'in_call(0). in_name(0, "Find"). in_label(0, "a"). in_arg(0, "query").'
LOST = (
    TOOLS + READER + 'in_arg(1, "key"). in_ref(1, "key", 0, "z", "key"). in_lost(1, "key", 0, "z").'
)
NEEDS_KEY = 'in_required("Look", "key").'
FIT = 'in_fit("Find", "key", "Look", "key", 5).'
EQUAL = 'in_equal_name("Find", "key", "Look", "key").'
MAPPING = 'in_mapping("Find", "key", "Look", "key").'
SEEN = """
in_call(2). in_name(2, "Look"). in_label(2, "c"). in_arg(2, "key").
in_ref(2, "key", 0, "a", "key"). in_producer(2, "key", 0, 0).
"""
HELD = held("m", "key") + 'in_fit(memory("m"), "key", "Look", "key", 5).'
HELD_EQUAL = 'in_equal_name(memory("m"), "key", "Look", "key").'
HELD_MAPPING = 'in_mapping(memory("m"), "key", "Look", "key").'
HELD_SEEN = SEEN.replace('"a"', '"m"').replace('"key", 0, 0)', '"key", 0, memory("m"))')
SOURCE = 'in_source("Find", "key", "Look", "key").'
OWN = 'own(1,"key","Find")'
UNDECLARED = 'in_arg(1, "colour").'
FREE = UNDECLARED + 'in_param("Book", "key"). in_parameter_distance(1, "colour", "Book", "key", 5).'
MEANT = FREE + 'in_meant("colour", "key"). in_kin("colour", "key").'
WORDS = 'in_meant("colour", "key"). in_word("colour", "red"). in_word("key", "blue").'
BOTH = 'meaning(hue, "red"). meaning(hue, "blue").'
DESTROYS = TOOLS.replace('in_effect("Book", write)', 'in_effect("Book", destructive)')
DESTROYER = READER.replace("Look", "Book")
FORM = (
    'in_arg(1, "key"). in_unfit(1, "key", "Look", "key"). in_recast(1, "key", "Look", "key", 4, 9).'
)
MOVED = FORM + 'in_moved(1, "key", "Look", "key", 4, "old", "new").'
NAMED = 'in_call(0). in_name(0, "grab key"). in_label(0, "a"). in_arg(0, "query").'
OTHER_PATH = """
in_call(1). in_name(1, "Look"). in_label(1, "b"). in_arg(1, "key"). in_ref(1, "key", 0, "a", "tax").
in_producer(1, "key", 0, 0). in_path_distance("tax", "Find", "key", 20). in_meant("tax", "key").
"""

Optima = Callable[..., Any]


def risks(optima: Optima, facts: str, choice: str) -> set[str]:
    """Return what is risky, as `place reason`, where a choice is forced."""
    answers = optima(facts + "in_confirm(risky).", rules=f"want :- {choice}. :- not want.").answers
    (found,) = {
        frozenset(a.removeprefix("out_risky(")[:-1] for a in each if "out_risky" in a)
        for each in answers
    }
    confirmed = {
        a.removeprefix("out_confirm(")[:-1] for each in answers for a in each if "out_confirm" in a
    }
    assert confirmed == {risk.rpartition(",")[0] for risk in found}
    return set(found)


def near(**tools: int) -> str:
    return "".join(
        f'in_tool_distance(0, "{tool}", {distance}).' for tool, distance in tools.items()
    )


FILLED = 'fill(1, "key", 0, "key")'
HELD_FILLED = 'fill(1, "key", memory("m"), "key")'
OWN_FILLED = f'fill(1, "key", {OWN}, "key")'
WEAK = {'argument(1,"key"),weak_evidence'}
DOUBTFUL = {f"call({OWN}),not_demanded"}

CASES = {
    # tools
    "a name that is alike": (UNKNOWN + near(Look=50), 'name(0, "Look")', set()),
    "chosen by fit alone": (
        UNKNOWN + 'in_offered(0, "Look").' + near(Look=56),
        'name(0, "Look")',
        {"call(0),by_fit"},
    ),
    "a write where a read was near": (
        UNKNOWN + near(Book=50, Look=52),
        'name(0, "Book")',
        {"call(0),across_effects", "call(0),unlike"},
    ),
    "a read where a write was near": (UNKNOWN + near(Book=50, Look=52), 'name(0, "Look")', set()),
    "a write, and nothing else near": (
        UNKNOWN + near(Book=50, Look=60),
        'name(0, "Book")',
        {"call(0),unlike"},
    ),
    "a write that is a slip of the pen away": (
        UNKNOWN + near(Book=20, Look=60),
        'name(0, "Book")',
        set(),
    ),
    # renamed arguments
    "a value under another name, for a write": (
        TOOLS + READER.replace("Look", "Book") + MEANT,
        'renamed(1, "colour", "key")',
        {'argument(1,"colour"),unlike'},
    ),
    "a slip in the name, for a write": (
        TOOLS + READER.replace("Look", "Book") + MEANT + 'in_slip(1, "colour", "Book", "key").',
        'renamed(1, "colour", "key")',
        set(),
    ),
    "a value under another name, for a read": (
        TOOLS + READER + MEANT.replace("Book", "Look"),
        'renamed(1, "colour", "key")',
        set(),
    ),
    "a value under a name that says nothing of it": (
        TOOLS + READER + FREE.replace("Book", "Look"),
        'renamed(1, "colour", "key")',
        {'argument(1,"colour"),unnamed'},
    ),
    "... that has a word of the same meaning": (
        TOOLS + READER + FREE.replace("Book", "Look") + WORDS + BOTH,
        'renamed(1, "colour", "key")',
        set(),
    ),
    "... which both say little": (
        TOOLS
        + READER
        + FREE.replace("Book", "Look")
        + WORDS
        + BOTH
        + 'vague("red"). vague("blue").',
        'renamed(1, "colour", "key")',
        {'argument(1,"colour"),unnamed'},
    ),
    "... that has the same word": (
        TOOLS + READER + FREE.replace("Book", "Look") + WORDS + 'in_word("key", "red").',
        'renamed(1, "colour", "key")',
        set(),
    ),
    "... that looks alike and means the contrary": (
        TOOLS
        + READER
        + MEANT.replace("Book", "Look")
        + WORDS
        + 'meaning(warm, "red"). meaning(cold, "blue"). contrary(cold, warm).',
        'renamed(1, "colour", "key")',
        {'argument(1,"colour"),unnamed'},
    ),
    "a key inside a value under a name that says nothing of it": (
        TOOLS + READER + MOVED,
        'recast(1, "key", 4)',
        {'argument(1,"key"),unnamed'},
    ),
    "a key inside a value under a name that looks alike": (
        TOOLS + READER + MOVED + 'in_kin("old", "new").',
        'recast(1, "key", 4)',
        set(),
    ),
    "a key left out of a write": (
        TOOLS
        + DESTROYER
        + FORM.replace("Look", "Book")
        + 'in_left_out(1, "key", "Book", "key", 4).',
        'recast(1, "key", 4)',
        {'argument(1,"key"),dropped'},
    ),
    "another field, called like the parameter, for a read": (
        FOUND + OTHER_PATH + FIT,
        'mend(1, "key", 0, 0, "key")',
        set(),
    ),
    "another field that nothing speaks for": (
        FOUND + OTHER_PATH + FIT.replace("5", "20"),
        'mend(1, "key", 0, 0, "key")',
        {'argument(1,"key"),unnamed'},
    ),
    "another field, called like the parameter, for a write": (
        FOUND + OTHER_PATH.replace("Look", "Book") + FIT.replace("Look", "Book"),
        'mend(1, "key", 0, 0, "key")',
        {'argument(1,"key"),unnamed'},
    ),
    "what cannot be read as a reference": (
        FOUND + OTHER_PATH + FIT + 'in_malformed(1, "key", 0).',
        'mend(1, "key", 0, 0, "key")',
        {'argument(1,"key"),malformed'},
    ),
    # calls that destroy
    "a value under a name of its own, for one that destroys": (
        DESTROYS + DESTROYER + MEANT + 'in_slip(1, "colour", "Book", "key").',
        'renamed(1, "colour", "key")',
        {'argument(1,"colour"),destructive'},
    ),
    "a default for one that destroys": (
        DESTROYS + DESTROYER + NEEDS_KEY.replace("Look", "Book") + 'in_default("Book", "key", 3).',
        'fill(1, "key", default, "")',
        {'argument(1,"key"),destructive'},
    ),
    "asked for one that destroys": (
        DESTROYS + DESTROYER + NEEDS_KEY.replace("Look", "Book"),
        'fill(1, "key", ask, "")',
        set(),
    ),
    "a default for one whose name says that it destroys": (
        DESTROYS.replace("destructive", "unknown")
        + DESTROYER
        + NEEDS_KEY.replace("Look", "Book")
        + 'in_default("Book", "key", 3). in_word("Book", "purge"). verb("purge", destructive).',
        'fill(1, "key", default, "")',
        {'argument(1,"key"),destructive'},
    ),
    # verbs
    "a name with a verb of another class": (
        TOOLS + NAMED + near(Look=10) + 'in_word("grab key", "grab"). verb("grab", write).',
        'name(0, "Look")',
        {"call(0),across_effects"},
    ),
    "a name with another verb of the same class": (
        TOOLS + NAMED + near(Look=10) + 'in_word("grab key", "grab"). verb("grab", read).',
        'name(0, "Look")',
        set(),
    ),
    "a name that says the contrary": (
        TOOLS + NAMED + near(Look=10) + 'in_meant("grab key", "Look"). in_word("grab key", "grab").'
        'in_word("Look", "drop"). meaning(up, "grab"). meaning(down, "drop"). contrary(up, down).',
        'name(0, "Look")',
        {"call(0),contrary"},
    ),
    "a name with a word that is none of the tool": (
        TOOLS + NAMED + near(Look=30) + 'in_foreign(0, "Look", "grab").',
        'name(0, "Look")',
        {"call(0),unlike_words"},
    ),
    "a slip of the pen in that word": (
        TOOLS + NAMED + near(Look=10) + 'in_foreign(0, "Look", "grab").',
        'name(0, "Look")',
        set(),
    ),
    "a name with a word that says nothing": (
        TOOLS + NAMED + near(Look=30) + 'in_foreign(0, "Look", "grab"). filler("grab").',
        'name(0, "Look")',
        set(),
    ),
    "a tool that destroys, however alike": (
        (UNKNOWN + near(Look=10)).replace(
            'in_effect("Look", read)', 'in_effect("Look", destructive)'
        ),
        'name(0, "Look")',
        {"call(0),destructive"},
    ),
    # added calls
    "a read that a label demands": (LOST, 'explained("z", new("z"))', set()),
    "a write that a label demands": (
        LOST.replace('in_effect("Find", read)', 'in_effect("Find", write)'),
        'explained("z", new("z"))',
        {'call(new("z")),not_read_only'},
    ),
    "an unknown effect that a label demands": (
        LOST.replace('in_effect("Find", read)', 'in_effect("Find", unknown)'),
        'explained("z", new("z"))',
        {'call(new("z")),not_read_only'},
    ),
    "an own call by a telling name": (
        TOOLS + READER + NEEDS_KEY + SOURCE + EQUAL,
        OWN_FILLED,
        set(),
    ),
    "an own call by a mapping": (TOOLS + READER + NEEDS_KEY + SOURCE + MAPPING, OWN_FILLED, set()),
    "an own call by less": (TOOLS + READER + NEEDS_KEY + SOURCE, OWN_FILLED, DOUBTFUL | WEAK),
    # dropped arguments
    "dropped from a read": (TOOLS + READER + UNDECLARED, 'dropped(1, "colour")', set()),
    "dropped from a write": (
        TOOLS + READER.replace("Look", "Book") + UNDECLARED,
        'dropped(1, "colour")',
        {'argument(1,"colour"),dropped'},
    ),
    "dropped from a write that was no other tool": (
        TOOLS + READER.replace("Look", "Book") + UNDECLARED + 'in_tool_distance(1, "Look", 50).',
        'dropped(1, "colour")',
        {'argument(1,"colour"),dropped'},
    ),
    "dropped from a write as the user wants it": (
        TOOLS + READER.replace("Look", "Book") + UNDECLARED + "in_undeclared(drop).",
        'dropped(1, "colour")',
        set(),
    ),
    "a null left out of a write": (
        TOOLS
        + READER.replace("Look", "Book")
        + 'in_arg(1, "key"). in_unfit(1, "key", "Book", "key").'
        'in_recast(1, "key", "Book", "key", nothing, 1).',
        'recast(1, "key", nothing)',
        set(),
    ),
    # values
    "brought into another form": (
        TOOLS
        + READER.replace("Look", "Book")
        + 'in_arg(1, "key"). in_unfit(1, "key", "Book", "key").'
        'in_recast(1, "key", "Book", "key", 4, 9).',
        'recast(1, "key", 4)',
        set(),
    ),
    "filled by likeness": (FOUND + READER + NEEDS_KEY + FIT, FILLED, WEAK),
    "filled by an equal name": (FOUND + READER + NEEDS_KEY + FIT + EQUAL, FILLED, set()),
    "filled by a mapping": (FOUND + READER + NEEDS_KEY + FIT + MAPPING, FILLED, set()),
    "filled as elsewhere": (FOUND + READER + NEEDS_KEY + FIT + SEEN, FILLED, set()),
    "filled from memory by likeness": (TOOLS + READER + NEEDS_KEY + HELD, HELD_FILLED, WEAK),
    "filled from memory by an equal name": (
        TOOLS + READER + NEEDS_KEY + HELD + HELD_EQUAL,
        HELD_FILLED,
        set(),
    ),
    "filled from memory by a mapping": (
        TOOLS + READER + NEEDS_KEY + HELD + HELD_MAPPING,
        HELD_FILLED,
        set(),
    ),
    "filled from memory as elsewhere": (
        TOOLS + READER + NEEDS_KEY + HELD + HELD_SEEN,
        HELD_FILLED,
        set(),
    ),
    "filled by a default": (
        TOOLS + READER + NEEDS_KEY + 'in_default("Look", "key", 3).',
        'fill(1, "key", default, "")',
        set(),
    ),
    "asked": (TOOLS + READER + NEEDS_KEY, 'fill(1, "key", ask, "")', set()),
}


@pytest.mark.parametrize("case", CASES)
def test_what_is_risky(case: str, optima: Optima) -> None:
    facts, choice, expected = CASES[case]
    assert risks(optima, facts, choice) == expected


def test_nothing_is_confirmed_unless_it_is_wanted(optima: Optima) -> None:
    facts, choice, expected = CASES["filled by likeness"]
    answer = optima(facts, rules=f":- not {choice}.").only
    assert {f"out_risky({risk})" for risk in expected} <= answer
    assert not any("out_confirm" in atom for atom in answer)


def test_a_whole_output_of_which_its_name_says_nothing_is_confirmed(optima: Optima) -> None:
    facts = """
    in_tool("Find"). in_effect("Find", read). in_gives("Find", ""). in_call(0). in_name(0, "Find").
    in_arg(1, "x"). in_ref(1, "x", 0, "z", ""). in_lost(1, "x", 0, "z"). in_confirm(risky).
    """ + returning(1)
    bearer = ':- not explained("z", 0). :- mend(1, "x", 0, ask, "").'
    assert (
        "out_confirm(call(0))" in optima(facts + 'in_named(1, "x", "Find", 20).', rules=bearer).only
    )
    assert (
        "out_confirm(call(0))"
        not in optima(facts + 'in_named(1, "x", "Find", 12).', rules=bearer).only
    )
