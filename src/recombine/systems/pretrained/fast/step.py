"""The training step made fast: leaner layers, less to project, and one captured CUDA graph."""

from __future__ import annotations

from typing import Any

from recombine.systems.neural.cuda_graph import captured
from recombine.systems.pretrained.batches import TuningBatch
from recombine.systems.pretrained.fast.attention import needs_library_attention, use_plain_attention
from recombine.systems.pretrained.fast.fused_layers import use_fused_norms, use_lean_adapters
from recombine.systems.pretrained.training import TrainingStep

_WARM_UP = 3  # eager passes before a capture, as the CUDA graph documentation asks


def fast_step(adapted: Any, parameters: list[Any], device: str, *, capture: bool) -> FastStep:
    """Return the step of a model with an adapter, its layers replaced by leaner ones."""
    model = adapted.get_base_model()
    use_lean_adapters(adapted)
    if device.startswith("cuda"):
        use_fused_norms(model)
        if not needs_library_attention(model):
            use_plain_attention(model)
    return FastStep(model, parameters, device, capture=capture)


class FastStep(TrainingStep):
    """The same loss and gradients with less work.

    Only the hidden states of the tokens to learn are projected onto the vocabulary: with a small
    model the projection of prompts and padding would be a large part of the work. On a GPU the
    step is captured once for each shape of batch and replayed.
    """

    def __init__(self, model: Any, parameters: list[Any], device: str, *, capture: bool) -> None:
        super().__init__(model, parameters, device)
        self.capture = capture
        self._plain_head = _has_plain_head(model, device)
        self._graphs: dict[tuple[int, ...], _Captured] = {}
        self._pool: Any = None

    def run(self, batch: TuningBatch, learned: int | None = None) -> None:
        """Set the gradients of one batch and add its mean loss to `total`."""
        import torch

        if not self.capture:
            super().run(batch, learned)
            return
        scale = torch.tensor(1.0 / (learned or batch.learned), dtype=torch.float32)
        arrays = [torch.from_numpy(array) for array in (batch.tokens, batch.places, batch.targets)]
        key = (*batch.tokens.shape, *batch.places.shape)
        # Pinned, so that the copies do not wait and the host prepares the next batch meanwhile.
        arrays, scale = [array.pin_memory() for array in arrays], scale.pin_memory()
        if key not in self._graphs and not self._try_capture(key, arrays, scale):
            self.run(batch, learned)
            return
        self._graphs[key].replay(arrays, scale)

    def _logits(self, tokens: Any, places: Any) -> Any:
        if not self._plain_head:
            return super()._logits(tokens, places)
        hidden = _body(self.model)(input_ids=tokens, use_cache=False).last_hidden_state
        chosen = hidden.reshape(-1, hidden.shape[-1]).index_select(0, places)
        return self.model.get_output_embeddings()(chosen)

    def _try_capture(self, key: tuple[int, ...], arrays: list[Any], scale: Any) -> bool:
        """Capture a graph for these shapes; where that fails, go on without: slower, but right."""
        import torch

        kept = self.total.clone()
        try:
            self._graphs[key] = self._captured(arrays, scale)
        except RuntimeError as error:
            self.capture, self.problem = False, str(error).splitlines()[0]
            self._graphs.clear()
            torch.cuda.synchronize()
        self.total.copy_(kept)
        return self.capture

    def _captured(self, arrays: list[Any], scale: Any) -> _Captured:
        import torch

        for parameter in self.parameters:
            if parameter.grad is None:
                parameter.grad = torch.zeros_like(parameter)
        gradients = [parameter.grad for parameter in self.parameters]
        inputs = [array.to(self.device) for array in arrays] + [scale.to(self.device)]
        side = torch.cuda.Stream()  # type: ignore[no-untyped-call]
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for _ in range(_WARM_UP):
                self._learn(*inputs)
        torch.cuda.current_stream().wait_stream(side)
        with captured(pool=self._pool) as graph:
            torch._foreach_zero_(gradients)
            self._learn(*inputs)
        self._pool = graph.pool()
        return _Captured(graph, inputs)


class _Captured:
    """A graph and the memory it reads its inputs from."""

    def __init__(self, graph: Any, inputs: list[Any]) -> None:
        self.graph = graph
        self.inputs = inputs

    def replay(self, arrays: list[Any], scale: Any) -> None:
        """Run the graph on new inputs."""
        for memory, value in zip(self.inputs, [*arrays, scale], strict=True):
            memory.copy_(value, non_blocking=True)
        self.graph.replay()


def _body(model: Any) -> Any:
    return getattr(model, model.base_model_prefix)


def _has_plain_head(model: Any, device: str) -> bool:
    """Say whether logits are the output embedding of the body's states, and nothing more."""
    import torch

    if not hasattr(model, model.base_model_prefix) or model.get_output_embeddings() is None:
        return False
    training = model.training
    model.eval()
    tokens = torch.arange(1, 9, device=device)[None] % model.config.vocab_size
    try:
        with torch.no_grad():
            whole = model(input_ids=tokens, use_cache=False).logits
            states = _body(model)(input_ids=tokens, use_cache=False).last_hidden_state
            return bool(torch.equal(model.get_output_embeddings()(states), whole))
    except (TypeError, AttributeError):
        return False
    finally:
        model.train(training)
