"""`llm`: a causal language model, fine-tuned with LoRA or prompted."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Literal, Self

from recombine.config import to_plain
from recombine.errors import ConfigError, DataError
from recombine.files import write_json
from recombine.systems.base import Failure, TrainingData
from recombine.systems.pretrained.base import (
    Pretrained,
    describe_weights,
    learnable_pairs,
    merge_adapter,
    save_adapter,
)
from recombine.systems.pretrained.chat import ChatPrompt, system_line
from recombine.systems.pretrained.processes import train_in_processes
from recombine.systems.pretrained.prompt import PAPER_PROMPT, Prompt, render_answer
from recombine.systems.pretrained.seam import choose_step
from recombine.systems.pretrained.translator import DecodingLimits, PromptTranslator, growth_of
from recombine.systems.pretrained.weights import Weights
from recombine.systems.shots import choose_shots

_STOPS = ("\n", "###")  # a model that continues text goes on with the next example
_UNTRAINED_GROWTH = 8.0  # new tokens per source token where no training text tells better
_TRAINED_ROOM = 1.25  # times the largest growth seen in training


@dataclass(kw_only=True)
class Llm(Pretrained):
    """A causal language model from a local folder or GGUF file.

    `lora` fine-tunes an adapter as Kumon et al. 2024 do with Llama 2 (r 8, alpha 32, dropout .1,
    rate 1e-4, batch 64, 8 epochs); `prompt` leaves the model as it is and shows it `shots`
    training examples, as turns of a conversation where its tokenizer has a chat template
    (`chat = false`: as text to continue, like any other model). Adapters know no turns.
    """

    method: Literal["lora", "prompt"] = "lora"
    prompt: str = PAPER_PROMPT
    instruction: str = ""
    shots: int = 0
    shot_choice: Literal["seed", "cover"] = "seed"
    stop: tuple[str, ...] = _STOPS
    chat: bool | None = None
    loss_on: Literal["answer", "all"] = "answer"
    keep_epochs: bool = False
    processes: int = 1
    max_new_tokens: int | None = None
    decode_batch: int = 0
    decoder: Literal["fast", "generate"] = "fast"
    # The benchmark's, for the system line; no options: `instruction` says it otherwise.
    source_language: str | None = field(init=False, default=None, repr=False)
    target_language: str | None = field(init=False, default=None, repr=False)
    _translator: PromptTranslator | None = field(init=False, default=None, repr=False)

    decoding_options: ClassVar[tuple[str, ...]] = (
        "stop", "max_new_tokens", "decode_batch", "decoder", "device", "processes",
    )  # fmt: skip

    def __post_init__(self) -> None:
        super().__post_init__()
        Prompt(template=self.prompt)
        if self.shots < 0 or self.processes < 1:
            raise ConfigError("'shots' must not be negative, 'processes' at least 1")
        if self.method == "lora" and self.shots:
            raise ConfigError("'shots' belong to method = \"prompt\"")
        if self.method == "lora" and self.chat:
            raise ConfigError("'chat' belongs to method = \"prompt\"")

    @property
    def learns(self) -> bool:
        """An adapter is trained and shots are drawn, with a seed; a bare prompt has neither."""
        return self.method == "lora" or self.shots > 0

    @property
    def trained_on(self) -> str | None:
        """A prompt teaches a model nothing: what it knows it had learned before."""
        return None if self.method == "lora" else "unknown"

    def train(self, data: TrainingData, model_dir: Path, seed: int) -> None:
        """Fine-tune the adapter, or choose and store the examples to show."""
        model_dir.mkdir(parents=True, exist_ok=True)
        if (model_dir / "llm.json").exists():
            return
        if self.method == "prompt":
            chosen = choose_shots(data.train, self.shots, seed, self.shot_choice)
            if len(chosen) < self.shots:
                raise DataError(f"{self.shots} shots asked for, {len(chosen)} training examples")
            shots = [[example.source, example.references[0]] for example in chosen]
            # Shots of runs before there was `chat` are shown as they were then.
            chat = self.chat is not False
            write_json(model_dir / "llm.json", {"method": "prompt", "shots": shots, "chat": chat})
            return
        pairs = learnable_pairs(data)
        if self.processes > 1:
            train_in_processes(to_plain(self), pairs, model_dir, seed)
        else:
            self.fine_tune(pairs, model_dir, seed)

    def load(self, model_dir: Path, checkpoint: str | None = None) -> Self:
        """Return the system with the adapter or the shots of a finished training."""
        try:
            record = json.loads((model_dir / "llm.json").read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise DataError(f"{model_dir} holds no finished training") from None
        weights = self._read_weights("causal")
        growth = _UNTRAINED_GROWTH
        if record["method"] == "lora":
            folder = model_dir / "checkpoints" / checkpoint if checkpoint else model_dir / "adapter"
            weights.model = merge_adapter(weights.model, folder)
            growth = record["growth"] * _TRAINED_ROOM
        self._translator = self._make_translator(
            weights, record.get("shots", ()), growth, chat=record.get("chat", False)
        )
        return self

    def checkpoints(self, model_dir: Path) -> list[str]:
        """Return the names of the adapters kept after each epoch (`keep_epochs`)."""
        names = [path.name for path in (model_dir / "checkpoints").glob("epoch-*")]
        return sorted(names, key=lambda name: int(name.removeprefix("epoch-")))

    def translate(self, sources: Sequence[str]) -> Iterator[str | Failure]:
        """Yield one translation per source, in order."""
        if self._translator is None:
            self._translator = self._make_translator(
                self._read_weights("causal"),
                (),
                _UNTRAINED_GROWTH,
                chat=self.method == "prompt" and self.chat is not False,
            )
        return self._translator.translate(sources)

    def describe(self) -> dict[str, object]:
        """Say how translations were made, for the run's record."""
        if self._translator is None:
            return {}
        return {
            **describe_weights(self._translator.weights),
            "decoder": self._translator.generation.path,
            "rows": self._translator.rows,
            **self._describe_chat(self._translator),
        }

    def recall(self, described: Mapping[str, Any]) -> None:
        """Go on counting what is taken off answers."""
        if self._translator is not None:
            self._translator.cleaner.recall(described.get("cleaned", {}))

    def close(self) -> None:
        """Let go of the model."""
        self._translator = None

    def fine_tune(self, pairs: Sequence[tuple[str, str]], model_dir: Path, seed: int) -> None:
        """Train the adapter in this process."""
        import torch

        from recombine.systems.neural.checkpoint import remove_state
        from recombine.systems.neural.distributed import World, join_world
        from recombine.systems.pretrained.training import (
            CausalRunner,
            fine_tune,
            learned_sequences,
        )

        weights = self._read_weights("causal")
        torch.manual_seed(seed)  # the adapter's random half
        adapted = self._adapted(weights.model, "CAUSAL_LM")
        model = adapted.get_base_model()
        prompt = Prompt(template=self.prompt, instruction=self.instruction)
        sequences = learned_sequences(
            weights.tokenizer,
            [prompt.render(source) for source, _ in pairs],
            [render_answer(target) for _, target in pairs],
            whole=self.loss_on == "all",
        )

        def keep(epoch: int) -> None:
            if self.keep_epochs:
                save_adapter(adapted, model_dir / "checkpoints" / f"epoch-{epoch}")

        self._require_room(model, max(len(sequence.tokens) for sequence in sequences))

        def runner(parameters: list[Any], world: World) -> CausalRunner:
            capture = weights.device.startswith("cuda") and world.size == 1
            return CausalRunner(
                choose_step(adapted, parameters, weights.device, capture=capture),
                sequences,
                batch_size=self.batch_size,
                pad_id=weights.tokenizer.pad_token_id,
                world=world,
            )

        summary = fine_tune(
            model,
            [len(sequence.tokens) for sequence in sequences],
            runner,
            self,
            seed=seed,
            device=weights.device,
            model_dir=model_dir,
            after_epoch=keep,
        )
        if not join_world(torch.device(weights.device)).leads:
            return
        save_adapter(adapted, model_dir / "adapter")
        write_json(model_dir / "llm.json", self._record(summary, weights, pairs))
        remove_state(model_dir)

    def _record(
        self, summary: dict[str, Any], weights: Weights, pairs: Sequence[tuple[str, str]]
    ) -> dict[str, Any]:
        def sizes(texts: list[str]) -> list[int]:
            return [
                len(tokens)
                for tokens in weights.tokenizer(texts, add_special_tokens=False)["input_ids"]
            ]

        sources = sizes([source for source, _ in pairs])
        answers = sizes([render_answer(target) for _, target in pairs])
        growth = max(
            growth_of(source, answer) for source, answer in zip(sources, answers, strict=True)
        )
        return {"method": "lora", "growth": growth, "training": summary}

    def _make_translator(
        self, weights: Weights, shots: Sequence[Sequence[str]], growth: float, *, chat: bool = False
    ) -> PromptTranslator:
        plain = Prompt(
            template=self.prompt,
            instruction=self.instruction,
            shots=tuple((source, target) for source, target in shots),
        )
        prompt: Prompt | ChatPrompt = plain
        stops = self.stop
        if self.chat and not weights.tokenizer.chat_template:
            raise ConfigError(f"chat = true, but the tokenizer of '{self.model}' has no template")
        if chat and weights.tokenizer.chat_template:
            line = self.instruction or system_line(self.source_language, self.target_language)
            prompt = ChatPrompt(tokenizer=weights.tokenizer, prompt=plain, system_line=line)
            weights.turn_end = prompt.turn_end()
            # An answer ends with its turn; the translation may stand below a line of preamble.
            stops = () if stops == _STOPS else stops
        return PromptTranslator(
            weights,
            prompt,
            stops=stops,
            limits=DecodingLimits(fixed=self.max_new_tokens, growth=growth),
            rows=self.decode_batch,
            decoder=self.decoder,
        )

    @staticmethod
    def _describe_chat(translator: PromptTranslator) -> dict[str, object]:
        if not isinstance(translator.prompt, ChatPrompt):
            return {}
        return {
            "chat": translator.prompt.system_line,
            "cleaned": translator.cleaner.described(),
        }

    def _require_room(self, model: Any, longest: int) -> None:
        room = getattr(model.config, "max_position_embeddings", None)
        if room is not None and longest > room:
            raise DataError(
                f"the longest training example has {longest} tokens, the model reads {room}"
            )
