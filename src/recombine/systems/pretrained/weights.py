"""Pretrained weights from a local folder or GGUF file; from the hub only when told so."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from pickle import UnpicklingError
from typing import Any

from recombine.errors import ConfigError
from recombine.progress import only_ours, progress
from recombine.registry import require


@dataclass
class Weights:
    """A model with its tokeniser, on its device."""

    model: Any
    tokenizer: Any
    device: str
    turn_end: int | None = None


def load_weights(
    name: str, *, kind: str, allow_hub: bool, dtype: str = "auto", device: str = "auto"
) -> Weights:
    """Load a causal (`kind` "causal") or sequence-to-sequence ("seq2seq") model.

    Code inside a model folder is never executed: ``trust_remote_code`` is false here and there is
    no option for it. Weights are read from safetensors or GGUF; where a folder has only
    `pytorch_model.bin`, by torch's reader of tensors (``weights_only``), which runs nothing that a
    pickle says.
    """
    transformers = require("transformers", extra="llm", feature="a Hugging Face model")
    _be_quiet(transformers)
    where = _place(name, allow_hub)
    # Inside: torch is needed only now.
    from recombine.systems.neural.device import choose_device, choose_dtype

    chosen = choose_device(device)
    classes = {
        "causal": transformers.AutoModelForCausalLM,
        "seq2seq": transformers.AutoModelForSeq2SeqLM,
    }
    safe: dict[str, Any] = {"use_safetensors": not _only_pickled(where), "weights_only": True}
    if "gguf_file" in where:
        # Dense weights: packed ones cannot be trained, and their kernels would be downloaded.
        safe = {"quantization_config": transformers.GgufConfig(dequantize=True)}
    try:
        # The conversion of GGUF files draws its own bar, terminal or not.
        with progress(f"load {Path(name).name}"), only_ours():
            tokenizer = transformers.AutoTokenizer.from_pretrained(**where, trust_remote_code=False)
            model = classes[kind].from_pretrained(
                **where, **safe, dtype=choose_dtype(dtype, chosen), trust_remote_code=False
            )
    except UnpicklingError as error:
        raise ConfigError(
            f"cannot load the model '{name}': pytorch_model.bin holds more than tensors",
            hint="pickled code is never run; use a model.safetensors",
        ) from error
    except (OSError, ValueError, ImportError) as error:
        raise ConfigError(f"cannot load the model '{name}': {_first_line(error)}") from error
    if "gguf_file" in where:
        _forget_packing(model)
    if tokenizer.pad_token_id is None:
        tokenizer.pad_token = tokenizer.eos_token or tokenizer.unk_token
    return Weights(model.to(chosen).eval(), tokenizer, str(chosen))


def end_ids(weights: Weights) -> tuple[int, ...]:
    """Return every token id that ends a generation."""
    ids: set[int] = set()
    for value in (
        weights.tokenizer.eos_token_id,
        getattr(weights.model.generation_config, "eos_token_id", None),
        weights.turn_end,
    ):
        if isinstance(value, int):
            ids.add(value)
        elif value is not None:
            ids.update(value)
    return tuple(sorted(ids))


def _place(name: str, allow_hub: bool) -> dict[str, Any]:
    path = Path(name).expanduser()
    if path.is_file() and path.suffix == ".gguf":
        require("gguf", extra="llm", feature="a GGUF model")
        return {
            "pretrained_model_name_or_path": str(path.parent),
            "gguf_file": path.name,
            "local_files_only": True,
        }
    if path.is_dir():
        return {"pretrained_model_name_or_path": str(path), "local_files_only": True}
    if not allow_hub:
        raise ConfigError(
            f"no model folder or .gguf file '{name}'",
            hint="give a local path; allow_hub = true lets it be downloaded from the hub by name",
        )
    return {"pretrained_model_name_or_path": name}


def _only_pickled(where: Mapping[str, Any]) -> bool:
    """Whether a local folder holds weights in no other form than torch's pickles."""
    folder = Path(where["pretrained_model_name_or_path"])
    return any(folder.glob("pytorch_model*.bin")) and not any(folder.glob("*.safetensors"))


def _forget_packing(model: Any) -> None:
    """Let a model read from GGUF be what it is now: dense, to be trained and stored like others."""
    model.hf_quantizer = None
    if hasattr(model.config, "quantization_config"):
        del model.config.quantization_config


def _be_quiet(transformers: Any) -> None:
    transformers.utils.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()


def _first_line(error: Exception) -> str:
    return next((line for line in str(error).splitlines() if line.strip()), type(error).__name__)
