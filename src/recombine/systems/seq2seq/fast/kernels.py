"""GPU kernels in Triton: attention over packed sentences and what lies between matrix products.

A sentence of this task is shorter than one tile, so a program holds the whole attention of one
sentence and head in registers: scores, softmax and mean of the values without a trip to memory, and
no running maximum as in FlashAttention. One kernel is compiled for each size of tile; a program
whose sentence belongs to another size ends at once. Sentences lie end to end, so a program loads
rows from where its sentence starts and masks what is beyond its end; the rows after the last
sentence are written as zeros, because products for the weights' gradients read all rows.

Relative positions: the scores of all offsets are one product with the table, and a gather along the
row picks for every key that of its offset. The other way round weights are summed by offset
(`by_offset`), which turns both the values' part and the gradients into products with the table. The
table's own gradient is a sum over all rows: programs keep partial sums, and a second kernel adds
those up in a fixed order, so that the result does not depend on who finished first.

Dropout masks are not stored: they are a hash of (step, place in the network, element), computed
again in the backward pass. Sums and softmax are in float32 whatever the rows are.
fused_operations.py and fused_attention.py wrap the kernels for autograd.
"""

# The compiler reads these functions; names and types are Triton's, not Python's.
# mypy: ignore-errors
# ruff: noqa: N803, D403

from __future__ import annotations

import triton
import triton.language as tl

# Products of float32 numbers in three parts on the tensor cores: as exact as one by one ("ieee"),
# for which the largest tile takes Triton over half a minute to compile, seven times as long.
FLOAT32 = tl.constexpr("tf32x3")


@triton.jit
def mixed(x):
    """Mix the bits of 32-bit numbers (Wellons' lowbias32, a full-avalanche hash)."""
    x = x ^ (x >> 16)
    x = x * 0x7FEB352D
    x = x ^ (x >> 15)
    x = x * 0x846CA68B
    return x ^ (x >> 16)


@triton.jit
def kept(seed, site, index, threshold):
    """Whether dropout keeps an element: its hash is not below threshold = rate * 2**24."""
    place = mixed(
        seed.to(tl.uint32) ^ mixed((seed >> 32).to(tl.uint32) + site.to(tl.uint32) * 0x9E3779B1)
    )
    return (mixed(index.to(tl.uint32) ^ place) >> 8).to(tl.int32) >= threshold


@triton.jit(do_not_specialize=["site", "threshold"])
def drop_kernel(x, out, seed_at, site, size, threshold, keep_scale, BLOCK: tl.constexpr):
    """out = dropout(x); the backward pass is the same call on the gradient."""
    index = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = index < size
    keep = kept(tl.load(seed_at), site, index, threshold)
    value = tl.load(x + index, inside, 0.0).to(tl.float32)
    tl.store(out + index, tl.where(keep, value * keep_scale, 0.0), inside)


@triton.jit(do_not_specialize=["site", "threshold"])
def activate_kernel(
    u, bias, out, seed_at, site, size, threshold, keep_scale,
    WIDTH: tl.constexpr, BLOCK: tl.constexpr, DROP: tl.constexpr,
):  # fmt: skip
    """out = dropout(relu(u + bias))."""
    index = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = index < size
    value = tl.load(u + index, inside, 0.0).to(tl.float32)
    value = tl.maximum(value + tl.load(bias + index % WIDTH).to(tl.float32), 0.0)
    if DROP:
        keep = kept(tl.load(seed_at), site, index, threshold)
        value = tl.where(keep, value * keep_scale, 0.0)
    tl.store(out + index, value, inside)


@triton.jit
def activate_backward_kernel(
    out, d_out, d_u, d_bias, rows, keep_scale,
    WIDTH: tl.constexpr, ROWS: tl.constexpr, COLUMNS: tl.constexpr,
):  # fmt: skip
    """d_u where the output is positive (kept and active); partial column sums for the bias."""
    first = tl.program_id(0)
    column = tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS)
    inside_column = (column < WIDTH)[None, :]
    total = tl.zeros((ROWS, COLUMNS), tl.float32)
    for block in range(first, tl.cdiv(rows, ROWS), tl.num_programs(0)):
        row = block * ROWS + tl.arange(0, ROWS)
        inside = (row < rows)[:, None] & inside_column
        at = row[:, None] * WIDTH + column[None, :]
        positive = tl.load(out + at, inside, 0.0).to(tl.float32) > 0.0
        gradient = tl.load(d_out + at, inside, 0.0).to(tl.float32)
        gradient = tl.where(positive, gradient * keep_scale, 0.0)
        tl.store(d_u + at, gradient, inside)
        total += gradient
    tl.store(d_bias + first * WIDTH + column, tl.sum(total, 0), column < WIDTH)


