"""What files of the user's may say: what is refused, with file and line, and what stops grounding."""

from pathlib import Path
from shutil import copytree

import pytest

from refract_asp import Catalog, Refractor
from refract_asp.costs import examine
from refract_asp.errors import EncodingError
from refract_asp.resources import cost_model_path, encodings_path, house_rule_names, house_rule_path
from yaml_files import read_yaml

pytestmark = pytest.mark.slow


TOOLS = Catalog.load("tools: [{name: Search, parameters: {query: {type: string, required: true}}}]")
DEFAULT = cost_model_path("default").read_text("utf-8")
RULES = read_yaml(Path(__file__).with_name("policy.yaml"))


def built(text: str, folder: Path) -> Refractor:
    path = folder / "own.lp"
    path.write_text(f"% Rules of my own.\n{text}\n", "utf-8")
    return Refractor(TOOLS, encodings=[path])


@pytest.mark.parametrize(("text", "message"), RULES["refused"])
def test_refused_with_file_and_line(text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(EncodingError) as caught:
        built(text, tmp_path)
    assert caught.value.where == f"{tmp_path / 'own.lp'}:2"
    assert message in str(caught.value)


@pytest.mark.parametrize("text", RULES["accepted"])
def test_accepted(text: str, tmp_path: Path) -> None:
    assert built(text, tmp_path).repair("var1 = Serch(query=1)").verdict


@pytest.mark.parametrize("text", RULES["contradictory"])
def test_a_contradiction_is_refused_with_its_file(text: str, tmp_path: Path) -> None:
    with pytest.raises(EncodingError, match="no sequence at all is admissible") as caught:
        built(text, tmp_path)
    assert caught.value.where == str(tmp_path / "own.lp")


@pytest.mark.parametrize(("text", "predicate"), RULES["endless"])
def test_grounding_without_end_is_stopped(
    text: str, predicate: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("refract_asp.rules.policy.MAX_RULES", 20_000)  # so that it is reached soon
    with pytest.raises(EncodingError, match=f"20,000, most of them for {predicate}") as caught:
        built(text, tmp_path).repair("var1 = Serch(query=1)")
    assert caught.value.where == f"{tmp_path / 'own.lp'}:2"


@pytest.mark.parametrize(("text", "message"), RULES["refused_with_a_sequence"])
def test_what_is_known_only_with_the_sequence(text: str, message: str, tmp_path: Path) -> None:
    refractor = built(text, tmp_path)
    with pytest.raises(EncodingError, match=message) as caught:
        refractor.repair("var1 = Serch(query=1)")
    assert caught.value.where.startswith(f"{tmp_path / 'own.lp'}:2")


def test_a_level_that_c_moves_onto_one_of_ours(tmp_path: Path) -> None:
    own = tmp_path / "own.lp"
    own.write_text("#const mine = 7.\n:~ moved(X). [1@mine, move_call, X]\n", "utf-8")
    assert Refractor(TOOLS, encodings=[own])
    with pytest.raises(EncodingError, match="fall together"):
        Refractor(TOOLS, encodings=[own], constants={"mine": 2})
    with pytest.raises(EncodingError, match="reserved"):
        Refractor(TOOLS, constants={"priority_edits": 100})


def model(text: str, folder: Path) -> Path:
    path = folder / "mine.lp"
    path.write_text(text + "\n", "utf-8")
    return path


@pytest.mark.parametrize("text", RULES["models_accepted"])
def test_a_cost_model_of_ones_own(text: str, tmp_path: Path) -> None:
    path = model(DEFAULT + text, tmp_path)
    assert Refractor(TOOLS, cost_model=path).repair("var1 = Serch(query=1)").verdict


@pytest.mark.parametrize(("text", "message"), RULES["models_refused"])
def test_a_cost_model_that_is_refused(text: str, message: str, tmp_path: Path) -> None:
    path = model(DEFAULT + text, tmp_path)
    with pytest.raises(EncodingError, match=message) as caught:
        Refractor(TOOLS, cost_model=path)
    assert caught.value.where == f"{path}:{DEFAULT.count(chr(10)) + 1}"


@pytest.mark.parametrize(("new", "message"), RULES["slips"])
def test_a_cost_model_with_a_slip(new: str, message: str, tmp_path: Path) -> None:
    path = model(DEFAULT.replace("name_by(spelling).", new), tmp_path)
    with pytest.raises(EncodingError, match=message):
        Refractor(TOOLS, cost_model=path)


def test_a_cost_model_that_does_not_say_how_tools_are_found_is_named(tmp_path: Path) -> None:
    path = model("based_on(weights).", tmp_path)
    with pytest.raises(EncodingError, match="Add name_by") as caught:
        Refractor(TOOLS, cost_model=path)
    assert caught.value.where == str(path)


def test_another_set_is_judged_by_itself(tmp_path: Path) -> None:
    """It may derive what it likes; what is added to it is judged against it."""
    copytree(encodings_path(), tmp_path / "set")
    edits = tmp_path / "set" / "edits.lp"
    edits.write_text(edits.read_text("utf-8") + "\nlonely(X) :- moved(X).\n", "utf-8")
    own = tmp_path / "own.lp"
    own.write_text("lonely(0).\n", "utf-8")
    assert Refractor(TOOLS, encodings=[own]).repair("Serch(query=1)").verdict
    with pytest.raises(EncodingError, match="lonely/1 belongs to the core"):
        Refractor(TOOLS, encodings_dir=tmp_path / "set", encodings=[own])
    assert Refractor(TOOLS, encodings_dir=tmp_path / "set").repair("Serch(query=1)").verdict


@pytest.mark.parametrize(("text", "wanted"), RULES["remarks"])
def test_what_may_not_be_meant_is_told(text: str, wanted: list[object], tmp_path: Path) -> None:
    own = tmp_path / "own.lp"
    own.write_text(f"% Rules of my own.\n{text}\n", "utf-8")
    found = examine("default", extra=[own])
    assert [[each.code, each.severity, int(each.where.split(":")[-1])] for each in found] == wanted


def test_what_check_does_not_see_is_a_note_of_every_answer(tmp_path: Path) -> None:
    """Whoever never asks for `costs check` learns that a constraint forbids nothing, and how to say it."""
    own = tmp_path / "own.lp"
    own.write_text(
        """
        :- #count { X : name(X, "Search"), in_call(X) } > 1.
        precede(X, Y) :- name(X, "Search"), name(Y, "Pay").
        :- fill(X, "query", Origin, Path), Origin != ask.
        """
    )
    refractor, calls = Refractor(TOOLS, encodings=[own]), 'Search(query="a")\nSearch(query="b")'
    for ask in (refractor.check, refractor.repair):
        result = ask(calls)
        assert result.verdict == "valid"
        assert [note.partition(": ")[0] for note in result.notes] == [f"{own}:2", f"{own}:3"]
        assert 'Write forbidden(Place, "why") in its head' in result.notes[0]
    assert len(refractor.repair("Serch(query='a')").notes) == 2


PAY_FIRST = 'name(X, "Pay"), name(Y, "Note")'
WRITTEN_SO = {
    f"forbidden(call(Y)) :- {PAY_FIRST}, in_call(X;Y), Y < X.": "Write before(Y, X),",
    f"forbidden(call(Y)) :- {PAY_FIRST}, X > Y.": "Write before(Y, X),",
    f"precede(X, Y) :- {PAY_FIRST}.": 'Write forbidden(call(Y), "why") with before(Y, X) in the body',
    f":- {PAY_FIRST}, before(Y, X).": 'Write forbidden(Place, "why") in its head',
}


@pytest.mark.parametrize("rule", WRITTEN_SO)
def test_what_is_told_to_be_written_instead_is_mended(rule: str, tmp_path: Path) -> None:
    tools = [{"name": name, "effect": "read"} for name in ("Find", "Note", "Pay")]
    own, calls = tmp_path / "own.lp", "Find()\nNote()\nPay()"
    own.write_text(rule, "utf-8")
    (found,) = examine("default", extra=[own])
    assert found.hint.startswith(WRITTEN_SO[rule])
    result = Refractor({"tools": tools}, encodings=[own]).repair(calls)
    # what is left is what is forbidden, not another call
    assert (result.verdict, result.unresolved) in [("valid", ()), ("unrepairable", (1,))]
    own.write_text(f'forbidden(call(Y), "why") :- {PAY_FIRST}, before(Y, X).', "utf-8")
    assert not examine("default", extra=[own])
    mended = Refractor({"tools": tools}, encodings=[own]).repair(calls)
    assert mended.verdict == "repaired"
    names = [call.name for call in mended.sequence.calls]
    assert names.index("Pay") < names.index("Note")


@pytest.mark.parametrize("name", house_rule_names())
def test_a_shipped_rule_says_what_to_state(name: str, tmp_path: Path) -> None:
    rule, own = house_rule_path(Path(name)), tmp_path / "own.lp"
    found = examine("default", extra=[rule])
    assert {each.code for each in found} == {"unstated"}
    with pytest.raises(EncodingError, match="nobody states"):
        Refractor(TOOLS, encodings=[rule])
    own.write_text("\n".join(each.hint.rpartition(": ")[2] for each in found), "utf-8")
    assert not examine("default", extra=[rule, own])
