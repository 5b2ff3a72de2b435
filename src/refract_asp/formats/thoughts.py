"""What in a text of a model is no answer: thoughts, the tokens of chat templates, what others say in it."""

from __future__ import annotations

import re

# Tags between which a model thinks; a closing one has a slash or says END.
_THOUGHT = (
    r"</?(?:think|thinking|thoughts?|reasoning|reflection|scratchpad|seed:think|longcat_think)\s*+>"
    r"|\[/?THINK\]|<\|(?:START|END)_THINKING\|>|◁/?think▷"
)
# Where harmony begins a message for which nobody is named; only the final one is an answer.
_ANALYSIS = (
    r"<\|channel\|>\s*analysis(?:(?!to=)[^<]){0,200}<\|message\|>"
    r".*?(?:<\|(?:end|call|return)\|>|(?=<\|(?:start|channel)\|>)|\Z)"
)
_ASSISTANT = r"(?:assistant|model|ai)\b"
# Where somebody else speaks, up to where the model does again.
_OTHERS = (
    r"(?:<\|(?:im_start|start_header_id|header_start|start_of_role|start)\|>\s*(?:user|system|tool|ipython|observation)\b"
    r"|<start_of_turn>\s*user\b|<\|(?:user|observation|tool|system)\|>|\[INST\]|<\|USER_TOKEN\|>|<｜User｜>"
    r"|<(?:tool_response|tool_result|function_results?|function_response|observation)>"
    r"|(?m:^)[^\S\n]*\**(?:Observation|Human|User):)"
    r".*?(?:</(?:tool_response|tool_result|function_results?|function_response|observation)>|\[/INST\]"
    rf"|(?=<\|(?:im_start|start_header_id|header_start|start_of_role|start)\|>\s*{_ASSISTANT}"
    rf"|<start_of_turn>\s*model\b|<\|(?:assistant|CHATBOT_TOKEN)\|>|<｜Assistant｜>"
    r"|\n[^\S\n]*\**(?:Thought|Action|Final Answer|Assistant|AI)(?:\s*\d+)?\s*:)|\Z)"
)
# Tokens of chat templates that say nothing.
_TEMPLATE = (
    rf"<\|(?:im_start|start_header_id|header_start|start_of_role)\|>(?:\s*{_ASSISTANT})?"
    r"|<start_of_turn>(?:\s*model\b)?"
    r"|<\|(?:im_end|eot_id|eom_id|eot|eom|end_of_text|endoftext|begin_of_text|end_header_id|header_end|end_of_role"
    r"|python_tag|python_start|python_end|return|assistant|END_OF_TURN_TOKEN|START_OF_TURN_TOKEN"
    r"|CHATBOT_TOKEN|START_RESPONSE|END_RESPONSE)\|>"
    r"|</?s>|<(?:eos|bos|pad|end_of_turn|bot_end|end_code|end_action)>|\[/?(?:INST|TOOL_CALLS_END)\]"
    r"|<｜(?:Assistant|(?:begin|end)▁of▁sentence)｜>"
)
_ASIDE = re.compile(
    f"(?P<thought>{_THOUGHT})|(?P<others>{_OTHERS})|(?P<said>{_ANALYSIS}|{_TEMPLATE})", re.I | re.S
)
_FIRST = re.compile(r"<[|｜/a-z]|\[[/a-z]|◁|^[^\S\n]*\**(?:Observation|Human|User):", re.I | re.M)
_TAG = re.compile(_THOUGHT, re.I)
# A text in quotes where a value stands, by what is before it and after it; prose has unpaired
# quotes.
_QUOTED = (
    r"`[^`\n]++`|[(\[{,:=]\s*+[bfru]{0,2}"
    r"""(?>"{3}.*?"{3}|'{3}.*?'{3}|"(?:[^"\\]|\\.)*+"|'(?:[^'\\]|\\.)*+')"""
    r"(?=\s*+(?:[,;:=)\]}]|\Z)|[^\S\n]*+\n)"
)
_ASIDE_OR_QUOTED = re.compile(f"{_ASIDE.pattern}|{_QUOTED}", re.I | re.S)


def _is_end(tag: str) -> bool:
    return "/" in tag or "END_" in tag.upper()


def without_thinking(text: str) -> str:
    r"""
    Return a text with blanks for what is no answer of a model, so that all else keeps its line and column.

    That is what stands in `<think>`, `<thinking>`, `<reasoning>` and the like, after such a tag that is never
    closed, and before a closing one that is never opened, because many templates open it in the prompt; the
    tokens of chat templates; and what the model makes others say, as the result of a tool.

    Example:
        >>> without_thinking("<think>f(1)?</think>\ng(text='a <think> tag')<|im_end|>")
        "                    \ng(text='a <think> tag')          "
    """
    if _FIRST.search(text) is None or _ASIDE.search(text) is None:
        return text
    spans: list[tuple[int, int]] = []
    thought = position = 0
    while (match := _ASIDE_OR_QUOTED.search(text, position)) is not None:
        start, position = match.span()
        if match.lastgroup is None:  # quoted: a tag in it is data
            continue
        if match["thought"] is not None:
            if _is_end(match["thought"]):
                start = thought
                while spans and spans[-1][1] > start:
                    spans.pop()
            else:
                tags = _TAG.finditer(text, position)
                closing = next((tag for tag in tags if _is_end(tag[0])), None)
                position = len(text) if closing is None else closing.end()
            thought = position
        spans.append((start, position))
    pieces: list[str] = []
    end = 0
    for start, after in spans:
        pieces += [text[end:start], re.sub(r"[^\r\n]", " ", text[start:after])]
        end = after
    return "".join((*pieces, text[end:]))
