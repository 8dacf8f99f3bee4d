"""One training step: loss and gradients of a batch, eagerly or from a captured CUDA graph."""

from __future__ import annotations

from typing import Any

from recombine.systems.cuda_graph import captured
from recombine.systems.pretrained.batches import TuningBatch

_WARM_UP = 3  # eager passes before a capture, as the CUDA graph documentation asks


class Step:
    """Computes the mean loss over the tokens to learn, and adds its gradients.

    Only the hidden states of those tokens are projected onto the vocabulary: with a small model
    the projection of prompts and padding would be a large part of the work.
    """

    def __init__(self, model: Any, parameters: list[Any], device: str, *, capture: bool) -> None:
        import torch

        self.model = model
        self.parameters = parameters
        self.device = device
        self.capture = capture
        self.problem: str | None = None
        self.total = torch.zeros((), dtype=torch.float32, device=device)
        self._plain_head = _has_plain_head(model, device)
        self._graphs: dict[tuple[int, ...], _Captured] = {}
        self._pool: Any = None

    def run(self, batch: TuningBatch, learned: int | None = None) -> None:
        """Set the gradients of one batch and add its mean loss to `total`.

        `learned` is the number of tokens the mean is over, when other processes hold more.
        """
        import torch

        scale = torch.tensor(1.0 / (learned or batch.learned), dtype=torch.float32)
        arrays = [torch.from_numpy(array) for array in (batch.tokens, batch.places, batch.targets)]
        if not self.capture:
            for parameter in self.parameters:
                parameter.grad = None
            self._pass(*[array.to(self.device) for array in [*arrays, scale]])
            return
        key = (*batch.tokens.shape, *batch.places.shape)
        # Pinned, so that the copies do not wait and the host prepares the next batch meanwhile.
        arrays, scale = [array.pin_memory() for array in arrays], scale.pin_memory()
        if key not in self._graphs and not self._try_capture(key, arrays, scale):
            self.run(batch, learned)
            return
        self._graphs[key].replay(arrays, scale)

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

    def _pass(self, tokens: Any, places: Any, targets: Any, scale: Any) -> None:
        from torch.nn.functional import cross_entropy

        if self._plain_head:
            hidden = _body(self.model)(input_ids=tokens, use_cache=False).last_hidden_state
            chosen = hidden.reshape(-1, hidden.shape[-1]).index_select(0, places)
            logits = self.model.get_output_embeddings()(chosen)
        else:
            logits = self.model(input_ids=tokens, use_cache=False).logits
            logits = logits.reshape(-1, logits.shape[-1]).index_select(0, places)
        loss = cross_entropy(logits.float(), targets, ignore_index=-100, reduction="sum") * scale
        loss.backward()
        self.total.add_(loss.detach())

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
                self._pass(*inputs)
        torch.cuda.current_stream().wait_stream(side)
        with captured(pool=self._pool) as graph:
            torch._foreach_zero_(gradients)
            self._pass(*inputs)
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
