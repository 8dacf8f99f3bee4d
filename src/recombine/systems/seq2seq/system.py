"""The registered systems `transformer` and `lstm`: options, train, load, translate."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from recombine.errors import DataError
from recombine.files import read_json
from recombine.registry import require
from recombine.systems.base import Failure, TrainingData
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

        from recombine.systems.neural.checkpoint import fitting, read_tensors
        from recombine.systems.neural.device import choose_device
        from recombine.systems.seq2seq.checkpoint import weights_file
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

    def describe(self) -> dict[str, Any]:
        """Return versions and device, kept with a run."""
        torch = require("torch", extra="train", feature="decoding")
        from recombine.systems.neural.device import choose_device

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


@dataclass(kw_only=True, init=False)
class LstmSystem(LstmOptions, _Trained):
    """An LSTM with attention trained from scratch on the benchmark's training split."""
