"""For each kind of penalty: an instance, a choice, and the units and place that it pays there, if any."""

from __future__ import annotations

from dataclasses import dataclass

from encoding_facts import held, pair, returning

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
RECALLED = (
    CALLS
    + held("m")
    + 'in_arg(2, "key"). in_ref(2, "key", 0, "m", "kye"). in_producer(2, "key", 0, memory("m")).'
)
HELD = held("m", "key") + held("n", "key") + 'in_fit(memory("m";"n"), "key", "Book", "key", 2).'
NEAR_HELD = 'in_path_distance("kye", memory("m";"n"), "key", 5).' + HELD
UNFIT = CALLS + 'in_arg(2, "key"). in_unfit(2, "key", "Book", "key").'
EACH = UNFIT + 'in_recast(2, "key", "Book", "key", each(3), 1).'
INNER = UNFIT + 'in_recast(2, "key", "Book", "key", inner("id"), 5).'
UNFIT += 'in_recast(2, "key", "Book", "key", 4, 6).'
OTHER = 'in_call(1). in_name(1, "Find"). in_label(1, "b"). in_arg(1, "query").'
CALLABLE = 'in_supplier("z", "Find"). in_required("Find", "query").'
EARLY = """
in_call(0..1). in_name(0, "Book"). in_label(0, "c"). in_arg(0, "key"). in_name(1, "Find").
in_label(1, "a"). in_arg(1, "query"). in_ref(0, "key", 0, "a", "key"). in_producer(0, "key", 0, 1).
"""
SHOWN = """
in_call(1). in_name(1, "Book"). in_label(1, "b"). in_arg(1, ("key";"note")). in_ref(1, "{0}", 0, "l", "key").
in_producer(1, "{0}", 0, {1}).
"""
"""Another call whose parameter reads the key from there."""
RETURNED = (
    'in_gives("Find", ""). in_arg(2, "x"). in_ref(2, "x", 0, "z", ""). in_lost(2, "x", 0, "z").'
)
OWN = 'own(2,"key","Find")'
OWN_KEY = NEEDS_KEY + CALLABLE + 'in_source("Find", "key", "Book", "key").'


NOISE = """
in_tool_distance((0;2), "Else", 99). in_parameter_distance(2, ("nt";"x"), ("Else";"Book"), "other", 99).
in_parameter_distance(2, "nt", "Else", "note", 1). in_parameter_distance(7, "nt", "Book", "note", 1).
in_path_distance("kye", ("Else";memory("else")), "key", 99).
in_path_distance("zzz", ("Find";memory("m")), "key", 99). in_path_distance("key", memory("m"), "key", 99).
in_fit("Else", ("key";"page"), "Book", "key", 99). in_fit("Find", "key", "Else", "key", 99).
in_fit("Find", "key", "Book", "else", 99). in_fit("Find", "else", "Book", "key", 99).
in_fit(memory("m"), "key", ("Else";"Find"), "key", 99). in_fit(memory("m"), "key", "Book", "else", 99).
in_fit("Find", "key", returns, "else", 99). in_mapping("Else", "key", "Book", "key").
in_mapping("Find", "key", ("Else";"Find"), "key"). in_mapping("Find", "key", "Book", "else").
in_source("Else", "key", "Book", "key"). in_source("Find", "key", ("Else";"Find"), "key").
in_rank("Else", "key", "Book", "key", 99). in_rank("Find", "key", ("Else";"Find"), "key", 99).
in_recast(2, "key", "Else", "key", 4, 99). in_recast(2, "key", "Book", "else", 4, 99).
in_named(2, "x", "Else", 99). in_named(2, "else", "Find", 99). in_expected(5, "else"). in_gap("else", 2).
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
ADDED = 'explained("z", new("z")), fill(new("z"), "query", {}, {})'
TWO_LOST = (
    LOST
    + """
in_arg(2, "page"). in_ref(2, "page", 0, "z", "page"). in_lost(2, "page", 0, "z").
in_path_distance("key", "Find", "key", 0). in_path_distance("page", "Find", "page", 0).
"""
)
ONE_LOST = (
    CALLS
    + OTHER
    + """
