"""`hf-seq2seq`: local Marian, NLLB, T5 and mBART style models, as they are or fine-tuned."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Literal, Self

from recombine.benchmark import Example
from recombine.cost import Cost
from recombine.errors import ConfigError, DataError
from recombine.files import write_json
from recombine.registry import require
from recombine.systems.base import Failure, TrainingData
from recombine.systems.llm.training import Recipe, checkpoint_of, fine_tune
from recombine.systems.llm.weights import Weights, load_weights
from recombine.systems.neural_cost import (
    FORWARD,
    LEARN,
    LEARN_ADAPTER,
    decoding_cost,
    learning_cost,
    mean_tokens,
    stored_parameters,
)
from recombine.systems.translation import one_line

_WINDOW = 16  # batches sorted by length together, and so held back until all are done


@dataclass(kw_only=True)
class HfSeq2Seq:
    """A Hugging Face encoder-decoder from a local folder.

    NLLB and mBART need their own language codes (`source_code`, `target_code`, such as
    "eng_Latn"); T5 wants a `prefix` ("translate English to German: "); Marian needs neither.
    """

    model: str
    allow_hub: bool = False
    prefix: str = ""
    source_code: str | None = None
    target_code: str | None = None
    beams: int = 4
    max_new_tokens: int = 256
    decode_batch: int = 32
    fine_tune: Literal["no", "full", "lora"] = "no"
    rank: int = 8
    alpha: int = 32
    dropout: float = 0.1
    target_modules: tuple[str, ...] = ()
    learning_rate: float = 5e-5
    batch_size: int = 64
    epochs: int = 3
    max_steps: int | None = None
    warmup_steps: int = 0
    weight_decay: float = 0.0
    max_grad_norm: float = 1.0
    save_every: int = 500
    device: str = "auto"
    dtype: Literal["auto", "float32", "bfloat16", "float16"] = "auto"
    _weights: Weights | None = field(init=False, default=None, repr=False)

    decoding_options: ClassVar[tuple[str, ...]] = (
        "beams", "max_new_tokens", "decode_batch", "device",
    )  # fmt: skip

    def __post_init__(self) -> None:
        for name in ("beams", "max_new_tokens", "decode_batch", "batch_size"):
            if getattr(self, name) < 1:
                raise ConfigError(f"'{name}' must be at least 1")
        if (self.source_code is None) != (self.target_code is None):
            raise ConfigError("'source_code' and 'target_code' belong together")

    def train(self, data: TrainingData, model_dir: Path, seed: int) -> None:
        """Fine-tune on the training split, or note that the model is used as it is."""
        model_dir.mkdir(parents=True, exist_ok=True)
        done = model_dir / "hf-seq2seq.json"
        if done.exists():
            return
        if self.fine_tune == "no":
            write_json(done, {"fine_tune": "no"})
            return
        pairs = [(one.source, one.references[0]) for one in data.train if one.references]
        if not pairs:
            raise DataError("no training example has a reference to learn from")
        import torch

        weights = self._loaded(self.model)
        torch.manual_seed(seed)
        trained = self._trainable(weights.model)
        runner = _Runner(weights, [self._encoded(weights, *pair) for pair in pairs])
        made = fine_tune(
            trained,
            [len(source) for source, _ in runner.examples],
            lambda _parameters, _rank, _world: runner,
            self._recipe(),
            seed=seed,
            device=weights.device,
            checkpoint=checkpoint_of(model_dir),
        )
        trained.save_pretrained(str(model_dir / self.fine_tune), safe_serialization=True)
        if self.fine_tune == "full":
            weights.tokenizer.save_pretrained(str(model_dir / "full"))
        write_json(done, {"fine_tune": self.fine_tune, "training": asdict(made)})
        checkpoint_of(model_dir).remove()

    def load(self, model_dir: Path) -> Self:
        """Return the system with its fine-tuned weights, or the original ones."""
        try:
            made = json.loads((model_dir / "hf-seq2seq.json").read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise DataError(f"{model_dir} holds no finished training") from None
        if made["fine_tune"] == "full":
            self._weights = self._loaded(str(model_dir / "full"))
            return self
        self._weights = self._loaded(self.model)
        if made["fine_tune"] == "lora":
            peft = require("peft", extra="llm", feature="LoRA")
            adapted = peft.PeftModel.from_pretrained(self._weights.model, str(model_dir / "lora"))
            self._weights.model = adapted.merge_and_unload().eval()
        return self

    def translate(self, sources: Sequence[str]) -> Iterator[str | Failure]:
        """Yield one translation per source, in order; batches hold sources of like length."""
        if self._weights is None:
            self._weights = self._loaded(self.model)
        window = self.decode_batch * _WINDOW
        for start in range(0, len(sources), window):
            yield from self._window(self._weights, sources[start : start + window])

    def training_cost(self, examples: Sequence[Example], pairs: int) -> Cost:
        """Estimate a fine-tuning from the model's size and the length of some examples."""
        if self.fine_tune == "no":
            return Cost(0.0, "the model is used as it is")
        texts = [f"{one.source} {one.references[0]}" for one in examples if one.references]
        shown = pairs * self.epochs
        if self.max_steps is not None:
            shown = min(shown, self.max_steps * self.batch_size)
        factor = LEARN if self.fine_tune == "full" else LEARN_ADAPTER
        operations = factor * stored_parameters(self.model) * shown * mean_tokens(texts)
        return learning_cost(operations, self.device)

    def translation_cost(self, sources: Sequence[str], sentences: int) -> Cost:
        """Estimate a translation from the model's size and the length of some sources."""
        each = (1 + self.beams) * mean_tokens(sources)
        return decoding_cost(
            FORWARD * stored_parameters(self.model) * sentences * each, self.device
        )

    def describe(self) -> dict[str, object]:
        """Say how translations were made, for the run's record."""
        if self._weights is None:
            return {}
        import transformers

        model = self._weights.model
        return {
            "architecture": type(model).__name__,
            "parameters": sum(one.numel() for one in model.parameters()),
            "device": self._weights.device,
            "dtype": str(model.dtype).removeprefix("torch."),
            "transformers": str(transformers.__version__),
        }

    def close(self) -> None:
        """Let go of the model."""
        self._weights = None

    def _window(self, weights: Weights, sources: Sequence[str]) -> list[str | Failure]:
        tokens = [self._source_tokens(weights, source) for source in sources]
        room = getattr(weights.model.config, "max_position_embeddings", None) or 1 << 30
        results: list[str | Failure] = [""] * len(sources)
        fitting = []
        for place, one in enumerate(tokens):
            if len(one) > room:
                results[place] = Failure(f"the source has {len(one)} tokens, the model {room}")
            else:
                fitting.append(place)
        order = sorted(fitting, key=lambda place: (-len(tokens[place]), place))
        for start in range(0, len(order), self.decode_batch):
            batch = order[start : start + self.decode_batch]
            made = self._generate(weights, [tokens[place] for place in batch], room)
            for place, text in zip(batch, made, strict=True):
                results[place] = text
        return results

    def _generate(self, weights: Weights, batch: list[list[int]], room: int) -> list[str]:
        import torch

        table, mask = _padded(batch, weights.tokenizer.pad_token_id, 0)
        options: dict[str, Any] = {}
        if self.target_code is not None:
            options["forced_bos_token_id"] = self._code_id(weights, self.target_code)
        with torch.inference_mode():
            output = weights.model.generate(
                input_ids=table.to(weights.device),
                attention_mask=mask.to(weights.device),
                num_beams=self.beams,
                do_sample=False,
                max_new_tokens=min(self.max_new_tokens, room - 1),
                **options,
            )
        texts = weights.tokenizer.batch_decode(output, skip_special_tokens=True)
        return [one_line(text).strip() for text in texts]

    def _source_tokens(self, weights: Weights, source: str) -> list[int]:
        found: list[int] = weights.tokenizer(self.prefix + one_line(source))["input_ids"]
        return found

    def _encoded(self, weights: Weights, source: str, target: str) -> tuple[list[int], list[int]]:
        labels = weights.tokenizer(text_target=one_line(target))["input_ids"]
        return self._source_tokens(weights, source), labels

    def _code_id(self, weights: Weights, code: str) -> int:
        found = weights.tokenizer.convert_tokens_to_ids(code)
        if found is None or found == weights.tokenizer.unk_token_id:
            raise ConfigError(f"the model knows no language code '{code}'")
        return int(found)

    def _loaded(self, name: str) -> Weights:
        weights = load_weights(
            name, kind="seq2seq", allow_hub=self.allow_hub, dtype=self.dtype, device=self.device
        )
        if self.source_code is not None and self.target_code is not None:
            self._code_id(weights, self.source_code)
            self._code_id(weights, self.target_code)
            weights.tokenizer.src_lang = self.source_code
            weights.tokenizer.tgt_lang = self.target_code
        return weights

    def _trainable(self, model: Any) -> Any:
        if self.fine_tune == "full":
            return model
        peft = require("peft", extra="llm", feature="LoRA")
        config = peft.LoraConfig(
            r=self.rank,
            lora_alpha=self.alpha,
            lora_dropout=self.dropout,
            target_modules=list(self.target_modules) or None,
            task_type="SEQ_2_SEQ_LM",
        )
        return peft.get_peft_model(model, config)

    def _recipe(self) -> Recipe:
        return Recipe(
            learning_rate=self.learning_rate,
            batch_size=self.batch_size,
            epochs=self.epochs,
            max_steps=self.max_steps,
            warmup_steps=self.warmup_steps,
            weight_decay=self.weight_decay,
            max_grad_norm=self.max_grad_norm,
            save_every=self.save_every,
        )


class _Runner:
    """Loss and gradients of source and target pairs by the model's own loss."""

    path = "eager"

    def __init__(self, weights: Weights, examples: list[tuple[list[int], list[int]]]) -> None:
        import torch

        self.weights = weights
        self.examples = examples
        self.total = torch.zeros((), device=weights.device)

    def run(self, chosen: Sequence[int]) -> None:
        """Set the gradients of one batch."""
        rows = [self.examples[one] for one in chosen]
        table, mask = _padded([row[0] for row in rows], self.weights.tokenizer.pad_token_id, 0)
        labels, _ = _padded([row[1] for row in rows], -100, 0)
        self.weights.model.zero_grad(set_to_none=True)
        device = self.weights.device
        loss = self.weights.model(
            input_ids=table.to(device), attention_mask=mask.to(device), labels=labels.to(device)
        ).loss
        loss.backward()
        self.total.add_(loss.detach())


def _padded(rows: Sequence[Sequence[int]], pad: int, blank: int) -> tuple[Any, Any]:
    import torch

    width = max(map(len, rows))
    table = torch.tensor([[*row, *[pad] * (width - len(row))] for row in rows])
    mask = torch.tensor([[*[1] * len(row), *[blank] * (width - len(row))] for row in rows])
    return table, mask
