"""Greedy generation obeys ends, limits and stops, row by row."""

from __future__ import annotations

import pytest

from recombine.systems.pretrained.fast.attention import use_plain_attention
from recombine.systems.pretrained.fast.greedy import CHECK_EVERY, Greedy, SlotCache, rounded_rows
from recombine.systems.pretrained.weights import load_weights

torch = pytest.importorskip("torch")

PROMPTS = [[1, 40, 50], [1, 60, 70, 80, 90, 100], [1, 44]]


@pytest.fixture
def model(tiny_model):
    """The tiny model with the attention that `Greedy` needs."""
    model = load_weights(str(tiny_model), kind="causal", allow_hub=False, device="cpu").model
    use_plain_attention(model)
    return model


def greedy(model, *, end_ids=(), suspects=(), stopped=lambda texts: [False] * len(texts)):
    """Return a generator without captured graphs."""
    marks = torch.zeros(model.config.vocab_size, dtype=torch.bool)
    marks[list(suspects)] = True
    return Greedy(
        model, device="cpu", end_ids=end_ids, pad_id=0, suspects=marks, stopped=stopped,
        capture=False,
    )  # fmt: skip


def one_by_one(model, prompt, count):
    """Return the most probable continuation, the whole text read anew for every token."""
    tokens = list(prompt)
    with torch.no_grad():
        for _ in range(count):
            tokens.append(int(model(input_ids=torch.tensor([tokens])).logits[0, -1].argmax()))
    return tokens[len(prompt) :]


def test_rows_have_their_own_limits(model):
    """Each row is the most probable continuation, as long as its own limit says."""
    found = greedy(model).generate(PROMPTS, [5, 9, 2])
    expected = [one_by_one(model, *pair) for pair in zip(PROMPTS, [5, 9, 2], strict=True)]
    assert [one.tokens for one in found] == expected
    assert all(one.whole for one in found)


def test_a_row_ends_before_its_end_token(model):
    """The end token closes its row, is not part of the text and leaves other rows alone."""
    expected = [one_by_one(model, prompt, 6) for prompt in PROMPTS]
    end = expected[1][2]
    found = greedy(model, end_ids=[end]).generate(PROMPTS, [6, 6, 6])
    for one, tokens in zip(found, expected, strict=True):
        assert one.tokens == tokens[: tokens.index(end) if end in tokens else 6]


def test_stop_texts_are_looked_for_in_suspects_only(model):
    """A row is asked about once it holds a suspect, and a stop ends it at the next look."""
    longest = [one_by_one(model, prompt, 40) for prompt in PROMPTS]
    asked = []

    def stopped(texts):
        asked.extend(texts)
        return [True] * len(texts)

    suspect = longest[0][1]
    found = greedy(model, suspects=[suspect], stopped=stopped).generate(PROMPTS, [40] * 3)
    assert asked
    assert all(suspect in text for text in asked)
    assert found[0].whole
    assert found[0].tokens[:CHECK_EVERY] == longest[0][:CHECK_EVERY]


def test_few_growing_rows_are_handed_back(model):
    """No more than `leave` rows still growing: they come back unfinished, to be continued."""
    limits = [3, 40, 3]
    first = greedy(model).generate(PROMPTS, limits, leave=1)
    assert [one.whole for one in first] == [True, False, True]
    assert first[1].tokens == one_by_one(model, PROMPTS[1], CHECK_EVERY)
    assert all(one.whole for one in greedy(model).generate(PROMPTS, limits, leave=0))


@pytest.mark.parametrize(("count", "rows"), [(1, 8), (8, 8), (9, 16), (512, 512)])
def test_few_shapes_are_captured(count, rows):
    """Batches are filled up to powers of two."""
    assert rounded_rows(count) == rows


def test_prompts_fill_the_first_slots():
    """While filling, attention sees the prompt itself and memory keeps it."""
    slots = SlotCache(2, 6)
    key, value = torch.randn(2, 2, 3, 4, 5).unbind(0)
    seen = slots.update(key, value, 0)
    assert seen[0] is key
    assert seen[1] is value
    slots.filling = False
    slots.position.fill_(5)
    keys, values = slots.update(torch.ones(2, 3, 1, 5), torch.ones(2, 3, 1, 5), 0)
    assert torch.equal(keys[:, :, :4], key)
    assert torch.equal(values[:, :, :4], value)


def test_a_new_token_goes_to_its_rows_own_slot():
    """Rows of unequal length write to unequal places and nowhere else."""
    slots = SlotCache(2, 4)
    slots.update(torch.zeros(2, 1, 2, 3), torch.zeros(2, 1, 2, 3), 0)
    slots.filling = False
    slots.position.copy_(torch.tensor([1, 3]))
    keys, values = slots.update(torch.full((2, 1, 1, 3), 7.0), torch.full((2, 1, 1, 3), 8.0), 0)
    assert keys[:, 0, :, 0].tolist() == [[0, 7, 0, 0], [0, 0, 0, 7]]
    assert values[:, 0, :, 2].tolist() == [[0, 8, 0, 0], [0, 0, 0, 8]]


def test_memory_never_moves():
    """A captured graph reads fixed addresses, and layers do not share them."""
    slots = SlotCache(1, 4)
    token = torch.ones(1, 1, 1, 2)
    slots.filling = False
    first = slots.update(token, token, 0)[0].data_ptr()
    other = slots.update(token, token, 1)[0].data_ptr()
    slots.position.add_(1)
    assert slots.update(token, token, 0)[0].data_ptr() == first
    assert other != first
