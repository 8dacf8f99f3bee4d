"""Every choice of a from-scratch system, and the presets that name a whole set of choices.

The defaults are the Transformer of the SGET paper (Kumon et al. 2024, section 4.1.1 and appendix C:
Adam at 1e-4, here constant, 256 sentences a step, 70,000 steps; from the released OpenNMT-py
configuration: dropout 0.1, no label smoothing, relative positions clipped at 20). A preset is a
TOML file under data/presets; what the user writes wins over the preset, and the preset wins over
the defaults.
"""

from __future__ import annotations

import dataclasses
import difflib
import hashlib
import json
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, get_type_hints

from recombine.config import parse_config, read_toml, to_plain
from recombine.errors import ConfigError
from recombine.registry import data_path

Subwords = Literal["bpe", "sentencepiece", "word", "char"]
Segmenter = Literal["none", "sudachi"]


@dataclass(kw_only=True, init=False)
class Options:
    """The options shared by the Transformer and the LSTM."""

    kind: ClassVar[str]  # the name of the system that they are for

    preset: str | None = None

    # Vocabulary
    source_subwords: Subwords = "bpe"
    target_subwords: Subwords = "bpe"
    source_vocabulary_size: int = 300
    target_vocabulary_size: int = 650
    source_segmenter: Segmenter = "none"
    target_segmenter: Segmenter = "none"
    lowercase: bool = False

    # Model
    encoder_layers: int = 6
    decoder_layers: int = 6
    width: int = 512
    dropout: float = 0.1
    tie_embeddings: bool = False
    # Times sqrt(width), as Vaswani et al. 2017 (section 3.4) have it; OpenNMT-py does so only with
    # absolute positions.
    scale_embeddings: bool = True
    max_length: int = 256

    # Training
    steps: int = 70_000
    batch_size: int = 256
    batch_unit: Literal["sentences", "tokens"] = "sentences"
    batch_by_length: bool = False
    accumulate: int = 1
    learning_rate: float = 1e-4
    schedule: Literal["constant", "inverse_sqrt", "noam", "linear"] = "constant"
    warmup: int = 0
    # From this step on (0: never) the rate is halved, and again every so many steps.
    halve_from: int = 0
    halve_every: int = 10_000
    adam_beta1: float = 0.9
    adam_beta2: float = 0.998
    adam_epsilon: float = 1e-8
    weight_decay: float = 0.0
    label_smoothing: float = 0.0
    # Weight of R-Drop's consistency of two dropout passes (Liang et al. 2021, equation 4: alpha; 5
    # in their translation). A step takes twice as long; 0: one pass.
    rdrop_weight: float = 0.0
    clip_norm: float = 0.0

    # Watching
    log_every: int = 100
    evaluate_every: int = 5_000
    checkpoint_every: int = 10_000
    keep_checkpoints: bool = False
    dev_sample: int = 0
    # Which dev score chooses the checkpoint. Natural text is never translated exactly: use "chrf".
    select: Literal["exact", "chrf"] = "exact"
    max_minutes: float = 0.0

    # Decoding
    engine: Literal["torch", "ctranslate2"] = "torch"
    beam: int = 1
    length_penalty: float = 1.0
    decode_batch: int = 0  # 512 sentences on a CPU, 4,096 on a GPU
    max_output_ratio: float = 2.0
    max_output_extra: int = 20

    # Machine
    device: str = "auto"
    precision: Literal["auto", "float32", "bfloat16"] = "auto"
    decode_precision: Literal["float32", "bfloat16"] = "float32"
    threads: int = 0
    deterministic: bool = False
    fused: bool = True
    graphs: bool = True

    def __init__(self, **given: Any) -> None:
        fields = {field.name: field for field in dataclasses.fields(self) if field.init}
        for name in given:
            if name not in fields:
                close = difflib.get_close_matches(name, fields, n=1)
                raise ConfigError(
                    f"unknown option '{name}'",
                    hint=f"did you mean '{close[0]}'?" if close else None,
                )
        preset = given.get("preset")
        values = {**(_preset_values(type(self), preset) if preset else {}), **given}
        for name, field in fields.items():
            setattr(self, name, values.get(name, field.default))
        self.check()

    def check(self) -> None:
        """Raise ConfigError when values contradict each other."""
        for name in ("encoder_layers", "decoder_layers", "width", "steps", "batch_size", "beam"):
            if getattr(self, name) < 1:
                raise ConfigError(f"'{name}' must be at least 1, not {getattr(self, name)}")
        for name in (
            "log_every", "evaluate_every", "checkpoint_every", "accumulate", "halve_every",
        ):  # fmt: skip
            if getattr(self, name) < 1:
                raise ConfigError(f"'{name}' must be at least 1, not {getattr(self, name)}")
        if not 0 <= self.dropout < 1:
            raise ConfigError(f"'dropout' must be in [0, 1), not {self.dropout}")
        if self.rdrop_weight < 0:
            raise ConfigError(f"'rdrop_weight' must be at least 0, not {self.rdrop_weight}")
        if self.batch_by_length and self.batch_unit == "tokens":
            raise ConfigError("'batch_by_length' goes with batch_unit 'sentences' only")
        if self.schedule != "constant" and self.warmup < 1:
            raise ConfigError(f"schedule '{self.schedule}' needs 'warmup' steps")

    @property
    def sentences_per_step(self) -> int:
        """How many sentences (or tokens) one optimiser step sees."""
        return self.batch_size * self.accumulate

    def identity(self) -> dict[str, Any]:
        """Return what decides the trained weights: everything but watching, decoding, machine."""
        plain: dict[str, Any] = to_plain(self)
        return {key: value for key, value in plain.items() if key not in _NO_PART_OF_IDENTITY}


