"""GPU kernels in Triton: the cells of an LSTM, for all layers of a wave (waves.py).

The first axis of programs is the layer. A layer's numbers lie in slots, one per wave: a wave reads
its input, state and cells in its own slot, and writes them into the one after it.
"""

# The compiler reads these functions; names and types are Triton's, not Python's.
# mypy: ignore-errors
# ruff: noqa: N803

from __future__ import annotations

import triton
import triton.language as tl


@triton.jit
def tanh(x):
    """The hyperbolic tangent; exact enough at both ends."""
    return 2.0 / (1.0 + tl.exp(-2.0 * x)) - 1.0


@triton.jit
def cell_places(gates, lengths, wave, waves, sentences, WIDTH: tl.constexpr, BLOCK: tl.constexpr):
    """Return this program's layer, its elements [sentence, column], their gates, who is inside."""
    layer = tl.program_id(0)
    index = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    within = index < sentences * WIDTH
    sentence = index // WIDTH
    column = index % WIDTH
    place = wave - layer
    inside = (place >= 0) & (place < tl.load(lengths + sentence, within, 0))
    layer = layer.to(tl.int64)  # all pieces of all layers may be more than 32 bits can count
    at = gates + ((layer * waves + wave) * sentences + sentence) * (4 * WIDTH) + column
    return layer, index, sentence, column, at, within, inside


@triton.jit(do_not_specialize=["wave", "waves"])
def cell_kernel(
    inputs, bias, cells, gates, keep, lengths, wave, waves, sentences,
    LAYERS: tl.constexpr, WIDTH: tl.constexpr, DROP: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """Activate the gates of a wave in place; write its cells, its states and what is above."""
    layer, index, sentence, column, at, within, inside = cell_places(
        gates, lengths, wave, waves, sentences, WIDTH, BLOCK
    )
    biased = bias + layer * (4 * WIDTH) + column
    entry = tl.sigmoid(tl.load(at, within, 0.0).to(tl.float32) + tl.load(biased))
    forget = tl.sigmoid(tl.load(at + WIDTH, within, 0.0).to(tl.float32) + tl.load(biased + WIDTH))
    candidate = tanh(
        tl.load(at + 2 * WIDTH, within, 0.0).to(tl.float32) + tl.load(biased + 2 * WIDTH)
    )
    exit_ = tl.sigmoid(
        tl.load(at + 3 * WIDTH, within, 0.0).to(tl.float32) + tl.load(biased + 3 * WIDTH)
    )
    tl.store(at, entry, within)
    tl.store(at + WIDTH, forget, within)
    tl.store(at + 2 * WIDTH, candidate, within)
    tl.store(at + 3 * WIDTH, exit_, within)
    slot = layer * (waves + 1) + wave
    cell_at = cells + slot * sentences * WIDTH + index
    cell = tl.load(cell_at, within, 0.0)
    cell = tl.where(inside, forget * cell + entry * candidate, cell)
    tl.store(cell_at + sentences * WIDTH, cell, within)
    rows = inputs + slot * sentences * (2 * WIDTH)
    state_at = rows + sentence * (2 * WIDTH) + WIDTH + column
    state = tl.load(state_at, within, 0.0).to(tl.float32)
    state = tl.where(inside, exit_ * tanh(cell), state)
    tl.store(state_at + sentences * (2 * WIDTH), state, within)
    # It is the input of the layer above, too, in that layer's next slot.
    up = index < tl.where(layer < LAYERS - 1, sentences * WIDTH, 0)
    if DROP:
        kept_at = keep + (layer * waves + wave) * sentences * WIDTH + index
        state *= tl.load(kept_at, up, 0.0).to(tl.float32)
    tl.store(state_at - WIDTH + (waves + 2) * sentences * (2 * WIDTH), state, up)


@triton.jit(do_not_specialize=["wave", "waves"])
def cell_gradient_kernel(
    d_outputs, d_inputs, d_states, d_cells, cells, gates, keep, lengths, wave, waves, sentences,
    LAYERS: tl.constexpr, WIDTH: tl.constexpr, DROP: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """The gradients of cell_kernel, in place of the gates, of d_states and of d_cells."""
    layer, index, sentence, column, at, within, inside = cell_places(
        gates, lengths, wave, waves, sentences, WIDTH, BLOCK
    )
    entry = tl.load(at, within, 0.0).to(tl.float32)
    forget = tl.load(at + WIDTH, within, 0.0).to(tl.float32)
    candidate = tl.load(at + 2 * WIDTH, within, 0.0).to(tl.float32)
    exit_ = tl.load(at + 3 * WIDTH, within, 0.0).to(tl.float32)
    slot = layer * (waves + 1) + wave
    cell_at = cells + slot * sentences * WIDTH + index
    old = tl.load(cell_at, within, 0.0)
    squashed = tanh(tl.load(cell_at + sentences * WIDTH, within, 0.0))
    passed_at = layer * sentences * WIDTH + index
    later = tl.load(d_cells + passed_at, within, 0.0)
    total = tl.load(d_states + passed_at, within, 0.0).to(tl.float32)
    rows = d_inputs + (slot + 1) * sentences * (2 * WIDTH)
    state_at = rows + sentence * (2 * WIDTH) + WIDTH + column
    total += tl.load(state_at, within, 0.0).to(tl.float32)
    # What the layer above read of this one; the last has the gradients of the outputs instead.
    up = index < tl.where(layer < LAYERS - 1, sentences * WIDTH, 0)
    above = tl.load(
        state_at - WIDTH + (waves + 1) * sentences * (2 * WIDTH), up, 0.0
    ).to(tl.float32)  # fmt: skip
    if DROP:
        kept_at = keep + (layer * waves + wave) * sentences * WIDTH + index
        above *= tl.load(kept_at, up, 0.0).to(tl.float32)
    place = wave - (LAYERS - 1)
    top = index < tl.where((layer == LAYERS - 1) & (place >= 0), sentences * WIDTH, 0)
    output_at = d_outputs + place.to(tl.int64) * sentences * WIDTH + index
    total += above + tl.load(output_at, top, 0.0).to(tl.float32)
    through = later + total * exit_ * (1.0 - squashed * squashed)
    d_entry = tl.where(inside, through * candidate * entry * (1.0 - entry), 0.0)
    d_forget = tl.where(inside, through * old * forget * (1.0 - forget), 0.0)
    d_candidate = tl.where(inside, through * entry * (1.0 - candidate * candidate), 0.0)
    d_exit = tl.where(inside, total * squashed * exit_ * (1.0 - exit_), 0.0)
    tl.store(at, d_entry, within)
    tl.store(at + WIDTH, d_forget, within)
    tl.store(at + 2 * WIDTH, d_candidate, within)
    tl.store(at + 3 * WIDTH, d_exit, within)
    tl.store(d_cells + passed_at, tl.where(inside, through * forget, later), within)
    tl.store(d_states + passed_at, tl.where(inside, 0.0, total), within)