@triton.jit(do_not_specialize=["site", "threshold"])
def add_norm_kernel(
    x, h, bias, gain, shift, y, n, mean_at, scale_at, seed_at, site, threshold, keep_scale,
    epsilon, WIDTH: tl.constexpr, BLOCK: tl.constexpr, HAS_BIAS: tl.constexpr,
    DROP: tl.constexpr,
):  # fmt: skip
    """y = x + dropout(h + bias); n = layer norm of y. One row a program."""
    row = tl.program_id(0)
    column = tl.arange(0, BLOCK)
    inside = column < WIDTH
    at = row * WIDTH + column
    value = tl.load(h + at, inside, 0.0).to(tl.float32)
    if HAS_BIAS:
        value += tl.load(bias + column, inside, 0.0).to(tl.float32)
    if DROP:
        value = tl.where(kept(tl.load(seed_at), site, at, threshold), value * keep_scale, 0.0)
    value += tl.load(x + at, inside, 0.0).to(tl.float32)
    # The statistics are those of the stored sum: the backward pass reads it back.
    stored = value.to(y.dtype.element_ty)
    tl.store(y + at, stored, inside)
    value = stored.to(tl.float32)
    mean = tl.sum(value, 0) / WIDTH
    centred = tl.where(inside, value - mean, 0.0)
    scale = 1.0 / tl.sqrt(tl.sum(centred * centred, 0) / WIDTH + epsilon)
    tl.store(mean_at + row, mean)
    tl.store(scale_at + row, scale)
    gained = centred * scale * tl.load(gain + column, inside, 0.0).to(tl.float32)
    tl.store(n + at, gained + tl.load(shift + column, inside, 0.0).to(tl.float32), inside)


@triton.jit(do_not_specialize=["site", "threshold"])
def add_norm_backward_kernel(
    y, gain, mean_at, scale_at, d_y, d_n, d_x, d_h, partial, seed_at, site, rows, threshold,
    keep_scale, WIDTH: tl.constexpr, BLOCK: tl.constexpr, ROWS: tl.constexpr,
    DROP: tl.constexpr, HAS_D_Y: tl.constexpr,
):  # fmt: skip
    """d_x, d_h, and per program partial sums for gain, shift and bias ([programs, 3, WIDTH])."""
    program = tl.program_id(0)
    column = tl.arange(0, BLOCK)
    inside_column = column < WIDTH
    gains = tl.load(gain + column, inside_column, 0.0).to(tl.float32)[None, :]
    total_gain = tl.zeros((ROWS, BLOCK), tl.float32)
    total_shift = tl.zeros((ROWS, BLOCK), tl.float32)
    total_bias = tl.zeros((ROWS, BLOCK), tl.float32)
    for block in range(program, tl.cdiv(rows, ROWS), tl.num_programs(0)):
        row = block * ROWS + tl.arange(0, ROWS)
        inside = (row < rows)[:, None] & inside_column[None, :]
        at = row[:, None] * WIDTH + column[None, :]
        mean = tl.load(mean_at + row, row < rows, 0.0)[:, None]
        scale = tl.load(scale_at + row, row < rows, 0.0)[:, None]
        normal = (tl.load(y + at, inside, 0.0).to(tl.float32) - mean) * scale
        normal = tl.where(inside, normal, 0.0)
        gradient = tl.load(d_n + at, inside, 0.0).to(tl.float32)
        total_gain += gradient * normal
        total_shift += gradient
        gradient = gradient * gains
        along = tl.sum(gradient * normal, 1)[:, None] / WIDTH
        level = tl.sum(gradient, 1)[:, None] / WIDTH
        gradient = (gradient - normal * along - level) * scale
        if HAS_D_Y:
            gradient += tl.load(d_y + at, inside, 0.0).to(tl.float32)
        tl.store(d_x + at, gradient, inside)
        if DROP:
            keep = kept(tl.load(seed_at), site, at, threshold)
            gradient = tl.where(keep, gradient * keep_scale, 0.0)
            tl.store(d_h + at, gradient, inside)
        total_bias += tl.where(inside, gradient, 0.0)
    out = partial + program * 3 * WIDTH + column
    tl.store(out, tl.sum(total_gain, 0), inside_column)
    tl.store(out + WIDTH, tl.sum(total_shift, 0), inside_column)
    tl.store(out + 2 * WIDTH, tl.sum(total_bias, 0), inside_column)


