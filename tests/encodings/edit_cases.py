"""For each kind of penalty: an instance, a choice, and the units and place that it pays there, if any."""

from __future__ import annotations

from dataclasses import dataclass

TOOLS = """
in_tool("Find"). in_effect("Find", read). in_param("Find", "query"). in_gives("Find", ("key";"page")).
in_tool("Book"). in_effect("Book", read). in_param("Book", ("key";"page";"note")).
"""
FIND = 'in_call(0). in_name(0, "Find"). in_label(0, "a"). in_arg(0, "query").'
BOOK = 'in_call(2). in_name(2, "Book"). in_label(2, "c").'
CALLS = TOOLS + FIND + BOOK
FNDX = TOOLS + FIND.replace('"Find"', '"Fndx"') + 'in_tool_distance(0, "Find", 17).'
NEEDS_KEY = CALLS + 'in_required("Book", "key").'
FITS = 'in_fit("Find", "key", "Book", "key", 6).'
NOTED = CALLS + 'in_arg(2, "nt").'
SLIP = CALLS + 'in_arg(2, "key"). in_ref(2, "key", 0, "a", "kye"). in_producer(2, "key", 0, 0).'
LOST = CALLS + 'in_arg(2, "key"). in_ref(2, "key", 0, "z", "key"). in_lost(2, "key", 0, "z").'
RECALLED = CALLS + 'in_arg(2, "key"). in_ref(2, "key", 0, "m", "kye"). in_recall(2, "key", 0).'
HELD = 'in_holds(("m";"n"), "key"). in_recall_fit(("m";"n"), "key", "Book", "key", 2).'
NEAR_HELD = 'in_path_distance("kye", memory("m";"n"), "key", 5).' + HELD
OTHER = 'in_call(1). in_name(1, "Find"). in_label(1, "b"). in_arg(1, "query").'
CALLABLE = 'in_callable("Find"). in_required("Find", "query").'
EARLY = """
in_call(0..1). in_name(0, "Book"). in_label(0, "c"). in_arg(0, "key"). in_name(1, "Find").
in_label(1, "a"). in_arg(1, "query"). in_ref(0, "key", 0, "a", "key"). in_producer(0, "key", 0, 1).
"""
OWN = 'own(2,"key","Find")'
OWN_KEY = NEEDS_KEY + CALLABLE + 'in_source("Find", "key", "Book", "key").'


NOISE = """
in_tool_distance((0;2), "Else", 99). in_parameter_distance(("nt";"x"), ("Else";"Book"), "other", 99).
in_parameter_distance("nt", "Else", "note", 99). in_value_distance(2, "nt", "Else", "note", 1).
in_value_distance(7, "nt", "Book", "note", 1). in_path_distance("kye", ("Else";memory("else")), "key", 99).
in_path_distance("zzz", ("Find";memory("m")), "key", 99). in_path_distance("key", memory("m"), "key", 99).
in_fit("Else", ("key";"page"), "Book", "key", 99). in_fit("Find", "key", "Else", "key", 99).
in_fit("Find", "key", "Book", "else", 99). in_recall_fit("m", "key", ("Else";"Find"), "key", 99).
in_recall_fit("m", "key", "Book", "else", 99). in_mapping("Else", "key", "Book", "key", 9).
in_mapping("Find", "key", ("Else";"Find"), "key", 9). in_mapping("Find", "key", "Book", "else", 9).
in_source("Else", "key", "Book", "key"). in_source("Find", "key", ("Else";"Find"), "key").
in_rank("Else", "key", "Book", "key", 99). in_rank("Find", "key", ("Else";"Find"), "key", 99).
in_expected(5, "else"). in_gap("else").
"""
"""Distances and the like between other things, which must not count."""


@dataclass(frozen=True)
class Case:
    """An instance, the choice that is forced upon it, and what the kind of penalty then is."""

    kind: str
    facts: str
    choice: str
    paid: tuple[str, ...]


def case(kind: str, facts: str, choice: str, *paid: str) -> Case:
    return Case(kind, facts, choice, paid)


def mend(origin: str, path: str = "key") -> str:
    return f'mend(2, "key", 0, {origin}, "{path}")'


def fill(origin: str, path: str = "key") -> str:
    return f'fill(2, "key", {origin}, "{path}")'


ARGUMENT = 'argument(2,"key")'
REFERENCE = 'reference(2,"key",0)'
ADDED = 'explained("z", new), fill(new("z"), "query", {}, {})'
TWO_LOST = (
    LOST
    + """
in_arg(2, "page"). in_ref(2, "page", 0, "z", "page"). in_lost(2, "page", 0, "z").
in_path_distance("key", "Find", "key", 0). in_path_distance("page", "Find", "page", 0).
"""
)
PAIR = '(reference(2,"key",0),reference(2,"page",0))'

