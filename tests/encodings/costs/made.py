"""Tiny instances in which one criterion decides; each is a sequence of Find, Find, Book as far as it goes."""

from __future__ import annotations

from encoding_facts import pair

TOOLS = """
in_tool("Find"). in_effect("Find", read). in_param("Find", "query"). in_gives("Find", ("key";"page")).
in_tool("Look"). in_effect("Look", read). in_param("Look", "word").
in_tool("Book"). in_effect("Book", read). in_param("Book", ("key";"page";"note")).
"""
FIND = 'in_call(0). in_name(0, "Find"). in_label(0, "a"). in_arg(0, "query").'
OTHER = 'in_call(1). in_name(1, "Find"). in_label(1, "b"). in_arg(1, "query").'
BOOK = 'in_call(2). in_name(2, "Book"). in_label(2, "c").'
CALLS = TOOLS + FIND + BOOK
USED = 'in_ref(1, "query", 0, "a", "page"). in_producer(1, "query", 0, 0).'
"""The second call reads from the first one."""

NEEDS_KEY = CALLS + 'in_required("Book", "key").'
SLIP = CALLS + 'in_arg(2, "key"). in_ref(2, "key", 0, "a", "kye"). in_producer(2, "key", 0, 0).'
LOST_KEY = 'in_arg(2, "key"). in_ref(2, "key", 0, "z", "key"). in_lost(2, "key", 0, "z").'
LOST_PAGE = 'in_arg(2, "page"). in_ref(2, "page", 0, "z", "page"). in_lost(2, "page", 0, "z").'
EXACT = 'in_path_distance("key", "Find", "key", 0). in_path_distance("page", "Find", "page", 0).'
CALLABLE = 'in_supplier("z", "Find"). in_required("Find", "query").'
SOURCE = 'in_source("Find", "key", "Book", "key").' + CALLABLE
FNDX = TOOLS + FIND.replace('"Find"', '"Fndx"')
LOOK = """
in_call(1). in_name(1, "Look"). in_label(1, "b"). in_arg(1, "word"). in_gives("Look", ("page";"kye")).
in_path_distance("page", "Look", "page", 0). in_path_distance("kye", "Look", "kye", 0).
"""
LOOK_READS = 'in_ref(1, "word", 0, "a", "page"). in_producer(1, "word", 0, 0).'
BOTH_LOST = CALLS + LOOK + LOOK_READS + LOST_KEY + LOST_PAGE + EXACT
"""The first call returns both that is lost, but is read by the second one, which returns one of them."""

EARLY = (
    TOOLS
    + """
in_call(0..2). in_name(0..1, "Book"). in_name(2, "Find"). in_label(2, "a"). in_arg(2, "query").
in_arg(0..1, "key"). in_ref(0..1, "key", 0, "a", "key"). in_producer(0..1, "key", 0, 2).
"""
)
COPY = (
    TOOLS
    + """
in_call(0..1). in_name(0..1, "Book"). in_label(0..1, "a"). in_arg(0..1, "note"). in_arg(1, "colour").
in_value(0..1, "note", 4). in_value(1, "colour", 5).
"""
    + pair(1, 0)
)
"""The second call is the same as the first once what its tool does not take is dropped."""

UNFIT = CALLS + 'in_arg(2, "key"). in_unfit(2, "key", "Book", "key").'
FORM = 'in_recast(2, "key", "Book", "key", 4, 6).'
ELEMENTS = 'in_recast(2, "key", "Book", "key", each(3), 1).'
INNER = 'in_recast(2, "key", "Book", "key", inner("key"), 1).'
ALONE = CALLS.replace(FIND, "")
NOTED = CALLS + 'in_arg(2, "nt").'


def fit(path: str, distance: int) -> str:
    """State how unlike a path of Find is to the key of Book."""
    return f'in_fit("Find", "{path}", "Book", "key", {distance}).'


def meant(distance: int) -> str:
    """State how unlike the undeclared argument is to the note."""
    return f'in_parameter_distance(2, "nt", "Book", "note", {distance}).'


def slip(distance: int) -> str:
    """State how unlike the path that is read is to the key."""
    return f'in_path_distance("kye", "Find", "key", {distance}).'


def filled(origin: str, path: str = "") -> str:
    return f'out_fill(2,"key",{origin},"{path}")'


def mended(origin: str, path: str = "", parameter: str = "key") -> str:
    return f'out_mend(2,"{parameter}",0,{origin},"{path}")'


def explained(call: str) -> str:
    return f'out_explained("z",{call})'


ASKED = filled("ask")
MEND_ASKED = mended("ask")
NEW = {explained('new("z")'), 'out_tool(new("z"),"Find")'}
NEW_ASKED = {*NEW, 'out_fill(new("z"),"query",ask,"")'}
OWN = 'own(2,"key","Find")'
OWN_ASKED = {f'out_tool({OWN},"Find")', filled(OWN, "key"), f'out_fill({OWN},"query",ask,"")'}
RENAMED = 'out_renamed(2,"nt","note")'
DROPPED = 'out_dropped(2,"nt")'
RECAST = 'out_recast(2,"key",4)'
SPREAD = 'out_recast(2,"key",each(3))'
HOISTED = 'out_recast(2,"key",inner("key"))'
APART = explained("apart")
TOGETHER = {APART, mended("0", "key"), mended("0", "page", "page")}
SPLIT = {APART, mended("0", "key"), mended("1", "page", "page")}
EACH_ASKED = {'out_mend(0,"key",0,ask,"")', 'out_mend(1,"key",0,ask,"")'}