@triton.jit
def column_sum_kernel(
    partial, out, rows, WIDTH: tl.constexpr, ROWS: tl.constexpr, COLUMNS: tl.constexpr
):
    """Sum the rows of partial [rows, WIDTH] into out [WIDTH]."""
    column = tl.program_id(0) * COLUMNS + tl.arange(0, COLUMNS)
    total = tl.zeros((ROWS, COLUMNS), tl.float32)
    for first in range(0, rows, ROWS):
        row = first + tl.arange(0, ROWS)
        inside = (row < rows)[:, None] & (column < WIDTH)[None, :]
        total += tl.load(partial + row[:, None] * WIDTH + column[None, :], inside, 0.0)
    tl.store(out + column, tl.sum(total, 0), column < WIDTH)


@triton.jit
def rotate_kernel(
    rows, out, cosine, sine, WIDTH: tl.constexpr, HALF: tl.constexpr, BLOCK: tl.constexpr,
    BACK: tl.constexpr,
):  # fmt: skip
    """Turn the pairs of queries and keys of one row [query | key | value]; BACK: the other way."""
    row = tl.program_id(0)
    pair = tl.arange(0, BLOCK)
    inside = pair < WIDTH
    at = row * (3 * WIDTH) + 2 * pair
    even = tl.load(rows + at, inside, 0.0).to(tl.float32)
    odd = tl.load(rows + at + 1, inside, 0.0).to(tl.float32)
    c = tl.load(cosine + row * HALF + pair % HALF, inside, 0.0)
    s = tl.load(sine + row * HALF + pair % HALF, inside, 0.0)
    if BACK:
        s = -s
    tl.store(out + at, even * c - odd * s, inside)
    tl.store(out + at + 1, even * s + odd * c, inside)
    at = row * (3 * WIDTH) + 2 * WIDTH + pair
    tl.store(out + at, tl.load(rows + at, inside, 0.0), inside)


@triton.jit
def twin_loss_kernel(
    logits, expected, twins, losses, normaliser_at, divergence_at, size, smoothing, weight,
    BLOCK: tl.constexpr,
):  # fmt: skip
    """Cross-entropy of one row plus half the weight times KL(row || twin), in one reading.

    With the greatest logits m and n of row and twin subtracted, the sums are s and t:
    KL = sum(exp(z - m) * (z - y)) / s - (m + log s) + (n + log t). The normaliser (m + log s) and
    the divergence are kept for the backward pass.
    """
    row = tl.program_id(0).to(tl.int64)
    target = tl.load(expected + row)
    mine = logits + row * size
    other = logits + tl.load(twins + row) * size
    m = -float("inf")
    n = -float("inf")
    s = 0.0
    t = 0.0
    apart = 0.0
    total = 0.0
    for first in range(0, size, BLOCK):
        column = first + tl.arange(0, BLOCK)
        inside = column < size
        z = tl.load(mine + column, inside, -float("inf")).to(tl.float32)
        y = tl.load(other + column, inside, -float("inf")).to(tl.float32)
        higher = tl.maximum(m, tl.max(z, 0))
        e = tl.exp(z - higher)
        s = s * tl.exp(m - higher) + tl.sum(e, 0)
        gap = tl.where(inside, z - y, 0.0)
        apart = apart * tl.exp(m - higher) + tl.sum(e * gap, 0)
        m = higher
        higher = tl.maximum(n, tl.max(y, 0))
        t = t * tl.exp(n - higher) + tl.sum(tl.exp(y - higher), 0)
        n = higher
        total += tl.sum(tl.where(inside, z, 0.0), 0)
    normaliser = m + tl.log(s)
    divergence = apart / s - normaliser + n + tl.log(t)
    hit = tl.load(mine + target).to(tl.float32)
    loss = normaliser - (1.0 - smoothing) * hit - smoothing * total / size
    counts = target != 0  # padding
    tl.store(losses + row, tl.where(counts, loss + 0.5 * weight * divergence, 0.0))
    tl.store(normaliser_at + row, normaliser)
    tl.store(divergence_at + row, divergence)


