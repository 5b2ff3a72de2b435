"""The approver and the scorer for Inspect, in evaluations with the model that it has for tests."""

import sys
import types
from pathlib import Path
from typing import Any

import pytest

try:  # Inspect counts tokens with an encoding that is fetched from the network
    import tiktoken

    tiktoken.get_encoding("o200k_base")
except Exception:
    stub = types.ModuleType("tiktoken")
    stub.get_encoding = stub.encoding_for_model = lambda name: types.SimpleNamespace(  # type: ignore[attr-defined]
        encode=lambda text, **how: text[::4]
    )
    stub.Encoding = object  # type: ignore[attr-defined]
    sys.modules["tiktoken"] = stub

from faults import FAULTS, RAN, Unit, assert_read
from faults import get_weather as weather
from inspect_ai import Task, eval
from inspect_ai.approval import ApprovalPolicy
from inspect_ai.dataset import Sample
from inspect_ai.model import ChatMessageAssistant, ChatMessageTool, ModelOutput, get_model
from inspect_ai.solver import generate, use_tools
from inspect_ai.tool import ToolCall, ToolDef, ToolInfo, tool
from pages import program_of

from refract_asp.integrations.inspect_ai import admissible, refract, refract_model


@tool
def get_weather() -> Any:
    async def execute(city: str, days: int = 1, unit: Unit = "celsius") -> str:
        """
        Tell the weather of a city.

        Args:
            city: The name of the city.
            days: For how many days.
            unit: In which unit.
        """
        return weather(city, days, unit)

    return execute


def run(name: str, arguments: Any, folder: Path, approval: bool = True, mends: bool = False) -> Any:
    outputs = [
        ModelOutput.for_tool_call("mockllm/model", name, arguments),
        ModelOutput.from_content("mockllm/model", "done"),
    ]
    tools = [get_weather()]
    task = Task(
        dataset=[Sample(input="hi", target="x")],
        solver=[use_tools(tools), generate()],
        scorer=admissible(tools),
        approval=[ApprovalPolicy(refract(tools), "*")] if approval else None,
    )
    model = get_model("mockllm/model", custom_outputs=outputs)
    model = refract_model(model) if mends else model
    (log,) = eval(task, model=model, display="none", log_dir=str(folder), log_format="json")
    assert log.status == "success", log.error
    return log.samples[0]


@pytest.mark.parametrize("kind", FAULTS)
def test_five_faults(kind: str, tmp_path: Path) -> None:
    fault = FAULTS[kind]
    sample = run(fault.name, fault.arguments, tmp_path)
    (result,) = (each for each in sample.messages if isinstance(each, ChatMessageTool))
    if fault.name != "get_weather":  # Inspect refuses these before it asks anybody
        assert result.error
        assert RAN == []
        return
    assert ([fault.runs] if fault.runs else []) == RAN
    if fault.runs is None:
        assert fault.told in f"{result.error} {result.content}"


@pytest.mark.parametrize("kind", FAULTS)
@pytest.mark.parametrize("approval", [True, False])
def test_a_model_that_mends_its_calls(kind: str, approval: bool, tmp_path: Path) -> None:
    fault = FAULTS[kind]
    sample = run(fault.name, fault.arguments, tmp_path, approval, mends=True)
    (result,) = (each for each in sample.messages if isinstance(each, ChatMessageTool))
    (called,) = (each for each in sample.messages if getattr(each, "tool_calls", None))
    assert ([fault.runs] if fault.runs else []) == RAN
    if fault.runs is None:
        assert fault.told.removesuffix(", send_email") in result.error.message
        assert called.tool_calls[0].function == fault.name
    else:
        assert result.error is None
        assert called.tool_calls[0].function == "get_weather"


def test_a_mended_model_leaves_the_given_one_as_it_is() -> None:
    given = get_model("mockllm/model")
    made = refract_model(given)
    assert (made.name, made is given, made.api is given.api) == (given.name, False, False)
    assert "generate" not in vars(given.api)
    assert refract_model("mockllm/model").name == "model"


CODES = {"right": [], "missing": ["missing_parameter"], "made up": ["unknown_tool"], "enum": None}


@pytest.mark.parametrize(("kind", "codes"), CODES.items())
def test_calls_are_scored(kind: str, codes: list[str] | None, tmp_path: Path) -> None:
    fault = FAULTS[kind]
    sample = run(fault.name, fault.arguments, tmp_path, approval=False)
    (found,) = sample.scores.values()
    assert found.value == (kind == "right")
    if codes is None:
        assert len(found.metadata["codes"]) == 1
    else:
        assert found.metadata["codes"] == codes


def test_objects_of_inspect_are_read() -> None:
    definition = ToolDef(get_weather())
    info = ToolInfo(name="get_weather", description="Tell.", parameters=definition.parameters)
    call = ToolCall(id="c", function="get_weather", arguments={"city": "Rome"})
    message = ChatMessageAssistant(content="", tool_calls=[call])
    assert_read(([definition], [info]), (message, [message]))


STUB = Path(__file__).read_text("utf-8").partition("try:")[2].partition("from faults")[0]
test_the_program_of_the_page = program_of("inspect_ai", f"import sys\nimport types\ntry:{STUB}")
