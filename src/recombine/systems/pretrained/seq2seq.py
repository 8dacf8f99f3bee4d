"""`hf-seq2seq`: local Marian, NLLB, T5 and mBART style models, as they are or fine-tuned."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Literal, Self

from recombine.errors import ConfigError, DataError
from recombine.files import write_json
from recombine.systems.base import Failure, TrainingData, one_line
from recombine.systems.neural.windows import decode_in_windows, window_of
from recombine.systems.pretrained.base import (
    Pretrained,
    describe_weights,
    learnable_pairs,
    merge_adapter,
    save_adapter,
)
from recombine.systems.pretrained.weights import Weights


@dataclass(kw_only=True)
class HfSeq2Seq(Pretrained):
    """A Hugging Face encoder-decoder from a local folder.

    NLLB and mBART need their own language codes (`source_code`, `target_code`, such as
    "eng_Latn"); T5 wants a `prefix` ("translate English to German: "); Marian needs neither.
    """

    prefix: str = ""
    source_code: str | None = None
    target_code: str | None = None
    beams: int = 4
    max_new_tokens: int = 256
    decode_batch: int = 32
    fine_tune: Literal["no", "full", "lora"] = "no"
    learning_rate: float = 5e-5
    epochs: int = 3
    _weights: Weights | None = field(init=False, default=None, repr=False)

    decoding_options: ClassVar[tuple[str, ...]] = (
        "beams", "max_new_tokens", "decode_batch", "device",
    )  # fmt: skip

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("beams", "max_new_tokens", "decode_batch"):
            if getattr(self, name) < 1:
                raise ConfigError(f"'{name}' must be at least 1")
        if (self.source_code is None) != (self.target_code is None):
            raise ConfigError("'source_code' and 'target_code' belong together")

    @property
    def learns(self) -> bool:
        """Only fine-tuning learns, and draws anything."""
        return self.fine_tune != "no"

    def train(self, data: TrainingData, model_dir: Path, seed: int) -> None:
        """Fine-tune on the training split."""
        model_dir.mkdir(parents=True, exist_ok=True)
        done = model_dir / "hf-seq2seq.json"
        if done.exists():
            return
        pairs = learnable_pairs(data)
        import torch

        from recombine.systems.neural.checkpoint import remove_state
        from recombine.systems.pretrained.training import fine_tune

        weights = self._loaded(self.model)
        torch.manual_seed(seed)
        full = self.fine_tune == "full"
        trained = weights.model if full else self._adapted(weights.model, "SEQ_2_SEQ_LM")
        runner = _Runner(weights, [self._encoded(weights, *pair) for pair in pairs])
        summary = fine_tune(
            trained,
            [len(source) for source, _ in runner.examples],
            lambda _parameters, _world: runner,
            self,
            seed=seed,
            device=weights.device,
            model_dir=model_dir,
        )
        if full:
            shutil.rmtree(model_dir / "full", ignore_errors=True)  # what a kill left of it
            trained.save_pretrained(str(model_dir / "full"), safe_serialization=True)
            weights.tokenizer.save_pretrained(str(model_dir / "full"))
        else:
            save_adapter(trained, model_dir / "lora")
        write_json(done, {"fine_tune": self.fine_tune, "training": summary})
        remove_state(model_dir)

    def load(self, model_dir: Path) -> Self:
        """Return the system with its fine-tuned weights."""
        try:
            record = json.loads((model_dir / "hf-seq2seq.json").read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise DataError(f"{model_dir} holds no finished training") from None
        if record["fine_tune"] == "full":
            self._weights = self._loaded(str(model_dir / "full"))
            return self
        self._weights = self._loaded(self.model)
        self._weights.model = merge_adapter(self._weights.model, model_dir / "lora")
        return self

    def translate(self, sources: Sequence[str]) -> Iterator[str | Failure]:
        """Yield one translation per source, in order; batches hold sources of like length."""
        if self._weights is None:
            self._weights = self._loaded(self.model)
        weights = self._weights
        room = getattr(weights.model.config, "max_position_embeddings", None) or 1 << 30

        def too_long(tokens: list[int]) -> str:
            few = len(tokens) <= room
            return "" if few else f"the source has {len(tokens)} tokens, the model {room}"

        def decode(tokens: Mapping[int, list[int]], _: Sequence[str]) -> dict[int, str]:
            order = sorted(tokens, key=lambda place: (-len(tokens[place]), place))
            texts: dict[int, str] = {}
            for start in range(0, len(order), self.decode_batch):
                batch = order[start : start + self.decode_batch]
                outputs = self._generate(weights, [tokens[place] for place in batch], room)
                texts.update(zip(batch, outputs, strict=True))
            return texts

        yield from decode_in_windows(
            sources,
            window_of(self.decode_batch, weights.device),
            encode=lambda part: [self._source_tokens(weights, source) for source in part],
            too_long=too_long,
            decode=decode,
        )

    def describe(self) -> dict[str, object]:
        """Say how translations were made, for the run's record."""
        return {} if self._weights is None else describe_weights(self._weights)

    def close(self) -> None:
        """Let go of the model."""
        self._weights = None

    def _generate(self, weights: Weights, batch: list[list[int]], room: int) -> list[str]:
        import torch

        table, mask = _padded(batch, weights.tokenizer.pad_token_id, 0)
        with torch.inference_mode():
            output = weights.model.generate(
                input_ids=table.to(weights.device),
                attention_mask=mask.to(weights.device),
                num_beams=self.beams,
                do_sample=False,
                max_new_tokens=min(self.max_new_tokens, room - 1),
                **self._first_token(weights),
            )
        texts = weights.tokenizer.batch_decode(output, skip_special_tokens=True)
        return [one_line(text).strip() for text in texts]

    def _first_token(self, weights: Weights) -> dict[str, int]:
        """Return how generation is told the target language.

        NLLB and mBART-50 write its code before the text, where it is forced to be the first token
        generated; the first mBART writes it after the text, from where training moves it to the
        decoder's start.
        """
        if self.target_code is None:
            return {}
        code = self._code_id(weights, self.target_code)
        written = weights.tokenizer(text_target="")["input_ids"]
        at_the_end = code in written and written[0] != code
        return {"decoder_start_token_id" if at_the_end else "forced_bos_token_id": code}

    def _source_tokens(self, weights: Weights, source: str) -> list[int]:
        tokens: list[int] = weights.tokenizer(self.prefix + one_line(source))["input_ids"]
        return tokens

    def _encoded(self, weights: Weights, source: str, target: str) -> tuple[list[int], list[int]]:
        labels = weights.tokenizer(text_target=one_line(target))["input_ids"]
        return self._source_tokens(weights, source), labels

    def _code_id(self, weights: Weights, code: str) -> int:
        token = weights.tokenizer.convert_tokens_to_ids(code)
        if token is None or token == weights.tokenizer.unk_token_id:
            raise ConfigError(f"the model knows no language code '{code}'")
        return int(token)

    def _loaded(self, name: str) -> Weights:
        weights = self._read_weights("seq2seq", name)
        if self.source_code is not None and self.target_code is not None:
            self._code_id(weights, self.source_code)
            self._code_id(weights, self.target_code)
            weights.tokenizer.src_lang = self.source_code
            weights.tokenizer.tgt_lang = self.target_code
        return weights


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
        rows = [self.examples[place] for place in chosen]
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