@triton.jit
def twin_loss_backward_kernel(
    logits, expected, twins, normaliser_at, divergence_at, gradient_at, d_logits, size, smoothing,
    weight, BLOCK: tl.constexpr,
):  # fmt: skip
    """The gradient of one row's logits, from its own loss and from KL(twin || row).

    With p the row's and q the twin's probabilities: KL(p || q) gives p (log(p / q) - KL), and
    KL(q || p) gives p - q.
    """
    row = tl.program_id(0).to(tl.int64)
    target = tl.load(expected + row)
    twin = tl.load(twins + row)
    normaliser = tl.load(normaliser_at + row)
    normaliser_twin = tl.load(normaliser_at + twin)
    divergence = tl.load(divergence_at + row)
    gradient = tl.where(target != 0, tl.load(gradient_at).to(tl.float32), 0.0)
    for first in range(0, size, BLOCK):
        column = first + tl.arange(0, BLOCK)
        inside = column < size
        log_p = tl.load(logits + row * size + column, inside, 0.0).to(tl.float32) - normaliser
        log_q = tl.load(logits + twin * size + column, inside, 0.0).to(tl.float32) - normaliser_twin
        p = tl.exp(log_p)
        consistency = p * (log_p - log_q - divergence) + p - tl.exp(log_q)
        wanted = tl.where(column == target, 1.0 - smoothing, 0.0) + smoothing / size
        tl.store(
            d_logits + row * size + column,
            gradient * (p - wanted + 0.5 * weight * consistency), inside,
        )  # fmt: skip


@triton.jit
def zero_tail(out, used, rows, part, parts, WIDTH: tl.constexpr, BLOCK: tl.constexpr):
    """Write zeros into this program's share of the rows that belong to no sentence."""
    for row in range(used + part, rows, parts):
        for first in range(0, WIDTH, BLOCK):
            column = first + tl.arange(0, BLOCK)
            zeros = tl.zeros((BLOCK,), tl.float32).to(out.dtype.element_ty)
            tl.store(out + row * WIDTH + column, zeros, column < WIDTH)


@triton.jit
def by_offset(
    weights, row, column, offset, WINDOW: tl.constexpr, HIGHEST: tl.constexpr, BLOCK: tl.constexpr
):
    """Sum weights [query, key] into [query, offset], where offset r stands for key - query.

    r counts from -WINDOW to HIGHEST (WINDOW, or 0 where no key comes after its query). Inside the
    window an offset has one key; the two ends collect everything that is clipped.
    """
    key = row + offset - WINDOW
    result = tl.gather(weights, tl.minimum(tl.maximum(key, 0), BLOCK - 1), 1)
    result = tl.where((key >= 0) & (key < BLOCK) & (offset <= WINDOW + HIGHEST), result, 0.0)
    if WINDOW < BLOCK - 1:
        low = tl.sum(tl.where(column - row <= -WINDOW, weights, 0.0), 1)[:, None]
        result = tl.where(offset == 0, low, result)
        if HIGHEST > 0:
            high = tl.sum(tl.where(column - row >= WINDOW, weights, 0.0), 1)[:, None]
            result = tl.where(offset == 2 * WINDOW, high, result)
    return result


@triton.jit
def numbers_of(at, row, count, stride, head, WIDTH: tl.constexpr):
    """Return which rows of a tile hold a piece, and where a head has its numbers."""
    return row < count, at * stride + head * WIDTH + tl.arange(0, WIDTH)[None, :]


