# ruff: noqa: E501 - texts stand as they are written
"""Texts as models of many families write them: calls that are known x dialect x wrapping x slip."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

# A call as it is known: the name of the tool, and its arguments.
Known: TypeAlias = tuple[str, dict[str, Any]]
Written: TypeAlias = Callable[[list[Known]], str]

POOL: list[list[Known]] = [
    [("admit_patient", {"name": "Ana Ruiz", "ward": 4, "urgent": True})],
    [("bank.transfer", {"amount": 12.5, "to": "DE02 1203", "tags": ["rent", "may"]})],
    [("spawn_enemy", {"kind": "orc", "at": [3, -4], "loot": {"gold": 10, "gem": None}})],
    [("restart_pod", {"name": "web-1", "force": False}), ("get_logs", {"pod": "web-1", "lines": 50})],
    [("send_mail", {"text": "It's (almost) done, ok?"}), ("send_mail", {"text": "a, b; c = d [1]"})],
    [("book_table", {"city": "Zürich", "people": 2}), ("list_rooms", {}), ("get_time", {"zone": "+02:00"})],
    [("solve_quadratic_eq", {"a": 1, "b": -3, "c": 2})],
    [("query_db", {"sql": "SELECT * FROM t WHERE a < 3 AND b > 1", "limit": 10})],
    [("play_song", {"title": 'The "Best" of {all}', "loop": True})],
    [("grade_essay", {"text": "One line.\nAnother line.", "scale": 1.5})],
]  # fmt: skip


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _each(form: str, joint: str = "\n") -> Written:
    """Return what writes each call in a form with NAME, JSON (its arguments) and NUMBER."""

    def write(calls: list[Known]) -> str:
        said = []
        for number, (name, arguments) in enumerate(calls):
            text = form.replace("NUMBER", str(number)).replace("NAME", name)
            said.append(text.replace("JSON", _json(arguments)))
        return joint.join(said)

    return write


def _around(inner: Written, before: str, after: str = "") -> Written:
    return lambda calls: f"{before}{inner(calls)}{after}"


def _called(joint: str = ", ", before: str = "[", after: str = "]") -> Written:
    def write(calls: list[Known]) -> str:
        said = [f"{n}({', '.join(f'{k}={v!r}' for k, v in a.items())})" for n, a in calls]
        return f"{before}{joint.join(said)}{after}"

    return write


def _named_called(calls: list[Known]) -> str:
    said = [(n, ", ".join(f"{k}={v!r}" for k, v in a.items())) for n, a in calls]
    return "\n".join(f"{name}\n```python\ntool_call({given})\n```" for name, given in said)


def _marked(begin: str, pair: str, end: str, joint: str = "\n") -> Written:
    """Return what writes each argument in a form of its own, texts as they are."""

    def write(calls: list[Known]) -> str:
        said = []
        for name, arguments in calls:
            pairs = (
                pair.replace("KEY", k).replace("VALUE", v if isinstance(v, str) else _json(v))
                for k, v in arguments.items()
            )
            said.append(f"{begin.replace('NAME', name)}{''.join(pairs)}{end}")
        return joint.join(said)

    return write


_OBJECT = '{"name": "NAME", "arguments": JSON}'
_LIST = _around(_each(_OBJECT, ", "), "[", "]")
_PARAMETERS = '{"name": "NAME", "parameters": JSON}'


def _as_text(calls: list[Known]) -> str:
    return _json([{"name": name, "arguments": _json(arguments)} for name, arguments in calls])


def _quoted_calls(calls: list[Known]) -> str:
    return repr([_called(before="", after="")([call]) for call in calls])


DIALECTS: dict[str, Written] = {
    "hermes": _each(f"<tool_call>\n{_OBJECT}\n</tool_call>"),
    "hermes, one tag": _around(_each(_OBJECT), "<tool_call>\n", "\n</tool_call>"),
    "hermes, open": _each(f"<tool_call>\n{_OBJECT}"),
    "qwen3-coder": _marked("<tool_call>\n<function=NAME>\n", "<parameter=KEY>\nVALUE\n</parameter>\n",
                           "</function>\n</tool_call>"),
    "glm": _marked("<tool_call>NAME\n", "<arg_key>KEY</arg_key>\n<arg_value>VALUE</arg_value>\n", "</tool_call>"),
    "deepseek-v3": _around(_each("<｜tool▁call▁begin｜>function<｜tool▁sep｜>NAME\n```json\nJSON\n```<｜tool▁call▁end｜>"),
                           "<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜><｜end▁of▁sentence｜>"),
    "deepseek-v3.1": _around(_each("<｜tool▁call▁begin｜>NAME<｜tool▁sep｜>JSON<｜tool▁call▁end｜>", ""),
                             "<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>"),
    "deepseek-v3.2": _around(_marked('<｜DSML｜invoke name="NAME">\n',
                                     '<｜DSML｜parameter name="KEY" string="false">VALUE</｜DSML｜parameter>\n',
                                     "</｜DSML｜invoke>"), "<｜DSML｜function_calls>\n", "\n</｜DSML｜function_calls>"),
    "kimi-k2": _around(_each("<|tool_call_begin|>functions.NAME:NUMBER<|tool_call_argument_begin|>JSON"
                             "<|tool_call_end|>", ""),
                       "<|tool_calls_section_begin|>", "<|tool_calls_section_end|>"),
    "harmony": _each("<|start|>assistant<|channel|>commentary to=functions.NAME <|constrain|>json<|message|>JSON<|call|>",
                     ""),
    "harmony, role": _each("<|start|>assistant to=functions.NAME<|channel|>commentary json<|message|>JSON<|call|>", ""),
    "llama python tag": _around(_each(_PARAMETERS, "; "), "<|python_tag|>", "<|eom_id|>"),
    "llama json": _each('{"type": "function", "name": "NAME", "parameters": JSON}', "; "),
    "llama 4": _around(_called(), "<|python_start|>", "<|python_end|><|eot|>"),
    "mistral": _around(_LIST, "[TOOL_CALLS] "),
    "mistral, args": _each("[TOOL_CALLS]NAME[ARGS]JSON", ""),
    "mistral, id": _each("[TOOL_CALLS]NAME[CALL_ID]abc12345NUMBER[ARGS]JSON", ""),
    "anthropic": _around(_marked('<invoke name="NAME">\n', '<parameter name="KEY">VALUE</parameter>\n', "</invoke>"),
                         "<function_calls>\n", "\n</function_calls>"),
    "minimax": _around(_marked('<invoke name="NAME">\n', '<parameter name="KEY">VALUE</parameter>\n', "</invoke>"),
                       "<minimax:tool_call>\n", "\n</minimax:tool_call>"),
    "grok": _marked('<xai:function_call name="NAME">', '<parameter name="KEY">VALUE</parameter>', "</xai:function_call>"),
    "seed": _around(_marked("<function=NAME>\n", "<parameter=KEY>VALUE</parameter>\n", "</function>"),
                    "<seed:tool_call>\n", "\n</seed:tool_call>"),
    "llama function": _each("<function=NAME>JSON</function>"),
    "tool_calls": _around(_LIST, "<tool_calls>", "</tool_calls>"),
    "nemotron": _around(_LIST, "<TOOLCALL>", "</TOOLCALL>"),
    "phi": _around(_LIST, "<|tool_call|>", "<|/tool_call|>"),
    "granite": _around(_LIST, "<|tool_call|>"),
    "lfm": _around(_called(), "<|tool_call_start|>", "<|tool_call_end|><|im_end|>"),
    "command-r": _around(_each('{"tool_name": "NAME", "parameters": JSON}', ",\n"), "Action: ```json\n[\n", "\n]\n```"),
    "command-a": _around(_each('{"tool_call_id": "NUMBER", "tool_name": "NAME", "parameters": JSON}', ",\n"),
                         "<|START_ACTION|>[\n", "\n]<|END_ACTION|>"),
    "glaive": _each("<functioncall> " + _OBJECT, "\n"),
    "functionary": _each("<|from|>assistant\n<|recipient|>NAME\n<|content|>JSON", "\n"),
    "functionary 1": _each("to=functions.NAME:\nJSON"),
    "functionary 2.5": _each("<|reserved_special_token_249|>NAME\nJSON"),
    "functionary 3": _each(">>>NAME\nJSON", ""),
    "gorilla": _called("<<function>>", "<<function>>", ""),
    "raven": _called("; ", "Call: ", " <bot_end>"),
    "gemma": _around(_called("\n", "", ""), "```tool_code\n", "\n```"),
    "gemma, print": _around(_called(")\nprint(", "print(", ")"), "```tool_code\n", "\n```"),
    "olmo": _around(_called("\n", "", ""), "<function_calls>\n", "\n</function_calls>"),
    "internlm": _each("<|action_start|><|plugin|>\n" + _PARAMETERS + "<|action_end|>"),
    "apertus": _around(_each('{"NAME": JSON}', ", "), "<|tools_prefix|>[", "]<|tools_suffix|>"),
    "react": _each("Thought: I need it.\nAction: NAME\nAction Input: JSON"),
    "react, bold": _each("**Thought:** I need it.\n**Action:** NAME\n**Action Input:** JSON"),
    "react, fence": _each("Action: NAME\nAction Input:\n```json\nJSON\n```"),
    "react, call": _called("\nAction: ", "Thought: let me see (soon).\nAction: ", ""),
    "fence": _around(_LIST, "```json\n", "\n```"),
    "fence, objects": _around(_each(_OBJECT), "```json\n", "\n```"),
    "fences": _each(f"```json\n{_OBJECT}\n```"),
    "fence of calls": _around(_called("\n", "", ""), "```python\n", "\n```"),
    "fence of a list": _around(_called(), "```python\n", "\n```"),
    "fence on a line": _around(_called(), "```", "```"),
    "fence, any language": _around(_called(), "```plaintext\n", "\n```"),
    "list": _called(),
    "list over lines": _called(",\n    ", "[\n    ", "\n]"),
    "list without an end": _called(", ", "[", ""),
    "list with two ends": _called(", ", "[", "]]"),
    "list without brackets": _called(", ", "", ""),
    "list of quoted calls": _quoted_calls,
    "lines": _called("\n", "", ""),
    "backticks": _called(", ", "`[", "]`"),
    "json list": _LIST,
    "json objects": _each(_OBJECT),
    "json, parameters": _around(_each(_PARAMETERS, ", "), "[", "]"),
    "json text": _as_text,
    "bfcl": _around(_each('{"NAME": JSON}', ", "), "[", "]"),
    "bfcl text": lambda calls: _json([{name: _json(arguments)} for name, arguments in calls]),
    "tool_calls object": _around(_each(_OBJECT, ", "), '{"tool_calls": [', "]}"),
    "openai": lambda calls: _json({"tool_calls": [
        {"id": f"call_{n}", "type": "function", "function": {"name": name, "arguments": _json(arguments)}}
        for n, (name, arguments) in enumerate(calls)]}),
    "parallel": _around(_each('{"recipient_name": "functions.NAME", "parameters": JSON}', ", "), '{"tool_uses": [', "]}"),
    "ai sdk": _around(_each('{"toolCallId": "NUMBER", "toolName": "NAME", "input": JSON}', ", "), "[", "]"),
    "api": _around(_each('{"api": "NAME", "parameters": JSON}', ", "), "[", "]"),
    "chatglm 3": _named_called,
    "mcp tool": _each("<use_mcp_tool>\n<server_name>s</server_name>\n<tool_name>NAME</tool_name>\n<arguments>\nJSON\n"
                      "</arguments>\n</use_mcp_tool>"),
    "tool input": _each("<tool>NAME</tool><tool_input>JSON</tool_input>"),
    "function tag": _each('<function name="NAME">JSON</function>'),
}  # fmt: skip

# What stands around the calls.
WRAPPINGS: dict[str, Callable[[str], str]] = {
    "alone": lambda text: text,
    "blank lines": lambda text: f"\n\n{text}\n ",
    "end token": lambda text: f"{text}<|im_end|>",
    "end of turn": lambda text: f"{text}<|eot_id|>",
    "sentence end": lambda text: f"{text}</s>",
    "prose before": lambda text: f"Sure! I'll help you with that (one moment).\n\n{text}",
    "prose after": lambda text: f"{text}\n\nThis gives what you asked for: let me know, if you need more (I'm here).",
    "prose around": lambda text: f"To do so, the tool is used as follows:\n\n{text}\n\n**Note**: it's about 5 km.",
    "thought": lambda text: f"<think>\nMaybe f(a=1)? Or {{\"name\": \"g\", \"arguments\": {{}}}}.\n</think>\n\n{text}",
    "thought without begin": lambda text: f"Hm, [f(a=1)].\n</think>\n{text}",
    "mistral thought": lambda text: f"[THINK]I'd say f(a=1).[/THINK]{text}",
    "channel": lambda text: f"<|channel|>analysis<|message|>Call f(a=1).<|end|>{text}",
    "made-up result": lambda text: f"{text}\nObservation: done\n[later(a=1)]",
}  # fmt: skip


def _over_json(change: Callable[[str], str]) -> Callable[[str], str]:
    return lambda text: change(text) if '{"' in text else text


# Slips of the pen; a text that does not have what a slip is about comes back as it is.
SLIPS: dict[str, Callable[[str], str]] = {
    "none": lambda text: text,
    "trailing comma": _over_json(lambda text: text.replace("}}", "},}")),
    "words of Python": _over_json(
        lambda text: text.replace(": true", ": True").replace(": false", ": False").replace(": null", ": None")
    ),
    "escaped underscores": lambda text: text.replace("_quadratic_", r"\_quadratic\_"),
    "keys without quotes": _over_json(lambda text: text.replace('"arguments":', "arguments:")),
}  # fmt: skip


@dataclass(frozen=True)
class Text:
    """A text, and the calls that it holds."""

    dialect: str
    wrapping: str
    slip: str
    text: str
    calls: list[Known]


def texts() -> Iterator[Text]:
    """Yield every text, each once."""
    seen = set[str]()
    for dialect, write in DIALECTS.items():
        for calls in POOL:
            for slip, change in SLIPS.items():
                said = change(write(calls))
                for wrapping, wrap in WRAPPINGS.items():
                    if wrapping != "alone" and slip != "none" and wrapping != "prose around":
                        continue
                    if dialect == "bfcl" and "prose" in wrapping:  # among prose it may be any data
                        continue
                    text = wrap(said)
                    if text not in seen:
                        seen.add(text)
                        yield Text(dialect, wrapping, slip, text, calls)
