"""GPU kernels in Triton: attention over packed sentences and what lies between matrix products.

A sentence of this task is shorter than one tile, so a program holds the whole attention of one
sentence and head in registers. Dropout masks are not stored: they are a hash of (step, place in the
network, element), computed again in the backward pass. fused.py wraps the kernels for autograd.
"""

# The compiler reads these functions; names and types are Triton's, not Python's.
# mypy: ignore-errors
# ruff: noqa: N803, D403

from __future__ import annotations

import triton
import triton.language as tl


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
def zero_tail(out, used, rows, part, parts, WIDTH: tl.constexpr, BLOCK: tl.constexpr):
    """Write zeros into this program's share of the rows that belong to no sentence."""
    for row in range(used + part, rows, parts):
        for first in range(0, WIDTH, BLOCK):
            column = first + tl.arange(0, BLOCK)
            zeros = tl.zeros((BLOCK,), tl.float32).to(out.dtype.element_ty)
            tl.store(out + row * WIDTH + column, zeros, column < WIDTH)


@triton.jit
def by_offset(weights, row, column, offset, WINDOW: tl.constexpr, BLOCK: tl.constexpr):
    """Sum weights [query, key] into [query, offset], where offset r stands for key - query.

    Inside the window an offset has one key; the two ends collect everything that is clipped.
    """
    key = row + offset - WINDOW
    inner = (offset > 0) & (offset < 2 * WINDOW) & (key >= 0) & (key < BLOCK)
    found = tl.gather(weights, tl.minimum(tl.maximum(key, 0), BLOCK - 1), 1)
    low = tl.sum(tl.where(column - row <= -WINDOW, weights, 0.0), 1)[:, None]
    high = tl.sum(tl.where(column - row >= WINDOW, weights, 0.0), 1)[:, None]
    result = tl.where(inner, found, 0.0)
    result = tl.where(offset == 0, low, result)
    return tl.where(offset == 2 * WINDOW, high, result)