@triton.jit
def table_rows(
    table, depth, WIDTH: tl.constexpr, CLIP: tl.constexpr, WINDOW: tl.constexpr,
    HIGHEST: tl.constexpr, OFFSETS: tl.constexpr,
):  # fmt: skip
    """Load the vectors of the offsets from -WINDOW to HIGHEST, and zeros up to a power of two."""
    number = tl.arange(0, OFFSETS)[:, None]
    at = (number + (CLIP - WINDOW)) * WIDTH + depth
    return tl.load(table + at, number <= WINDOW + HIGHEST, 0.0)


@triton.jit
def store_spread(
    out, spread, row_index, inside, offset, SKIPPED: tl.constexpr, LAST: tl.constexpr,
    OFFSETS: tl.constexpr, SPREAD: tl.constexpr,
):  # fmt: skip
    """Store weights by offset, in the columns of the whole table: zeros beyond the tile's reach."""
    tl.store(out + row_index * SPREAD + SKIPPED + offset, spread, inside & (offset <= LAST))
    if (SKIPPED > 0) | (SKIPPED + OFFSETS < SPREAD) | (LAST + 1 < OFFSETS):
        place = tl.arange(0, SPREAD)[None, :]
        outside = (place < SKIPPED) | (place > SKIPPED + LAST)
        zeros = tl.zeros((row_index.shape[0], SPREAD), tl.float32).to(out.dtype.element_ty)
        tl.store(out + row_index * SPREAD + place, zeros, inside & outside)


@triton.jit(do_not_specialize=["site", "threshold", "items", "rows"])
def attention_kernel(
    query, key, value, table, out, weights_at, spread_at, query_starts, query_lengths, key_starts,
    key_lengths, seed_at, site, items, rows, query_stride, key_stride, out_stride, score_scale,
    threshold, keep_scale, HEADS: tl.constexpr, WIDTH: tl.constexpr, BLOCK: tl.constexpr,
    LOW: tl.constexpr, CAUSAL: tl.constexpr, RELATIVE: tl.constexpr, CLIP: tl.constexpr,
    WINDOW: tl.constexpr, HIGHEST: tl.constexpr, OFFSETS: tl.constexpr, SPREAD: tl.constexpr,
    KEPT: tl.constexpr, DROP: tl.constexpr,
):  # fmt: skip
    """Attention of one sentence and head whose longer side has LOW < length <= BLOCK pieces.

    The weights [row, head, key] are kept for the backward pass, KEPT places for each row, and so is
    what dropout left of them, by offset. Programs beyond the items clear the tail of rows that
    belong to no sentence.
    """
    item = tl.program_id(0)
    if item >= items:
        last = items // HEADS - 1
        used = tl.load(query_starts + last) + tl.load(query_lengths + last)
        parts = tl.num_programs(0) - items
        zero_tail(out, used.to(tl.int32), rows, item - items, parts, HEADS * WIDTH, 512)
        return
    sentence = item // HEADS
    head = item % HEADS
    queries = tl.load(query_lengths + sentence).to(tl.int32)
    keys = tl.load(key_lengths + sentence).to(tl.int32)
    longest = tl.maximum(queries, keys)
    if (longest > LOW) & (longest <= BLOCK):
        row = tl.arange(0, BLOCK)[:, None]
        column = tl.arange(0, BLOCK)[None, :]
        depth = tl.arange(0, WIDTH)[None, :]
        query_row = tl.load(query_starts + sentence).to(tl.int32) + row
        key_row = tl.load(key_starts + sentence).to(tl.int32) + row
        row_index = query_row * HEADS + head
        inside_query, query_at = numbers_of(query_row, row, queries, query_stride, head, WIDTH)
        inside_key, key_at = numbers_of(key_row, row, keys, key_stride, head, WIDTH)
        q = tl.load(query + query_at, inside_query, 0.0)
        k = tl.load(key + key_at, inside_key, 0.0)
        v = tl.load(value + key_at, inside_key, 0.0)
        scores = tl.dot(q, tl.trans(k), input_precision=FLOAT32)
        if RELATIVE:
            offset = tl.arange(0, OFFSETS)[None, :]
            t = table_rows(table, depth, WIDTH, CLIP, WINDOW, HIGHEST, OFFSETS)
            near = tl.minimum(tl.maximum(column - row, -WINDOW), HIGHEST) + WINDOW
            scores += tl.gather(tl.dot(q, tl.trans(t), input_precision=FLOAT32), near, 1)
        hidden = column >= keys
        if CAUSAL:
            hidden = hidden | (column > row)
        scores = tl.where(hidden, -1.0e9, scores * score_scale)
        weights = tl.exp(scores - tl.max(scores, 1)[:, None])
        weights = weights / tl.sum(weights, 1)[:, None]
        tl.store(weights_at + row_index * KEPT + column, weights, inside_query)
        if DROP:
            keep = kept(tl.load(seed_at), site, row_index * 128 + column, threshold)
            weights = tl.where(keep, weights * keep_scale, 0.0)
        result = tl.dot(weights.to(v.dtype), v, input_precision=FLOAT32)
        if RELATIVE:
            spread = by_offset(weights, row, column, offset, WINDOW, HIGHEST, BLOCK).to(v.dtype)
            store_spread(
                spread_at, spread, row_index, inside_query, offset, CLIP - WINDOW,
                WINDOW + HIGHEST, OFFSETS, SPREAD,
            )  # fmt: skip
            result += tl.dot(spread, t, input_precision=FLOAT32)
        out_at = query_row * out_stride + head * WIDTH + depth
        tl.store(out + out_at, result, inside_query)