in_arg(2, ("key";"page")). in_ref(2, "{0}", 0, "z", "{0}"). in_lost(2, "{0}", 0, "z").
in_ref(2, "{1}", 0, "b", "slip"). in_producer(2, "{1}", 0, 1).
in_path_distance("{0}", "Find", "{0}", 0). in_path_distance("slip", "Find", "{1}", 3).
"""
)

AGAIN = pair(1, 0) + 'in_value(0..1, "query", 4).'
CASES = [
    # calls
    case("rename_tool", FNDX, 'name(0, "Find")', "1,0"),
    case("rename_tool", FNDX, "unresolved(0)"),
    case("tool_distance", FNDX, 'name(0, "Find")', "17,0"),
    case("leave_unresolved", FNDX, "unresolved(0)", "1,0"),
    case("delete_call", FNDX + "may_delete(unknown_tool).", "deleted(0)", "1,0"),
    case("delete_call", TOOLS + FIND + OTHER + AGAIN, "deleted(1)"),
    case("delete_copy", TOOLS + FIND + OTHER + AGAIN, "deleted(1)", "1,1"),
    case("delete_copy", FNDX + "may_delete(unknown_tool).", "deleted(0)"),
    case("move_call", TOOLS + EARLY, "moved(1)", "1,1"),
    case("add_call", LOST + CALLABLE, 'explained("z", new("z"))', '1,new("z")'),
    case(
        "add_own_call",
        OWN_KEY,
        f'name({OWN}, "Find")',
        f"1,{OWN}",
    ),
    # labels
    case("rename_label", LOST, 'explained("z", 0)', '1,"z"'),
    case("rename_label", LOST.replace('in_label(0, "a").', ""), 'explained("z", 0)'),
    case("add_label", LOST.replace('in_label(0, "a").', ""), 'explained("z", 0)', '1,"z"'),
    case("add_label", (NEEDS_KEY + FITS).replace('in_label(0, "a").', ""), fill("0"), "1,0"),
    case("add_label", NEEDS_KEY + FITS, fill("0")),
    case("add_label", LOST + CALLABLE, 'explained("z", new("z"))'),
    # arguments
    case(
        "rename_parameter",
        NOTED + 'in_parameter_distance(2, "nt", "Book", "note", 3).',
        'renamed(2, "nt", "note")',
        '1,argument(2,"nt")',
    ),
    case(
        "parameter_distance",
        NOTED + 'in_parameter_distance(2, "nt", "Book", "note", 3).',
        'renamed(2, "nt", "note")',
        '3,argument(2,"nt")',
    ),
    case(
        "parameter_distance",
        NOTED + 'in_parameter_distance(2, "nt", "Book", "note", 3).',
        'dropped(2, "nt")',
    ),
    case("drop_undeclared", NOTED, 'dropped(2, "nt")', '1,argument(2,"nt")'),
    case("drop_declared", LOST, 'dropped(2, "key")', f"1,{ARGUMENT}"),
    case("drop_undeclared", NOTED + "in_undeclared(drop).", 'dropped(2, "nt")'),
    # forms of values
    case("transform", UNFIT, 'recast(2, "key", 4)', f"1,{ARGUMENT}"),
    case("transform", UNFIT, mend("ask", "")),
    case("transform", LOST, 'dropped(2, "key")'),
    case("form_distance", UNFIT, 'recast(2, "key", 4)', f"6,{ARGUMENT}"),
    case("form_distance", UNFIT, mend("ask", "")),
    case("hoist", INNER, 'recast(2, "key", inner("id"))', f"1,{ARGUMENT}"),
    case("hoist", UNFIT, 'recast(2, "key", 4)'),
    case("spread", EACH, 'recast(2, "key", each(3))', f"2,{ARGUMENT}"),
    case("spread", UNFIT, 'recast(2, "key", 4)'),
    case("ask", UNFIT, mend("ask", ""), f"1,{REFERENCE}"),
    case("fill", NEEDS_KEY + FITS, fill("0"), f"1,{ARGUMENT}"),
    case("fill", NEEDS_KEY + FITS, fill("ask", "")),
    case(
        "fill_added",
        LOST + CALLABLE + 'in_default("Find", "query", 4).',
        ADDED.format("default", '""'),
        "1,X",
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
        LOST + CALLABLE + 'in_constant("Find", "query", 4).',
        ADDED.format("constant(4)", '""'),
        "1,X",
    ),
    # references
    case(
        "repoint", LOST + 'in_path_distance("key", "Find", "key", 0).', mend("0"), f"1,{REFERENCE}"
    ),
    case("repoint", SLIP + 'in_path_distance("kye", "Find", "key", 7).', mend("0")),
    case("repoint", RECALLED + NEAR_HELD, mend('memory("n")'), f"1,{REFERENCE}"),
    case("repoint", RECALLED + NEAR_HELD, mend('memory("m")')),
    case(
        "repoint",
        SLIP + 'in_path_distance("kye", memory("a"), "key", 5).' + HELD.replace('"m"', '"a"'),
        mend('memory("a")'),
        f"1,{REFERENCE}",
    ),
    case(
        "repath", SLIP + 'in_path_distance("kye", "Find", "key", 7).', mend("0"), f"1,{REFERENCE}"
    ),
    case("repath", LOST + 'in_path_distance("key", "Find", "key", 0).', mend("0")),
    case("repath", SLIP, mend("ask", "")),
    case(
        "leave_label",
        SLIP + OTHER + 'in_path_distance("kye","Find","key",7).',
        mend("1"),
        f"1,{REFERENCE}",
    ),
    case("leave_label", SLIP + OTHER + 'in_path_distance("kye", "Find", "key", 7).', mend("0")),
    case("leave_label", RECALLED + NEAR_HELD, mend('memory("n")'), f"1,{REFERENCE}"),
    case("leave_label", RECALLED + NEAR_HELD, mend('memory("m")')),
    # likeness: eight tenths of the nearer of (spelling, fit + 8), two tenths of the farther
    case(
        "path_distance",
        SLIP
        + 'in_path_distance("kye", "Find", "key", 5). in_fit("Find", "key", "Book", "key", 12).',
        mend("0"),
        f"8,{REFERENCE}",
    ),
    case(
        "path_distance",
        SLIP
        + 'in_path_distance("kye", "Find", "key", 20). in_fit("Find", "key", "Book", "key", 2).',
        mend("0"),
        f"12,{REFERENCE}",
    ),
    case("path_distance", RECALLED + NEAR_HELD, mend('memory("m")'), f"6,{REFERENCE}"),
    case("path_distance", LOST + 'in_path_distance("key", "Find", "key", 0).' + FITS, mend("0")),
    case(
        "path_distance",
        TOOLS
        + FIND
        + returning(2)
        + 'in_arg(2, "key"). in_ref(2, "key", 0, "a", "kye"). in_producer(2, "key", 0, 0).'
        + 'in_path_distance("kye", "Find", "key", 8). in_fit("Find", "key", returns, "key", 20).',
        mend("0"),
        f"12,{REFERENCE}",
    ),
    case("path_distance", RECALLED + NEAR_HELD, mend("ask", "")),
    case(
        "path_distance", SLIP + 'in_path_distance("kye", "Find", "key", 5).' + FITS, mend("ask", "")
    ),
    case(
        "path_distance",
        LOST + 'in_path_distance("key", memory("m"), "key", 0).' + HELD,
        mend('memory("m")'),
    ),
    case(
        "path_distance",
        TOOLS
        + FIND
        + returning(2)
        + 'in_arg(2, "key"). in_ref(2, "key", 0, "z", "key"). in_lost(2, "key", 0, "z").'
        + 'in_path_distance("key", "Find", "key", 0). in_fit("Find", "key", returns, "key", 20).',
        mend("0"),
    ),
    # ... and a mapping tells how unsure it is by the distance; what the sequence shows itself is sure
    case("fit_distance", NEEDS_KEY + FITS, fill("0"), f"6,{ARGUMENT}"),
    case(
        "fit_distance",
        NEEDS_KEY + FITS + 'in_mapping("Find", "key", "Book", "key").',
        fill("0"),
        f"6,{ARGUMENT}",
    ),
    case("fit_distance", NEEDS_KEY + HELD, fill('memory("m")'), f"2,{ARGUMENT}"),
    case("fit_distance", NEEDS_KEY + FITS + SHOWN.format("key", 0), fill("0")),
    case(
        "fit_distance",
        NEEDS_KEY + FITS + SHOWN.format("note", 0),
        fill("0"),
        f"6,{ARGUMENT}",
    ),
    case(
        "fit_distance", NEEDS_KEY + HELD + SHOWN.format("key", 'memory("m")'), fill('memory("m")')
    ),
    case(
        "fit_distance",
        NEEDS_KEY + HELD + SHOWN.format("key", 'memory("n")'),
        fill('memory("m")'),
        f"2,{ARGUMENT}",
    ),
    # coherence
    case("split", TWO_LOST + OTHER, f'{mend("0")}, mend(2, "page", 0, 1, "page")', '1,("z",1)'),
    case("split", TWO_LOST + OTHER, f'{mend("0")}, mend(2, "page", 0, 0, "page")'),
    case(
        "split",
        TWO_LOST
        + OTHER
        + 'in_arg(2, "note"). in_ref(2, "note", 0, "z", "key"). in_lost(2, "note", 0, "z").',
        f'{mend("0")}, mend(2, "page", 0, 1, "page"), mend(2, "note", 0, 1, "key")',
        '1,("z",1)',
    ),
    case(
        "split",
        TWO_LOST
        + OTHER
        + 'in_arg(2, "note"). in_ref(2, "note", 0, "z", "key"). in_lost(2, "note", 0, "z").',
        f'{mend("0")}, mend(2, "page", 0, 1, "page"), mend(2, "note", 0, ask, "")',
        '1,("z",1)',
        '1,("z",ask)',
    ),
    case("split", ONE_LOST.format("key", "page"), f'{mend("0")}, mend(2, "page", 0, 1, "page")'),
    case("split", ONE_LOST.format("page", "key"), f'{mend("1")}, mend(2, "page", 0, 0, "page")'),
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
        "same_twice",
        LOST + 'in_required("Book", "note"). in_fit("Find", "key", "Book", "note", 3).',
        'explained("z", 0), dropped(2, "key"), fill(2, "note", 0, "key")',
    ),
    case(
        "same_twice",
        TOOLS
        + FIND
        + returning(2)
        + 'in_arg(2, ("key";"note")). in_ref(2, "key", 0, "z", "key"). in_lost(2, "key", 0, "z").'
        + 'in_ref(2, "note", 0, "a", "key"). in_producer(2, "note", 0, 0).'
        + 'in_path_distance("key", "Find", "key", 0). in_fit("Find", "key", returns, "key", 20).',
        mend("0"),
    ),
    case(
        "busy",
        NEEDS_KEY
        + FITS
        + OTHER
        + 'in_ref(1, "query", 0, "a", "page"). in_producer(1, "query", 0, 0).',
        fill("0"),
        f"1,{ARGUMENT}",
    ),
    case("busy", NEEDS_KEY + FITS, fill("0")),
    case("busy", NEEDS_KEY + HELD + SHOWN.format("note", 'memory("m")'), fill('memory("m")')),
    case(
        "busy",
        NEEDS_KEY
        + FITS
        + 'in_arg(2, "note"). in_ref(2, "note", 0, "a", "page"). in_producer(2, "note", 0, 0).',
        fill("0"),
    ),
    case(
        "same_twice",
        TOOLS + FIND + returning(2) + RETURNED + 'in_path_distance("", "Find", "", 0).',
        'mend(2, "x", 0, 0, "")',
        '3,argument(2,"x")',
    ),
    # names of what is returned
    case(
        "named_distance",
        TOOLS + FIND + returning(2) + RETURNED + 'in_named(2, "x", "Find", 7).',
        'explained("z", 0)',
        '7,argument(2,"x")',
    ),
    case(
        "named_distance",
        TOOLS + FIND + returning(2) + RETURNED + CALLABLE + 'in_named(2, "x", "Find", 7).',
        'explained("z", new("z"))',
        '7,argument(2,"x")',
    ),
    case(
        "named_distance",
        TOOLS + FIND + returning(2) + RETURNED + 'in_named(2, "x", "Find", 7).',
        'mend(2, "x", 0, ask, "")',
        '20,argument(2,"x")',
    ),
    # numbered labels
    case("ignored_gap", LOST + 'in_gap("z", 0).', 'explained("z", apart)', '1,"z"'),
    case("ignored_gap", LOST + CALLABLE + 'in_gap("z", 0).', 'explained("z", new("z"))'),
    case("ignored_number", LOST + 'in_expected(0, "z").', 'explained("z", apart)', '1,"z"'),
    case("ignored_number", LOST + 'in_expected(0, "z").', 'explained("z", 0)'),
]
