"""A chat model's way of being asked: turns in its tokenizer's template, and an answer to clean."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from recombine.systems.base import one_line
from recombine.systems.pretrained.prompt import PAPER_PROMPT, Prompt

_LANGUAGES = {
    "ca": "Catalan", "cs": "Czech", "de": "German", "en": "English", "es": "Spanish",
    "fi": "Finnish", "fr": "French", "it": "Italian", "ja": "Japanese", "ko": "Korean",
    "nl": "Dutch", "pl": "Polish", "pt": "Portuguese", "ru": "Russian", "zh": "Chinese",
}  # fmt: skip

_THOUGHT = re.compile(r"\A\s*<think>.*?(?:</think>|\Z)", re.DOTALL)
# "Sure! Here is the translation:", "The Japanese translation is:", "Translation:"
_PREAMBLE = re.compile(
    r"\A(?:(?:sure|certainly|of course|okay|ok)\b[,.!]*\s*)?"
    r"(?:here(?:'s|’s| is| are)\b[^\n:：]{0,80}|(?:the |my )?(?:\w+ )?translation\b[^\n:：]{0,60})"
    r"[:：]\s*",
    re.IGNORECASE,
)
_FENCE = re.compile(r"\A```[^\n`]*\n(.*?)(?:\n\s*```|\Z)", re.DOTALL)
_QUOTES = ('""', "“”", "„“", "«»", "「」", "『』", "''", "‘’", "``")


@dataclass(frozen=True, kw_only=True)
class ChatPrompt:
    """A system line, worked examples as turns of user and assistant, and the source as last turn.

    Templates that know no system turn (Gemma's) get the line before the first source.
    """

    tokenizer: Any
    prompt: Prompt
    system_line: str

    def encode(self, _: Any, sources: Sequence[str]) -> list[list[int]]:
        """Return the tokens of the conversations about these sources, up to the answer."""
        texts = [self.render(source) for source in sources]
        # The template has written the special tokens already.
        return [list(one) for one in self.tokenizer(texts, add_special_tokens=False)["input_ids"]]

    def render(self, source: str) -> str:
        """Return the conversation about one source as text, up to the answer."""
        return self._apply(self._turns(source), add_generation_prompt=True)

    def turn_end(self) -> int | None:
        """Return the token that ends an answer: not every tokenizer calls it its end."""
        mark = "abc"
        answered = self._apply([*self._turns("?"), {"role": "assistant", "content": mark}])
        after = answered.rpartition(mark)[2].lstrip()
        tokens = self.tokenizer(after, add_special_tokens=False)["input_ids"] if after else []
        return tokens[0] if tokens and tokens[0] in self.tokenizer.all_special_ids else None

    def _turns(self, source: str) -> list[dict[str, str]]:
        turns = [{"role": "system", "content": self.system_line}]
        for shot, answer in self.prompt.shots:
            turns.append({"role": "user", "content": self._user(shot)})
            turns.append({"role": "assistant", "content": one_line(answer)})
        return [*turns, {"role": "user", "content": self._user(source)}]

    def _user(self, source: str) -> str:
        # The paper's frame tells a model that only continues text what a turn tells this one.
        if self.prompt.template == PAPER_PROMPT:
            return one_line(source)
        return self.prompt.template.replace("{source}", one_line(source))

    def _apply(self, turns: list[dict[str, str]], *, add_generation_prompt: bool = False) -> str:
        from jinja2 import TemplateError

        def apply(some: list[dict[str, str]]) -> str:
            return str(
                self.tokenizer.apply_chat_template(
                    some, tokenize=False, add_generation_prompt=add_generation_prompt
                )
            )

        try:
            return apply(turns)
        except TemplateError:
            first = {"role": "user", "content": f"{turns[0]['content']}\n\n{turns[1]['content']}"}
            return apply([first, *turns[2:]])


def system_line(source: str | None, target: str | None) -> str:
    """Return what a chat model is told where the experiment gives no `instruction`."""
    names = [_LANGUAGES.get(code, code) if code else "" for code in (source, target)]
    where = f" from {names[0]} to {names[1]}" if all(names) else ""
    return (
        f"Translate each sentence{where}. Answer with the translation only, "
        "without quotation marks or explanations."
    )


class CleanedAnswer(NamedTuple):
    """A translation, and the names of what stood around it."""

    text: str
    removed: tuple[str, ...]


def clean_answer(text: str, source: str) -> CleanedAnswer:
    """Take the one line that is the translation out of what a chat model says.

    Quotation marks stay where the source has them, too, or where they are part of the sentence.
    """
    removed = []

    def note(name: str, cleaned: str) -> str:
        if cleaned != text:
            removed.append(name)
        return cleaned

    text = text.strip()
    text = note("thought", _THOUGHT.sub("", text).strip())
    if not _PREAMBLE.match(source):
        text = note("preamble", _PREAMBLE.sub("", text))
    text = note("fence", _FENCE.sub(r"\1", text).strip())
    text = note("afterword", next(iter(text.splitlines()), "").strip())
    text = note("quotes", _without_quotes(text, source.strip()))
    return CleanedAnswer(one_line(text).strip(), tuple(removed))


def _without_quotes(text: str, source: str) -> str:
    for pair in _QUOTES:
        inside = text[1:-1]
        if len(text) > 2 and (text[0], text[-1]) == (pair[0], pair[1]):
            if any(mark in inside for mark in pair) or _is_quoted(source):
                return text
            return inside.strip()
    return text


def _is_quoted(text: str) -> bool:
    return any(len(text) > 1 and (text[0], text[-1]) == (one[0], one[1]) for one in _QUOTES)