@triton.jit(do_not_specialize=["site", "threshold", "items", "query_rows", "key_rows"])
def attention_backward_kernel(
    query, key, value, table, weights_at, d_out, d_query, d_key, d_value, spread_at, query_starts,
    query_lengths, key_starts, key_lengths, seed_at, site, items, query_rows, key_rows,
    query_stride, key_stride, out_stride, score_scale, threshold, keep_scale,
    HEADS: tl.constexpr, WIDTH: tl.constexpr, BLOCK: tl.constexpr, LOW: tl.constexpr,
    CAUSAL: tl.constexpr, RELATIVE: tl.constexpr, CLIP: tl.constexpr, WINDOW: tl.constexpr,
    HIGHEST: tl.constexpr, OFFSETS: tl.constexpr, SPREAD: tl.constexpr, KEPT: tl.constexpr,
    DROP: tl.constexpr, QUERY_COLUMNS: tl.constexpr,
):  # fmt: skip
    """Gradients of attention; those of its scores are kept by offset, for the table's gradient.

    Programs beyond the items clear the tails: d_query first, and d_key where it is another tensor
    (in self-attention both are columns of one).
    """
    item = tl.program_id(0)
    if item >= items:
        last = items // HEADS - 1
        part = item - items
        parts = tl.num_programs(0) - items
        used = tl.load(query_starts + last) + tl.load(query_lengths + last)
        zero_tail(d_query, used.to(tl.int32), query_rows, part, parts, QUERY_COLUMNS, 512)
        if QUERY_COLUMNS == HEADS * WIDTH:
            used = tl.load(key_starts + last) + tl.load(key_lengths + last)
            zero_tail(d_key, used.to(tl.int32), key_rows, part, parts, 2 * HEADS * WIDTH, 512)
        return
    sentence = item // HEADS
    head = item % HEADS
    queries = tl.load(query_lengths + sentence).to(tl.int32)
    keys = tl.load(key_lengths + sentence).to(tl.int32)
    longest = tl.maximum(queries, keys)
    if (longest > LOW) & (longest <= BLOCK):
        row = tl.arange(0, BLOCK)[:, None]
        column = tl.arange(0, BLOCK)[None, :]
        depth = tl.arange(0, WIDTH)[None, :]
        query_row = tl.load(query_starts + sentence).to(tl.int32) + row
        key_row = tl.load(key_starts + sentence).to(tl.int32) + row
        row_index = query_row * HEADS + head
        inside_query, query_at = numbers_of(query_row, row, queries, query_stride, head, WIDTH)
        inside_key, key_at = numbers_of(key_row, row, keys, key_stride, head, WIDTH)
        out_at = query_row * out_stride + head * WIDTH + depth
        d_o = tl.load(d_out + out_at, inside_query, 0.0)
        v = tl.load(value + key_at, inside_key, 0.0)
        weights = tl.load(weights_at + row_index * KEPT + column, inside_query, 0.0).to(tl.float32)
        d_weights = tl.dot(d_o, tl.trans(v), input_precision=FLOAT32)
        if RELATIVE:
            offset = tl.arange(0, OFFSETS)[None, :]
            t = table_rows(table, depth, WIDTH, CLIP, WINDOW, HIGHEST, OFFSETS)
            near = tl.minimum(tl.maximum(column - row, -WINDOW), HIGHEST) + WINDOW
            d_weights += tl.gather(tl.dot(d_o, tl.trans(t), input_precision=FLOAT32), near, 1)
        used = weights
        if DROP:
            keep = kept(tl.load(seed_at), site, row_index * 128 + column, threshold)
            used = tl.where(keep, weights * keep_scale, 0.0)
            d_weights = tl.where(keep, d_weights * keep_scale, 0.0)
        d_v = tl.dot(tl.trans(used.to(d_o.dtype)), d_o, input_precision=FLOAT32)
        tl.store(d_value + key_at, d_v, inside_key)
        mean = tl.sum(weights * d_weights, 1)[:, None]
        d_scores = weights * (d_weights - mean) * score_scale
        k = tl.load(key + key_at, inside_key, 0.0)
        d_q = tl.dot(d_scores.to(k.dtype), k, input_precision=FLOAT32)
        if RELATIVE:
            spread = by_offset(d_scores, row, column, offset, WINDOW, HIGHEST, BLOCK).to(k.dtype)
            store_spread(
                spread_at, spread, row_index, inside_query, offset, CLIP - WINDOW,
                WINDOW + HIGHEST, OFFSETS, SPREAD,
            )  # fmt: skip
            d_q += tl.dot(spread, t, input_precision=FLOAT32)
        tl.store(d_query + query_at, d_q, inside_query)
        q = tl.load(query + query_at, inside_query, 0.0)
        d_k = tl.dot(tl.trans(d_scores.to(q.dtype)), q, input_precision=FLOAT32)
        tl.store(d_key + key_at, d_k, inside_key)


