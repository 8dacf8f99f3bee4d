"""What every pretrained Hugging Face model that can be fine-tuned shares."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal

from recombine.errors import ConfigError, DataError
from recombine.registry import require
from recombine.systems.base import TrainingData
from recombine.systems.pretrained.weights import Weights, load_weights

# The layers Hu et al. 2021 (section 4.2) adapt, and peft for most models it knows.
_QUERIES_AND_VALUES = ("q_proj", "v_proj")


@dataclass(kw_only=True)
class TuningRecipe:
    """How to train; the defaults are those of Kumon et al. 2024 for Llama 2 and, where the paper
    is silent, those of the Hugging Face trainer.
    """

    learning_rate: float = 1e-4
    batch_size: int = 64
    epochs: int = 8
    max_steps: int | None = None
    warmup_steps: int = 0
    weight_decay: float = 0.0
    max_grad_norm: float = 1.0
    save_every: int = 500


@dataclass(kw_only=True)
class Pretrained(TuningRecipe):
    """The options of a model from a local folder or file, of its adapter and of its training.

    The defaults are those of Kumon et al. 2024 for Llama 2.
    """

    pretrained: ClassVar[bool] = True
    model: str
    allow_hub: bool = False
    rank: int = 8
    alpha: int = 32
    dropout: float = 0.1
    target_modules: tuple[str, ...] = ()
    device: str = "auto"
    dtype: Literal["auto", "float32", "bfloat16", "float16"] = "auto"

    def __post_init__(self) -> None:
        for name in ("batch_size", "epochs", "save_every"):
            if getattr(self, name) < 1:
                raise ConfigError(f"'{name}' must be at least 1")

    def _read_weights(self, kind: Literal["causal", "seq2seq"], name: str | None = None) -> Weights:
        return load_weights(
            name or self.model,
            kind=kind,
            allow_hub=self.allow_hub,
            dtype=self.dtype,
            device=self.device,
        )

    def _adapted(self, model: Any, task: Literal["CAUSAL_LM", "SEQ_2_SEQ_LM"]) -> Any:
        peft = require("peft", extra="llm", feature="LoRA")
        lora_targets = peft.utils.TRANSFORMERS_MODELS_TO_LORA_TARGET_MODULES_MAPPING
        targets: list[str] | None = list(self.target_modules) or None
        if targets is None and model.config.model_type not in lora_targets:
            targets = list(_QUERIES_AND_VALUES)  # Marian, NLLB and mBART among others
        config = peft.LoraConfig(
            r=self.rank,
            lora_alpha=self.alpha,
            lora_dropout=self.dropout,
            target_modules=targets,
            task_type=task,
            bias="none",
        )
        try:
            return peft.get_peft_model(model, config)
        except ValueError as error:
            raise ConfigError(
                f"no layer of this model is called {' or '.join(targets or ())}",
                hint="name the layers to adapt in 'target_modules'",
            ) from error


def learnable_pairs(data: TrainingData) -> list[tuple[str, str]]:
    """Return source and first reference of every training example that has one."""
    pairs = [
        (example.source, example.references[0]) for example in data.train if example.references
    ]
    if not pairs:
        raise DataError("no training example has a reference to learn from")
    return pairs


def save_adapter(adapted: Any, folder: Path) -> None:
    """Store a LoRA adapter as safetensors."""
    shutil.rmtree(folder, ignore_errors=True)  # what a kill left of it
    # Left to itself, peft asks the hub whether the vocabulary has grown; it cannot have.
    adapted.save_pretrained(str(folder), safe_serialization=True, save_embedding_layers=False)


def merge_adapter(model: Any, folder: Path) -> Any:
    """Return the model with a stored adapter added to its weights, where it costs nothing."""
    peft = require("peft", extra="llm", feature="LoRA")
    if not (folder / "adapter_config.json").exists():
        raise DataError(f"no adapter in {folder}")  # peft would ask the hub for it
    return peft.PeftModel.from_pretrained(model, str(folder)).merge_and_unload().eval()


def describe_weights(weights: Weights) -> dict[str, object]:
    """Say which model runs where, for the run's record."""
    import torch
    import transformers

    return {
        "architecture": type(weights.model).__name__,
        "parameters": sum(parameter.numel() for parameter in weights.model.parameters()),
        "device": weights.device,
        "dtype": str(weights.model.dtype).removeprefix("torch."),
        "torch": str(torch.__version__),
        "transformers": str(transformers.__version__),
    }
