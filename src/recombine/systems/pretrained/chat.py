"""A chat model's way of being asked: turns in its tokenizer's template."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from recombine.systems.base import one_line
from recombine.systems.languages import language_name
from recombine.systems.pretrained.prompt import PAPER_PROMPT, Prompt


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
        return [
            list(tokens) for tokens in self.tokenizer(texts, add_special_tokens=False)["input_ids"]
        ]

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
    names = [language_name(code) for code in (source, target)]
    where = f" from {names[0]} to {names[1]}" if all(names) else ""
    return (
        f"Translate each sentence{where}. Answer with the translation only, "
        "without quotation marks or explanations."
    )