@triton.jit(do_not_specialize=["sentences"])
def table_backward_kernel(
    query, d_out, spread_weights, spread_scores, partial, query_starts, query_lengths, sentences,
    query_stride, out_stride, HEADS: tl.constexpr, WIDTH: tl.constexpr, SPREAD: tl.constexpr,
    SIZE: tl.constexpr, ROWS: tl.constexpr,
):  # fmt: skip
    """Per program partial sums of the table's gradient, over all rows and heads.

    Shaw et al. 2018, equations 3 and 4: the table is added to the keys of every query (so it gets
    the queries, weighted with the gradients of the scores) and to the values (the gradients of the
    output, weighted with the weights).
    """
    last = sentences - 1
    used = (tl.load(query_starts + last) + tl.load(query_lengths + last)).to(tl.int32) * HEADS
    offset = tl.arange(0, SPREAD)
    depth = tl.arange(0, WIDTH)[None, :]
    total = tl.zeros((SPREAD, WIDTH), tl.float32)
    for first in range(tl.program_id(0) * ROWS, used, tl.num_programs(0) * ROWS):
        index = first + tl.arange(0, ROWS)
        inside = (index < used)[:, None]
        row = (index // HEADS)[:, None]
        head = (index % HEADS)[:, None]
        at = index[:, None] * SPREAD + offset[None, :]
        scores = tl.load(spread_scores + at, inside, 0.0)
        q = tl.load(query + row * query_stride + head * WIDTH + depth, inside, 0.0)
        total = tl.dot(tl.trans(scores), q, total, input_precision=FLOAT32)
        weights = tl.load(spread_weights + at, inside, 0.0)
        d_o = tl.load(d_out + row * out_stride + head * WIDTH + depth, inside, 0.0)
        total = tl.dot(tl.trans(weights), d_o, total, input_precision=FLOAT32)
    number = offset[:, None]
    tl.store(partial + (tl.program_id(0) * SIZE + number) * WIDTH + depth, total, number < SIZE)