@dataclass(kw_only=True, init=False)
class TransformerOptions(Options):
    """Choices that only a Transformer has."""

    kind = "transformer"

    feed_forward: int = 2048
    heads: int = 8
    positions: Literal["relative", "sinusoidal", "learned", "rope", "none"] = "relative"
    max_relative: int = 20
    norm: Literal["pre", "post"] = "pre"
    shared_layers: bool = False
    attention_dropout: float = 0.1
    activation_dropout: float = 0.1

    def check(self) -> None:
        """Raise ConfigError when values contradict each other."""
        super().check()
        if self.width % self.heads:
            raise ConfigError(f"'width' {self.width} is not a multiple of 'heads' {self.heads}")
        if self.positions == "rope" and self.width // self.heads % 2:
            raise ConfigError("'rope' needs an even width per head")


@dataclass(kw_only=True, init=False)
class LstmOptions(Options):
    """Choices that only an LSTM has; 4 + 4 layers as in the SGET paper (appendix C)."""

    kind = "lstm"

    encoder_layers: int = 4
    decoder_layers: int = 4
    bidirectional: bool = False
    # The attentional state goes into the decoder again (Luong et al. 2015, section 3.3).
    input_feeding: bool = False
    # A recurrent net takes as many steps as its longest sentence has pieces.
    batch_by_length: bool = True


# None of these changes what a given number of steps computes, so a run may go on with others.
_NO_PART_OF_IDENTITY = frozenset({
    "preset", "steps", "log_every", "evaluate_every", "checkpoint_every", "keep_checkpoints",
    "select", "dev_sample", "max_minutes", "engine", "beam", "length_penalty", "decode_batch",
    "max_output_ratio", "max_output_extra", "device", "decode_precision", "threads",
    "deterministic", "fused", "graphs",
})  # fmt: skip


def preset_names() -> list[str]:
    """Return the names of the shipped presets of these systems (others have presets, too)."""
    paths = sorted(data_path("presets").glob("*.toml"))
    return [path.stem for path in paths if "system" in read_toml(path).data]


def fingerprint(value: Any) -> str:
    """Return a short stable hash of plain data."""
    text = json.dumps(value, ensure_ascii=False, sort_keys=True)
    return hashlib.sha256(text.encode("utf-8")).hexdigest()[:16]


def _preset_values(cls: type[Options], name: str) -> dict[str, Any]:
    path = data_path("presets", f"{name}.toml")
    is_here = path.parent == data_path("presets") and path.is_file()
    document = read_toml(path) if is_here else None
    if document is None or "system" not in document.data:
        presets = preset_names()
        close = difflib.get_close_matches(name, presets, n=1)
        raise ConfigError(
            f"unknown preset '{name}'",
            hint=f"did you mean '{close[0]}'?" if close else f"known: {', '.join(presets)}",
        )
    kind = document.data.pop("system")
    if kind != cls.kind:
        raise ConfigError(f"preset '{name}' is for the system '{kind}', not for this one")
    parsed = parse_config(cls, document.data, document=document)
    hints = get_type_hints(cls)
    return {key: getattr(parsed, key) for key in document.data if key in hints}