CASES = [
    # calls
    case("rename_tool", FNDX, 'name(0, "Find")', "1,0"),
    case("rename_tool", FNDX, "unresolved(0)"),
    case("tool_distance", FNDX, 'name(0, "Find")', "17,0"),
    case("leave_unresolved", FNDX, "unresolved(0)", "1,0"),
    case("delete_call", TOOLS + FIND + OTHER + "in_copy(1, 0).", "deleted(1)", "1,1"),
    case("move_call", TOOLS + EARLY, "moved(1)", "1,1"),
    case("add_call", LOST + CALLABLE, 'explained("z", new)', '1,new("z")'),
    case(
        "add_own_call",
        OWN_KEY,
        f'name({OWN}, "Find")',
        f"1,{OWN}",
    ),
    # labels
    case("rename_label", LOST, 'explained("z", relabel(0))', "1,0"),
    case("rename_label", LOST.replace('in_label(0, "a").', ""), 'explained("z", relabel(0))'),
    case("add_label", LOST.replace('in_label(0, "a").', ""), 'explained("z", relabel(0))', "1,0"),
    case("add_label", (NEEDS_KEY + FITS).replace('in_label(0, "a").', ""), fill("0"), "1,0"),
    case("add_label", NEEDS_KEY + FITS, fill("0")),
    # arguments
    case(
        "rename_parameter",
        NOTED + 'in_parameter_distance("nt", "Book", "note", 3).',
        'renamed(2, "nt", "note")',
        '1,argument(2,"nt")',
    ),
    case(
        "parameter_distance",
        NOTED + 'in_parameter_distance("nt", "Book", "note", 3).',
        'renamed(2, "nt", "note")',
        '3,argument(2,"nt")',
    ),
    case(
        "parameter_distance",
        NOTED + 'in_parameter_distance("nt","Book","note",9). in_value_distance(2,"nt","Book","note",5).',
        'renamed(2, "nt", "note")',
        '5,argument(2,"nt")',
    ),
    case(
        "parameter_distance",
        NOTED + 'in_parameter_distance("nt","Book","note",3). in_value_distance(2,"nt","Book","note",5).',
        'renamed(2, "nt", "note")',
        '3,argument(2,"nt")',
    ),
    case(
        "parameter_distance",
        NOTED + 'in_parameter_distance("nt","Book","note",3). in_value_distance(2,"nt","Book","note",5).',
        'dropped(2, "nt")',
    ),
    case("drop_undeclared", NOTED, 'dropped(2, "nt")', '1,argument(2,"nt")'),
    case("drop_declared", LOST, 'dropped(2, "key")', f"1,{ARGUMENT}"),
    case("fill", NEEDS_KEY + FITS, fill("0"), f"1,{ARGUMENT}"),
    case("fill", NEEDS_KEY + FITS, fill("ask", "")),
    case(
        "fill_added", LOST + CALLABLE + 'in_default("Find", "query").', ADDED.format("default", '""'), "1,X"
    ),
    case("ask", NEEDS_KEY + FITS, fill("ask", ""), f"1,{ARGUMENT}"),
    case("ask", SLIP, mend("ask", ""), f"1,{REFERENCE}"),
    case("ask_added", LOST + CALLABLE, ADDED.format("ask", '""'), "1,X"),
    case(
        "ask_own",
        OWN_KEY,
        f'fill({OWN}, "query", ask, "")',
        f'1,argument({OWN},"query")',
    ),
    case(
        "reuse_constant",
        LOST + CALLABLE + 'in_constant("query", 4).',
        ADDED.format("constant(4)", '""'),
        "1,X",
    ),
    # references
    case("repoint", LOST + 'in_path_distance("key", "Find", "key", 0).', mend("0"), f"1,{REFERENCE}"),
    case("repoint", SLIP + 'in_path_distance("kye", "Find", "key", 7).', mend("0")),
    case("repoint", RECALLED + NEAR_HELD, mend('memory("n")'), f"1,{REFERENCE}"),
    case("repoint", RECALLED + NEAR_HELD, mend('memory("m")')),
    case(
        "repoint",
        SLIP + 'in_path_distance("kye", memory("a"), "key", 5).' + HELD.replace('("m";"n")', '"a"'),
        mend('memory("a")'),
        f"1,{REFERENCE}",
    ),
    case("repath", SLIP + 'in_path_distance("kye", "Find", "key", 7).', mend("0"), f"1,{REFERENCE}"),
    case("repath", LOST + 'in_path_distance("key", "Find", "key", 0).', mend("0")),
    case("repath", SLIP, mend("ask", "")),
    case(
        "leave_label", SLIP + OTHER + 'in_path_distance("kye","Find","key",7).', mend("1"), f"1,{REFERENCE}"
    ),
    case("leave_label", SLIP + OTHER + 'in_path_distance("kye", "Find", "key", 7).', mend("0")),
    case("leave_label", RECALLED + NEAR_HELD, mend('memory("n")'), f"1,{REFERENCE}"),
    case("leave_label", RECALLED + NEAR_HELD, mend('memory("m")')),
    # likeness: eight tenths of the nearer of (spelling, fit + 8), two tenths of the farther
    case(
        "path_distance",
        SLIP + 'in_path_distance("kye", "Find", "key", 5). in_fit("Find", "key", "Book", "key", 12).',
        mend("0"),
        f"8,{REFERENCE}",
    ),
    case(
        "path_distance",
        SLIP + 'in_path_distance("kye", "Find", "key", 20). in_fit("Find", "key", "Book", "key", 2).',
        mend("0"),
        f"12,{REFERENCE}",
    ),
    case("path_distance", RECALLED + NEAR_HELD, mend('memory("m")'), f"6,{REFERENCE}"),
    case("path_distance", LOST + 'in_path_distance("key", "Find", "key", 0).' + FITS, mend("0")),
    case(
        "path_distance",
        TOOLS
        + FIND
        + 'in_returns(2). in_arg(2, "key"). in_ref(2, "key", 0, "a", "kye"). in_producer(2, "key", 0, 0).'
        + 'in_path_distance("kye", "Find", "key", 8).',
        mend("0"),
        f"12,{REFERENCE}",
    ),
    case("path_distance", RECALLED + NEAR_HELD, mend("ask", "")),
    case("path_distance", SLIP + 'in_path_distance("kye", "Find", "key", 5).' + FITS, mend("ask", "")),
    case(
        "path_distance",
        LOST + 'in_path_distance("key", memory("m"), "key", 0).' + HELD,
        mend('memory("m")'),
    ),
    case(
        "path_distance",
        TOOLS
        + FIND
        + 'in_returns(2). in_arg(2, "key"). in_ref(2, "key", 0, "z", "key"). in_lost(2, "key", 0, "z").'
        + 'in_path_distance("key", "Find", "key", 0).',
        mend("0"),
    ),
    case("fit_distance", NEEDS_KEY + FITS, fill("0"), f"6,{ARGUMENT}"),
    case("fit_distance", NEEDS_KEY + FITS + 'in_mapping("Find","key","Book","key",0).', fill("0")),
    case("fit_distance", NEEDS_KEY + HELD, fill('memory("m")'), f"2,{ARGUMENT}"),
    case("common_name", OWN_KEY, f'name({OWN}, "Find")', f"1,{OWN}"),
    case("common_name", OWN_KEY + 'in_equal_name("Find", "key", "Book", "key").', f'name({OWN}, "Find")'),
    case("common_name", OWN_KEY + 'in_mapping("Find", "key", "Book", "key", 0).', f'name({OWN}, "Find")'),
    case("common_name", NEEDS_KEY + FITS, fill("0")),
    case("guess", NEEDS_KEY + FITS, fill("0"), f"1,{ARGUMENT}"),
    case("guess", NEEDS_KEY + FITS + 'in_source("Find", "key", "Book", "key").', fill("0")),
    case("guess", NEEDS_KEY + FITS + 'in_mapping("Find", "key", "Book", "key", 4).', fill("0")),
    case(
        "unsure_mapping",
        NEEDS_KEY + FITS + 'in_mapping("Find", "key", "Book", "key", 4).',
        fill("0"),
        f"4,{ARGUMENT}",
    ),
    # coherence
    case("split", TWO_LOST + OTHER, f'{mend("0")}, mend(2, "page", 0, 1, "page")', f"1,{PAIR}"),
    case("split", TWO_LOST + OTHER, f'{mend("0")}, mend(2, "page", 0, 0, "page")'),
    case(
        "same_twice",
        NEEDS_KEY
        + FITS
        + 'in_arg(2, "note"). in_ref(2, "note", 0, "a", "key"). in_producer(2, "note", 0, 0).',
        fill("0"),
        f"1,{ARGUMENT}",
    ),
    case(
        "same_twice",
        NEEDS_KEY
        + FITS
        + 'in_arg(2, "note"). in_ref(2, "note", 0, "a", "page"). in_producer(2, "note", 0, 0).',
        fill("0"),
    ),
    case(
        "busy",
        NEEDS_KEY + FITS + OTHER + 'in_ref(1, "query", 0, "a", "page"). in_producer(1, "query", 0, 0).',
        fill("0"),
        f"1,{ARGUMENT}",
    ),
    case("busy", NEEDS_KEY + FITS, fill("0")),
    case(
        "busy",
        NEEDS_KEY
        + FITS
        + 'in_arg(2, "note"). in_ref(2, "note", 0, "a", "page"). in_producer(2, "note", 0, 0).',
        fill("0"),
    ),
    case("crowded", NEEDS_KEY + 'in_fit("Find",("key";"page"),"Book","key",20).', fill("0"), f"1,{ARGUMENT}"),
    case("crowded", NEEDS_KEY + 'in_fit("Find", "key", "Book", "key", 20).', fill("0")),
    # numbered labels
    case("ignored_gap", LOST + 'in_gap("z").', 'explained("z", apart)', '1,"z"'),
    case("ignored_gap", LOST + CALLABLE + 'in_gap("z").', 'explained("z", new)'),
    case("ignored_number", LOST + 'in_expected(0, "z").', 'explained("z", apart)', '1,"z"'),
    case("ignored_number", LOST + 'in_expected(0, "z").', 'explained("z", relabel(0))'),
]
