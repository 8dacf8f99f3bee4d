"""Word choice: uniform, weighted, or Zipf by rank."""

from __future__ import annotations

from decimal import Context, Decimal
from functools import lru_cache

# Powers come from decimal arithmetic, which is correctly rounded everywhere; the C library's pow()
# may differ in the last bit between systems and would change samples.
_CONTEXT = Context(prec=40)
_BERNOULLI = (  # B(2j) / (2j)! of the Euler-Maclaurin formula
    Decimal(1) / 12,
    Decimal(-1) / 720,
    Decimal(1) / 30240,
    Decimal(-1) / 1209600,
)
_CUT = 50  # terms summed one by one before the Euler-Maclaurin tail; error below 1e-18


@lru_cache(maxsize=256)
def zipf_weights(count: int, exponent: float) -> tuple[float, ...]:
    """p(k) = zipf.pmf(k, a) + (1 - sum of pmf(1..n)) / n: COGS (Kim and Linzen 2020, appendix A).

    The Zipf law has infinitely many ranks; what lies beyond n is spread evenly, as SLOG's and
    SGET's word counts show (SGET: child .290, friend .121 with a = 1.4 and n = 100).
    """
    a = Decimal(repr(exponent))
    total = _zeta(a)
    mass = [_CONTEXT.divide(_power(k, a), total) for k in range(1, count + 1)]
    rest = (1 - sum(mass, Decimal(0))) / max(count, 1)
    return tuple(float(p + rest) for p in mass)


def _power(k: int, a: Decimal) -> Decimal:
    return _CONTEXT.power(Decimal(k), -a)


def _zeta(a: Decimal) -> Decimal:
    """Riemann's zeta by Euler-Maclaurin summation."""
    cut = Decimal(_CUT)
    total = sum((_power(k, a) for k in range(1, _CUT)), Decimal(0))
    total += _CONTEXT.power(cut, 1 - a) / (a - 1) + _CONTEXT.power(cut, -a) / 2
    rising = a
    for j, factor in enumerate(_BERNOULLI, start=1):
        total += factor * rising * _CONTEXT.power(cut, -a - 2 * j + 1)
        rising *= (a + 2 * j - 1) * (a + 2 * j)
    return total
