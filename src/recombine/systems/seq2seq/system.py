"""The registered systems `transformer` and `lstm`: options, train, load, translate."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from recombine.benchmark import Example
from recombine.errors import DataError
from recombine.files import read_json
from recombine.registry import require
from recombine.systems.base import Failure, TrainingData
from recombine.systems.cost import Cost
from recombine.systems.seq2seq.options import LstmOptions, Options, TransformerOptions


class _Trained(Options):
    """What both systems do; their options differ and, as bases, come before this one to count."""

    _decoder: Any = None

    def train(self, data: TrainingData, model_dir: Path, seed: int) -> None:
        """Train into `model_dir`, going on from what an interrupted call left there."""
        self.train_many(data, {seed: model_dir})

    def train_many(self, data: TrainingData, model_dirs: Mapping[int, Path]) -> None:
        """Train several seeds, side by side where the device is a GPU."""
        require("torch", extra="train", feature="training")
        from recombine.systems.seq2seq.training import train_many

        train_many(data, model_dirs, self)

    def prepare(self, data: TrainingData, model_dir: Path) -> None:
        """Learn vocabularies and encode the pairs only; `train` then needs no segmenter."""
        require("torch", extra="train", feature="training")
        from recombine.systems.seq2seq.corpus import prepare

        prepare(data.train, data.dev, self, model_dir)

    def checkpoints(self, model_dir: Path) -> list[str]:
        """Return the names of the kept checkpoints, in order of step."""
        require("torch", extra="train", feature="decoding")
        from recombine.systems.seq2seq.checkpoint import checkpoints

        return checkpoints(model_dir)

    def load(self, model_dir: Path, checkpoint: str | None = None) -> Self:
        """Return the trained system: the best weights, or those of a kept checkpoint."""
        require("torch", extra="train", feature="decoding")
        import torch

        from recombine.systems.device import choose_device
        from recombine.systems.seq2seq.checkpoint import fitting, read_tensors, weights_file
        from recombine.systems.seq2seq.search import Decoder
        from recombine.systems.seq2seq.training import build_model, configure
        from recombine.systems.seq2seq.vocabulary import Vocabulary

        path = weights_file(model_dir, checkpoint)
        stored = read_json(model_dir / "options.json")
        trained = type(self)(**{**stored["options"], "preset": None})
        device = choose_device(self.device)
        configure(self, device)
        source, target = (
            Vocabulary.read(model_dir / "data" / f"{side}.json") for side in ("source", "target")
        )
        model = build_model(trained, len(source), len(target))
        tensors = {
            name.removeprefix("model."): tensor
            for name, tensor in read_tensors(path).items()
            if not name.startswith("adam.")
        }
        fitting(path, tensors, model.state_dict())
        model.load_state_dict(tensors)
        dtype = torch.bfloat16 if self.decode_precision == "bfloat16" else torch.float32
        for name in ("positions", "max_length"):
            # Decoding options are the caller's, the model's own are the stored ones.
            if hasattr(trained, name):
                setattr(self, name, getattr(trained, name))
        if self.engine == "ctranslate2":
            from recombine.systems.seq2seq.fast.ctranslate import CTranslateDecoder

            self._decoder = CTranslateDecoder(model.eval(), source, target, self, self.threads)
        else:
            self._decoder = Decoder(model.to(device, dtype).eval(), source, target, self, device)
        return self

    def translate(self, sources: Sequence[str]) -> Iterator[str | Failure]:
        """Yield one translation per source, in order."""
        if self._decoder is None:
            raise DataError(
                "this system is not trained yet", hint="train it, or load a model directory"
            )
        translations: Iterator[str | Failure] = self._decoder.translate(sources)
        return translations

    def training_cost(self, examples: Sequence[Example], pairs: int) -> Cost:
        """Estimate a training from the model's size and the length of some examples."""
        from recombine.systems.cost import LEARN, learning_cost

        steps = self.steps * self.sentences_per_step
        operations = (
            LEARN
            * steps
            * self._operations(
                [example.source for example in examples],
                [example.references[0] for example in examples if example.references],
            )
        )
        if self.batch_unit == "tokens":
            tokens = sum(self._pieces(example.source, self.source_subwords) for example in examples)
            operations /= max(1.0, tokens / max(1, len(examples)))
        cost = learning_cost(operations, self.device, steps=self.steps)
        if self.max_minutes and cost.seconds > 60 * self.max_minutes:
            return Cost(60 * self.max_minutes, "max_minutes")
        return cost

    def translation_cost(self, sources: Sequence[str], sentences: int) -> Cost:
        """Estimate a translation from the model's size and the length of some sources."""
        from recombine.systems.cost import FORWARD, decoding_cost

        each = FORWARD * self.beam * self._operations(sources, sources)
        return decoding_cost(sentences * each, self.device)

    def _operations(self, sources: Sequence[str], targets: Sequence[str]) -> float:
        """Return parameters times tokens of an average pair."""
        encoder, decoder = self.parameters()
        source_tokens, target_tokens = (
            sum(self._pieces(text, subwords) for text in texts) / max(1, len(texts))
            for texts, subwords in (
                (sources, self.source_subwords),
                (targets, self.target_subwords),
            )
        )
        return encoder * source_tokens + decoder * target_tokens

    @staticmethod
    def _pieces(text: str, subwords: str) -> float:
        if subwords == "char":
            return len(text)
        words = len(text.split())
        # Pieces of small vocabularies have about three letters.
        return words if subwords == "word" else max(words, len(text) / 3)

    @abstractmethod
    def parameters(self) -> tuple[int, int]:
        """Return the number of weights in the encoder and in the decoder with its output layer."""

    def describe(self) -> dict[str, Any]:
        """Return versions and device, kept with a run."""
        torch = require("torch", extra="train", feature="decoding")
        from recombine.systems.device import choose_device

        device = choose_device(self.device)
        name = torch.cuda.get_device_name(device) if device.type == "cuda" else "cpu"
        return {
            "torch": str(torch.__version__),
            "device": name,
            "engine": self.engine,
            "decode_precision": self.decode_precision,
            "batch": self.decode_batch or "auto",
            "beam": self.beam,
        }

    def close(self) -> None:
        """Let go of the model."""
        self._decoder = None


@dataclass(kw_only=True, init=False)
class TransformerSystem(TransformerOptions, _Trained):
    """A Transformer trained from scratch on the benchmark's training split."""

    def parameters(self) -> tuple[int, int]:
        """Return the number of weights in the encoder and in the decoder with its output layer."""
        attention, forward = 4 * self.width**2, 2 * self.width * self.feed_forward
        output = self.width * self.target_vocabulary_size
        return (
            self.encoder_layers * (attention + forward),
            self.decoder_layers * (2 * attention + forward) + output,
        )


@dataclass(kw_only=True, init=False)
class LstmSystem(LstmOptions, _Trained):
    """An LSTM with attention trained from scratch on the benchmark's training split."""

    def parameters(self) -> tuple[int, int]:
        """Return the number of weights in the encoder and in the decoder with its output layer."""
        # Four gates, each over the input and the state; the decoder attends besides.
        layer = 8 * self.width**2
        output = self.width * (2 * self.width + self.target_vocabulary_size)
        fed = 4 * self.width**2 if self.input_feeding else 0
        return self.encoder_layers * layer, self.decoder_layers * layer + fed + output
