r"""
The marks by which models of many families say that they call tools, one row each, with an example.

A row tells where the body of a call stands, and perhaps its name; what the body is written in (JSON, one value
or several; parameters in tags; call text) is seen from the body itself. `bare` finds calls without any mark.
To add a dialect, add a row: the docs and the tests read the examples.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_BAR = r"[|｜]"
_BLANK = r"[▁_ ]"
# Tags that mean calls; those of the second kind may stand around other things as well.
_CALLS = r"(?:\w+:|longcat_)?(?:tool_calls?|function_calls?|functioncall|tool_use|toolcall)"
_MAYBE = r"tools?|tool_code|code|action|actions|functions?|execute|answer|calls?"
# What stands at once in a tag that only wraps other marks.
_INNER = r"(?!\s*<(?:｜DSML｜|[\w]+:)?(?:function[= ]|invoke|tool_calls?\b|function_calls?\b|tool_use\b))"
# Where JSON stands, no tool is called: the answer of an agent, or nothing at all.
_NO_TOOL = r"(?!(?:Final Answer|None|N/A)[^\S\n]*$)"
_NAME = r"[^\s<>{}\[\]()|｜]{1,200}"
_LABEL = r"^[^\S\n]*[>*#\-]*[^\S\n]*Action(?:\s*\d+)?\s*:\**[^\S\n]*"
_NEXT = r"\n[^\S\n]*[>*#\-]*[^\S\n]*(?:Observation|Thought|Action|Final Answer)(?:\s*\d+)?\s*:"


@dataclass(frozen=True)
class Dialect:
    """
    A way in which models mark calls.

    Attributes:
        name: how it is called in messages and in the docs.
        who: the models that write it.
        mark: a text without which there is none, in lower case.
        pattern: where a block stands; its group `body` holds the calls or arguments, `name` the tool.
        sure: whether what stands there is a call even where it cannot be read.
        takes_text: whether a text that is no JSON is the first argument.
        examples: texts that hold the call `weather(city="Paris", days=2)`.
    """

    name: str
    who: str
    mark: str
    pattern: re.Pattern[str]
    examples: tuple[str, ...]
    sure: bool = True
    takes_text: bool = False


def _row(
    name: str,
    who: str,
    mark: str,
    pattern: str,
    *examples: str,
    sure: bool = True,
    takes_text: bool = False,
) -> Dialect:
    compiled = re.compile(pattern, re.I | re.M | re.S)
    return Dialect(name, who, mark, compiled, examples, sure, takes_text)


_JSON = '{"city": "Paris", "days": 2}'
_CALL = f'{{"name": "weather", "arguments": {_JSON}}}'
_PAIRS = '<parameter name="city">Paris</parameter><parameter name="days">2</parameter>'

DIALECTS: tuple[Dialect, ...] = (
    _row(
        "tags", "Hermes, Qwen 2.5 and 3, GLM, Granite, Nemotron, Jamba, OLMo, Glaive and many others", "<",
        rf"<(?P<tag>{_CALLS})\s*>{_INNER}(?P<body>.*?)(?:</(?P=tag)\s*>|(?=<(?P=tag)\s*>)|\Z)",
        f"<tool_call>{_CALL}</tool_call>",
        f"<tool_calls>[{_CALL}]</tool_calls>",
        f"<TOOLCALL>[{_CALL}]</TOOLCALL>",
        f"<functioncall> {_CALL}",
        '<tool_call>weather\n<arg_key>city</arg_key>\n<arg_value>Paris</arg_value>\n<arg_key>days</arg_key>\n'
        "<arg_value>2</arg_value>\n</tool_call>",
        '<function_calls>\nweather(city="Paris", days=2)\n</function_calls>',
        f"<tool_calls>\n<tool_call>weather\n```json\n{_JSON}\n```\n</tool_call>\n</tool_calls>",
        "<longcat_tool_call>weather\n<longcat_arg_key>city</longcat_arg_key>\n<longcat_arg_value>Paris"
        "</longcat_arg_value>\n<longcat_arg_key>days</longcat_arg_key>\n<longcat_arg_value>2</longcat_arg_value>\n"
        "</longcat_tool_call>",
    ),
    _row(
        "invoke with children", "Claude 2", "<invoke>",
        r"<invoke>(?P<body>.*?)(?:</invoke>|(?=<invoke>)|\Z)",
        "<function_calls>\n<invoke>\n<tool_name>weather</tool_name>\n<parameters>\n<city>Paris</city>\n<days>2</days>\n"
        "</parameters>\n</invoke>\n</function_calls>",
    ),
    _row(
        "✿", "Qwen-Agent", "✿function✿",
        rf"✿FUNCTION✿:\s*(?P<name>{_NAME})\s*✿ARGS✿:(?P<body>.*?)(?=\s*✿|\Z)",
        f"✿FUNCTION✿: weather\n✿ARGS✿: {_JSON}\n✿RESULT✿",
    ),
    _row(
        "function tag", "Llama 3.1, Qwen3-Coder, Functionary, Seed", "<function=",
        r"<function=(?P<name>[^>\n]{1,200})>(?P<body>.*?)(?:</function>|(?=<function=|</tool_call>)|\Z)",
        f"<function=weather>{_JSON}</function>",
        "<tool_call>\n<function=weather>\n<parameter=city>\nParis\n</parameter>\n<parameter=days>\n2\n</parameter>\n"
        "</function>\n</tool_call>",
    ),
    _row(
        "invoke", "Anthropic, MiniMax, DeepSeek V3.2, Grok, Step", "name=",
        rf"<(?P<tag>(?:｜DSML｜|\w+:)?(?:invoke|{_CALLS}))\s+name=[\"'](?P<name>[^\"'\n]{{1,200}})[\"'][^>]*>"
        r"(?P<body>.*?)(?:</(?P=tag)>|(?=<(?P=tag)\s)|\Z)",
        f'<function_calls>\n<invoke name="weather">{_PAIRS}</invoke>\n</function_calls>',
        f'<minimax:tool_call><invoke name="weather">{_PAIRS}</invoke></minimax:tool_call>',
        f'<｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name="weather">{_PAIRS}</steptml:invoke>'
        "<｜tool_call_end｜>",
    ),
    _row(
        "named tag", "small fine-tunes", "name=",
        r"<(?P<tag>function|tool|call|action)\s+name=[\"'](?P<name>[^\"'\n]{1,200})[\"'][^>]*>"
        r"(?P<body>.*?)(?:</(?P=tag)>|(?=<(?P=tag)\s)|\Z)",
        f'<function name="weather">{_JSON}</function>',
        sure=False,
    ),
    _row(
        "tokens", "Phi 4, Granite 3, LFM 2, Command A, InternLM, Apertus", "<|",
        r"<\|(?:tool_calls?|tool_calls?_start|START_ACTION|action_start|tools_prefix|function_call)\|>"
        r"(?:<\|(?:plugin|interpreter)\|>)?(?P<body>.*?)(?=<\|[/\w]+\|>|\Z)",
        f"<|tool_call|>[{_CALL}]<|/tool_call|>",
        '<|tool_call_start|>[weather(city="Paris", days=2)]<|tool_call_end|>',
        f'<|START_ACTION|>[{{"tool_call_id": "0", "tool_name": "weather", "parameters": {_JSON}}}]<|END_ACTION|>',
        f'<|tools_prefix|>[{{"weather": {_JSON}}}]<|tools_suffix|>',
    ),
    _row(
        "DeepSeek, Kimi", "DeepSeek V3 and V3.1, Kimi K2", "call",
        rf"<{_BAR}tool{_BLANK}call{_BLANK}begin{_BAR}>\s*(?!function<{_BAR}tool{_BLANK}sep{_BAR}>\s*<)(?:function<{_BAR}tool{_BLANK}sep{_BAR}>)?"
        rf"\s*(?:functions\.)?(?P<name>{_NAME}?)(?::\d+)?\s*"
        rf"(?:<{_BAR}tool{_BLANK}(?:sep|call{_BLANK}argument{_BLANK}begin){_BAR}>|(?=[\s{{]))\s*(?P<body>.*?)"
        rf"(?:<{_BAR}tool{_BLANK}call{_BLANK}end{_BAR}>|(?=<{_BAR}tool{_BLANK}calls?{_BLANK})|\Z)",
        f"<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>weather\n```json\n{_JSON}\n```"
        "<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
        f"<｜tool▁call▁begin｜>weather<｜tool▁sep｜>{_JSON}<｜tool▁call▁end｜>",
        f"<|tool_call_begin|>functions.weather:0<|tool_call_argument_begin|>{_JSON}<|tool_call_end|>",
    ),
    _row(
        "harmony", "gpt-oss", "<|message|>",
        rf"(?<=\s)to=(?:functions\.)?(?P<name>{_NAME})(?:(?!to=)[^{{]){{0,200}}?<\|message\|>(?P<body>.*?)"
        r"(?=<\|(?:call|end|start|channel)\|>|\Z)",
        f"<|channel|>commentary to=functions.weather <|constrain|>json<|message|>{_JSON}<|call|>",
        f"<|start|>assistant to=functions.weather<|channel|>commentary json<|message|>{_JSON}<|call|>",
    ),
    _row(
        "[TOOL_CALLS], [ARGS]", "Mistral since 2025", "[tool_calls]",
        rf"\[TOOL_CALLS\]\s*(?P<name>{_NAME})\s*(?:\[CALL_ID\][^\[]{{0,99}})?(?:\[ARGS\])?\s*"
        r"(?P<body>\{.*?)(?=\[TOOL_CALLS\]|\Z)",
        f"[TOOL_CALLS]weather[ARGS]{_JSON}",
    ),
    _row(
        "[TOOL_CALLS]", "Mistral", "[tool_calls]",
        r"\[TOOL_CALLS\](?P<body>.*?)(?=\[TOOL_CALLS\]|\Z)",
        f"[TOOL_CALLS] [{_CALL}]",
    ),
    _row(
        "recipient", "Functionary", "<|recipient|>",
        rf"<\|recipient\|>\s*(?!all\b)(?P<name>{_NAME})\s*<\|content\|>(?P<body>.*?)(?=<\||\Z)",
        f"<|from|>assistant\n<|recipient|>weather\n<|content|>{_JSON}",
    ),
    _row(
        ">>>", "Functionary 3", ">>>",
        rf">>>(?!all\b)(?P<name>{_NAME})\n(?P<body>\{{.*?)(?=>>>|\Z)",
        f">>>weather\n{_JSON}",
        sure=False,
    ),
    _row(
        "<<function>>", "Gorilla", "<<function>>",
        r"<<function>>(?P<body>.*?)(?=,?\s*<<function>>|\n\s*\n|\Z)",
        '<<function>>weather(city="Paris", days=2)',
        sure=False,
    ),
    _row(
        "call:", "FunctionGemma, Gemma 4", "call:",
        rf"<(?:start_function_call|\|tool_call)>\s*call:(?P<name>{_NAME})(?P<body>.*?)"
        r"(?:<end_function_call>|<tool_call\|>|\Z)",
        "<start_function_call>call:weather{city:<escape>Paris<escape>,days:2}<end_function_call>",
        '<|tool_call>call:weather{city:<|"|>Paris<|"|>,days:2}<tool_call|>',
    ),
    _row(
        "Action", "ReAct prompts: LangChain, LlamaIndex, ToolBench", "action",
        rf"{_LABEL}{_NO_TOOL}(?P<name>[^\s({{][^\n({{]{{0,199}})\n\s*[>*#\-]*[^\S\n]*Action Input(?:\s*\d+)?\s*:\**"
        rf"(?P<body>.*?)(?={_NEXT}|\Z)",
        f"Thought: I look.\nAction: weather\nAction Input: {_JSON}",
        'Thought: I look.\nAction: weather\nAction Input: city="Paris", days=2',
        takes_text=True,
    ),
    _row(
        "Action with a call", "ReAct prompts", "action",
        rf"{_LABEL}`?(?P<body>[\w.\\\-]{{1,200}}\([^\n]*(?:\n(?!\s*\n)(?!{_NEXT[2:]})[^\n]*)*)",
        'Thought: I look.\nAction: weather(city="Paris", days=2)',
        sure=False,
    ),
    _row(
        "other tags", "small fine-tunes", "<",
        rf"<(?P<tag>{_MAYBE})>{_INNER}(?P<body>.*?)(?:</(?P=tag)>|(?=<(?P=tag)>)|\Z)",
        f"<tools>{_CALL}</tools>",
        sure=False,
    ),
)  # fmt: skip

FENCE = _row(
    "fence", "all, most of all where they are not trained for tools", "```",
    r"```(?:[\w+\-]*)[^\S\n]*\n(?P<body>.*?)(?:\n?[^\S\n]*```|\Z)|```(?:(?:json|python|py|tool_\w+)\s)?(?P<line>[^`\n]+)```",
    f"```json\n{_CALL}\n```",
    '```python\n[weather(city="Paris", days=2)]\n```',
    '```[weather(city="Paris", days=2)]```',
    '```tool_code\nprint(weather(city="Paris", days=2))\n```',
    sure=False,
)  # fmt: skip
