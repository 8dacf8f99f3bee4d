"""What a service has cost so far, and what it may cost: requests, tokens, money."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from recombine.errors import ConfigError, SystemFailure
from recombine.systems.http.template import total

_MILLION = 1e6
COST = "cost"


@dataclass
class Spending:
    """Counts what is used, over all threads, and says when no more may be.

    `usage` names where a reply counts what; `prices` are of a million of each. A cost that the
    service reports itself (`cost`) is taken before prices.
    """

    usage: Mapping[str, str]
    prices: Mapping[str, float] = field(default_factory=dict)
    max_requests: int | None = None
    max_tokens: int | None = None
    max_cost: float | None = None
    _counts: dict[str, float] = field(init=False, default_factory=dict)
    _lock: threading.Lock = field(init=False, default_factory=threading.Lock)

    def __post_init__(self) -> None:
        if self.max_tokens is not None and not any(name.endswith("tokens") for name in self.usage):
            raise ConfigError(
                "'max_tokens' needs 'usage': where an answer counts its tokens",
                hint='usage = { total_tokens = "usage.total_tokens" }',
            )
        unknown = [name for name in self.prices if name not in self.usage]
        if unknown:
            raise ConfigError(
                f"'prices' has {', '.join(unknown)}, which 'usage' does not count",
                hint=f"'usage' counts: {', '.join(self.usage) or 'nothing'}",
            )
        if self.max_cost is not None and not self.prices and COST not in self.usage:
            raise ConfigError(
                "'max_cost' needs 'prices', or in 'usage' where an answer states its cost",
                hint="per million: prices = { prompt_tokens = 2.5, completion_tokens = 10 }",
            )

    def spend_request(self) -> str:
        """Count a request that may be sent, or say which budget is spent."""
        with self._lock:
            used = self._counts
            # A total, where one is reported, has its parts in it.
            names = [name for name in self.usage if name.endswith("tokens")]
            names = ["total_tokens"] if "total_tokens" in names else names
            tokens, cost = sum(used.get(name, 0) for name in names), used.get(COST, 0)
            if self.max_requests is not None and used.get("requests", 0) >= self.max_requests:
                return f"the budget is spent: 'max_requests' is {self.max_requests:,}"
            if self.max_tokens is not None and tokens >= self.max_tokens:
                most = f"'max_tokens' is {self.max_tokens:,}"
                return f"the budget is spent: {tokens:,.0f} tokens, {most}"
            if self.max_cost is not None and cost >= self.max_cost:
                return f"the budget is spent: {cost:,.4f}, 'max_cost' is {self.max_cost:,g}"
            used["requests"] = used.get("requests", 0) + 1
        return ""

    def note(self, reply: Any) -> None:
        """Count what a reply says that it used."""
        totals = {name: total(reply, path) for name, path in self.usage.items()}
        reported = {name: value for name, value in totals.items() if value is not None}
        if COST not in reported and self.prices and set(self.prices) <= set(reported):
            reported[COST] = (
                sum(reported[name] * price for name, price in self.prices.items()) / _MILLION
            )
        self.count(**reported)
        if self.max_tokens is not None and not any(name.endswith("tokens") for name in reported):
            paths = [path for name, path in self.usage.items() if name.endswith("tokens")]
            raise SystemFailure(
                f"'max_tokens' cannot be kept: an answer has no number at {', '.join(paths)}",
                hint="say where the service counts tokens ('usage'), or use 'max_requests'",
            )
        if self.max_cost is not None and COST not in reported:
            paths = [self.usage[name] for name in (*self.prices, COST) if name in self.usage]
            raise SystemFailure(
                f"'max_cost' cannot be kept: an answer has no number at {', '.join(paths)}",
                hint="say where the service counts ('usage') and 'prices', or use 'max_requests'",
            )

    def count(self, **more: float) -> None:
        """Add to the counts."""
        with self._lock:
            for name, value in more.items():
                self._counts[name] = self._counts.get(name, 0) + value

    def counts(self) -> dict[str, float]:
        """What was used so far, by name."""
        with self._lock:
            return dict(sorted(self._counts.items()))
