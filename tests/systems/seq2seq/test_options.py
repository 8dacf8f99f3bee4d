"""Options: defaults under presets under what the user writes."""

from __future__ import annotations

import pytest

from recombine.config import parse_config
from recombine.errors import ConfigError
from recombine.systems.seq2seq.options import TransformerOptions, preset_names
from recombine.systems.seq2seq.system import LstmSystem, TransformerSystem


@pytest.mark.parametrize("name", preset_names())
def test_every_preset_is_valid(name: str) -> None:
    """A shipped preset makes the system it is for."""
    system = LstmSystem(preset=name) if "lstm" in name else TransformerSystem(preset=name)
    assert system.preset == name


def test_explicit_options_win_even_when_equal_to_the_default() -> None:
    """The preset fills only what is not written."""
    system = TransformerSystem(preset="small", encoder_layers=6)
    assert (system.encoder_layers, system.decoder_layers) == (6, 2)


def test_the_published_recipe_is_the_default() -> None:
    """Kumon et al. 2024: 6 + 6 layers, Adam 1e-4, 256 sentences, 70,000 steps, clipped at 20."""
    system = parse_config(TransformerSystem, {})
    assert (system.encoder_layers, system.width, system.max_relative) == (6, 512, 20)
    assert (system.learning_rate, system.batch_size, system.steps) == (1e-4, 256, 70_000)
    assert TransformerSystem(preset="paper-transformer-1024").sentences_per_step == 1024
    released = TransformerSystem(preset="released-transformer")
    assert (released.adam_beta2, released.scale_embeddings, released.beam) == (0.999, False, 5)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"preset": "smal"}, "did you mean 'small'"),
        ({"width": 30, "heads": 4}, "not a multiple"),
        ({"dropout": 1.5}, "dropout"),
        ({"rdrop_weight": -1.0}, "rdrop_weight"),
        ({"schedule": "noam"}, "warmup"),
        ({"preset": "paper-lstm"}, "for the system 'lstm'"),
        ({"layers": 3}, "unknown option"),
    ],
)
def test_contradictions_are_refused(options: dict[str, object], message: str) -> None:
    """A wrong value is a ConfigError that says which."""
    with pytest.raises(ConfigError) as caught:
        TransformerSystem(**options)
    assert message in caught.value.render()


def test_a_system_has_the_defaults_of_its_kind() -> None:
    """An LSTM has 4 + 4 layers and batches of one length; what both share does not undo that."""
    lstm, transformer = LstmSystem(), TransformerSystem()
    assert (lstm.encoder_layers, lstm.decoder_layers, lstm.batch_by_length) == (4, 4, True)
    assert (transformer.encoder_layers, transformer.batch_by_length) == (6, False)
    assert LstmSystem(preset="paper-lstm").batch_by_length


def test_the_identity_is_what_decides_the_weights() -> None:
    """Every choice of model and training; none of watching, decoding and machine."""
    plain = TransformerOptions().identity()
    assert TransformerOptions(rdrop_weight=5.0).identity() != plain
    assert TransformerOptions(scale_embeddings=False).identity() != plain
    assert TransformerOptions(beam=5, device="cpu", log_every=7, steps=9).identity() == plain