@triton.jit(do_not_specialize=["site", "threshold", "items", "rows"])
def attention_kernel(
    query, key, value, table, out, level, query_starts, query_lengths, key_starts, key_lengths,
    seed_at, site, items, rows, query_stride, key_stride, out_stride, score_scale, threshold,
    keep_scale, HEADS: tl.constexpr, WIDTH: tl.constexpr, BLOCK: tl.constexpr, LOW: tl.constexpr,
    CAUSAL: tl.constexpr, RELATIVE: tl.constexpr, CLIP: tl.constexpr, WINDOW: tl.constexpr,
    OFFSETS: tl.constexpr, DROP: tl.constexpr,
):  # fmt: skip
    """Attention of one sentence and head whose longer side has LOW < length <= BLOCK pieces.

    Programs beyond the items clear the tail of rows that belong to no sentence.
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
        query_start = tl.load(query_starts + sentence).to(tl.int32)
        key_start = tl.load(key_starts + sentence).to(tl.int32)
        place = tl.arange(0, BLOCK)
        depth = tl.arange(0, WIDTH)
        row = place[:, None]
        column = place[None, :]
        inside_query = row < queries
        inside_key = row < keys
        query_at = (query_start + row) * query_stride + head * WIDTH + depth[None, :]
        key_at = (key_start + row) * key_stride + head * WIDTH + depth[None, :]
        q = tl.load(query + query_at, inside_query, 0.0)
        k = tl.load(key + key_at, inside_key, 0.0)
        v = tl.load(value + key_at, inside_key, 0.0)
        scores = tl.dot(q, tl.trans(k), input_precision="ieee")
        if RELATIVE:
            offset = tl.arange(0, OFFSETS)[None, :]
            number = tl.arange(0, OFFSETS)[:, None]
            table_at = (number + (CLIP - WINDOW)) * WIDTH + depth[None, :]
            t = tl.load(table + table_at, number <= 2 * WINDOW, 0.0)
            near = tl.minimum(tl.maximum(column - row, -WINDOW), WINDOW) + WINDOW
            scores += tl.gather(tl.dot(q, tl.trans(t), input_precision="ieee"), near, 1)
        hidden = column >= keys
        if CAUSAL:
            hidden = hidden | (column > row)
        scores = tl.where(hidden, -1.0e9, scores * score_scale)
        top = tl.max(scores, 1)
        total = top + tl.log(tl.sum(tl.exp(scores - top[:, None]), 1))
        weights = tl.exp(scores - total[:, None])
        if DROP:
            index = ((query_start + row) * HEADS + head) * 128 + column
            keep = kept(tl.load(seed_at), site, index, threshold)
            weights = tl.where(keep, weights * keep_scale, 0.0)
        result = tl.dot(weights.to(v.dtype), v, input_precision="ieee")
        if RELATIVE:
            spread = by_offset(weights, row, column, offset, WINDOW, BLOCK)
            result += tl.dot(spread.to(v.dtype), t, input_precision="ieee")
        out_at = (query_start + row) * out_stride + head * WIDTH + depth[None, :]
        tl.store(out + out_at, result, inside_query)
        tl.store(level + (query_start + place) * HEADS + head, total, place < queries)


@triton.jit(
    do_not_specialize=[
        "site",
        "threshold",
        "first_partial",
        "items",
        "workers",
        "query_rows",
        "key_rows",
    ]
)
def attention_backward_kernel(
    query, key, value, table, out, level, d_out, d_query, d_key, d_value, partial, first_partial,
    query_starts, query_lengths, key_starts, key_lengths, seed_at, site, items, workers,
    query_rows, key_rows, query_stride, key_stride, out_stride, score_scale, threshold, keep_scale,
    HEADS: tl.constexpr, WIDTH: tl.constexpr, BLOCK: tl.constexpr, LOW: tl.constexpr,
    CAUSAL: tl.constexpr, RELATIVE: tl.constexpr, CLIP: tl.constexpr, WINDOW: tl.constexpr,
    OFFSETS: tl.constexpr, DROP: tl.constexpr, QUERY_COLUMNS: tl.constexpr,
):  # fmt: skip
    """Gradients of attention; the table's are summed over the items of a program.

    Programs beyond the workers clear the tails: d_query first, and d_key where it is another
    tensor (in self-attention both are columns of one).
    """
    if tl.program_id(0) >= workers:
        last = items // HEADS - 1
        part = tl.program_id(0) - workers
        parts = tl.num_programs(0) - workers
        used = tl.load(query_starts + last) + tl.load(query_lengths + last)
        zero_tail(d_query, used.to(tl.int32), query_rows, part, parts, QUERY_COLUMNS, 512)
        if QUERY_COLUMNS == HEADS * WIDTH:
            used = tl.load(key_starts + last) + tl.load(key_lengths + last)
            zero_tail(d_key, used.to(tl.int32), key_rows, part, parts, 2 * HEADS * WIDTH, 512)
        return
    place = tl.arange(0, BLOCK)
    depth = tl.arange(0, WIDTH)
    row = place[:, None]
    column = place[None, :]
    if RELATIVE:
        offset = tl.arange(0, OFFSETS)[None, :]
        number = tl.arange(0, OFFSETS)[:, None]
        table_at = (number + (CLIP - WINDOW)) * WIDTH + depth[None, :]
        t = tl.load(table + table_at, number <= 2 * WINDOW, 0.0)
        near = tl.minimum(tl.maximum(column - row, -WINDOW), WINDOW) + WINDOW
        d_table = tl.zeros((OFFSETS, WIDTH), tl.float32)
    for item in range(tl.program_id(0), items, workers):
        sentence = item // HEADS
        head = item % HEADS
        queries = tl.load(query_lengths + sentence).to(tl.int32)
        keys = tl.load(key_lengths + sentence).to(tl.int32)
        longest = tl.maximum(queries, keys)
        if (longest > LOW) & (longest <= BLOCK):
            query_start = tl.load(query_starts + sentence).to(tl.int32)
            key_start = tl.load(key_starts + sentence).to(tl.int32)
            inside_query = row < queries
            inside_key = row < keys
            query_at = (query_start + row) * query_stride + head * WIDTH + depth[None, :]
            key_at = (key_start + row) * key_stride + head * WIDTH + depth[None, :]
            out_at = (query_start + row) * out_stride + head * WIDTH + depth[None, :]
            d_o = tl.load(d_out + out_at, inside_query, 0.0)
            o = tl.load(out + out_at, inside_query, 0.0).to(tl.float32)
            # Dao et al. 2022, appendix B.2: sum_j P_ij dP_ij = dO_i . O_i, dropout included.
            inner = tl.sum(d_o.to(tl.float32) * o, 1)[:, None]
            q = tl.load(query + query_at, inside_query, 0.0)
            k = tl.load(key + key_at, inside_key, 0.0)
            v = tl.load(value + key_at, inside_key, 0.0)
            total = tl.load(level + (query_start + place) * HEADS + head, place < queries, 0.0)
            scores = tl.dot(q, tl.trans(k), input_precision="ieee")
            if RELATIVE:
                scores += tl.gather(tl.dot(q, tl.trans(t), input_precision="ieee"), near, 1)
            hidden = (column >= keys) | (row >= queries)
            if CAUSAL:
                hidden = hidden | (column > row)
            weights = tl.exp(scores * score_scale - total[:, None])
            weights = tl.where(hidden, 0.0, weights)
            d_weights = tl.dot(d_o, tl.trans(v), input_precision="ieee")
            if RELATIVE:
                d_weights += tl.gather(tl.dot(d_o, tl.trans(t), input_precision="ieee"), near, 1)
            used = weights
            if DROP:
                index = ((query_start + row) * HEADS + head) * 128 + column
                keep = kept(tl.load(seed_at), site, index, threshold)
                used = tl.where(keep, weights * keep_scale, 0.0)
                d_weights = tl.where(keep, d_weights * keep_scale, 0.0)
            d_v = tl.dot(tl.trans(used.to(d_o.dtype)), d_o, input_precision="ieee")
            tl.store(d_value + key_at, d_v, inside_key)
            d_scores = weights * (d_weights - inner) * score_scale
            d_q = tl.dot(d_scores.to(k.dtype), k, input_precision="ieee")
            d_k = tl.dot(tl.trans(d_scores.to(q.dtype)), q, input_precision="ieee")
            if RELATIVE:
                spread = by_offset(d_scores, row, column, offset, WINDOW, BLOCK).to(q.dtype)
                d_q += tl.dot(spread, t, input_precision="ieee")
                d_table += tl.dot(tl.trans(spread), q, input_precision="ieee")
                spread = by_offset(used, row, column, offset, WINDOW, BLOCK).to(q.dtype)
                d_table += tl.dot(tl.trans(spread), d_o, input_precision="ieee")
            tl.store(d_query + query_at, d_q, inside_query)
            tl.store(d_key + key_at, d_k, inside_key)
    if RELATIVE:
        size: tl.constexpr = 2 * CLIP + 1
        partial_at = (first_partial + tl.program_id(0)) * size * WIDTH + table_at
        tl.store(partial + partial_at, d_table, number <= 2 * WINDOW)
