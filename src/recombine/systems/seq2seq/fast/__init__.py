"""What only makes training and decoding faster; nothing else of seq2seq needs it.

`fast_stepper` is the way in. On a GPU it captures whole steps as CUDA graphs (graphs, graph_sizes,
packing) of our own kernels (kernels, cell_kernels; launch, fused_operations, fused_attention and
waves put them behind the operations of the models; side_stream fills the gaps). Elsewhere, and
where that fails, it takes eager steps without padding (rows, row_operations, row_steps). Each must
first agree with the plain step on a few pairs, or training goes on without it. ctranslate is
another engine for decoding.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from recombine.systems.seq2seq.trainer import Stepper, Trainer


def fast_stepper(trainer: Trainer) -> Stepper:
    """Return the fastest way to take the steps of a training that agrees with the plain one."""
    from recombine.systems.seq2seq.fast.row_steps import RowStepper

    if trainer.device.type == "cuda" and trainer.options.graphs and trainer.world.size == 1:
        try:
            # Inside, because Triton is not on every machine that has a GPU.
            from recombine.systems.seq2seq.fast.graphs import GraphStepper

            return GraphStepper(trainer)
        except Exception as error:
            # Whatever a driver, compiler or kernel does not like, eager steps are right.
            leave_capture(trainer)
            trainer.slowed = True
            trainer.note(
                step=trainer.state.step, event="no graph, eager steps", reason=repr(error)[:500]
            )
    return RowStepper(trainer)


def leave_capture(trainer: Trainer) -> None:
    """Give the GPU's random numbers a fresh state: after a capture that failed theirs is stuck."""
    import torch

    generator = torch.cuda.default_generators[trainer.device.index or 0]
    generator.graphsafe_set_state(generator.clone_state())
