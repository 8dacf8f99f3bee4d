"""Sentences drawn from a grammar: known words in unseen structures (SGET, Kumon et al. 2024)."""

from __future__ import annotations

from recombine.benchmark import Benchmark
from recombine.methods.imported import ImportedMethod
from recombine.report.method import TaxonomyPlace
from recombine.report.tables.published import (
    CONCATENATION,
    SELECTION,
    SGET,
    follows,
    published_release,
)


class GeneratedMethod(ImportedMethod):
    """Structures that training does not show, beside structures like those of training."""

    name = "generated"
    builders = ("generated", "generated-release")
    taxonomy = TaxonomyPlace(
        "Intrinsic", "Structural", "Covariate", "Fully generated", "Train-test"
    )

    control = "build one with: -o control=true"

    def published(self, benchmark: Benchmark) -> tuple[str, tuple[str, ...]] | None:
        """Return SGET by its recipe, in either edition, with the sizes of the paper."""
        manifest = benchmark.manifest
        sizes = {split: manifest.splits.get(split) for split in ("dev", "test", "gen")}
        if manifest.builder != "generated":
            return published_release(benchmark)
        if sizes != {"dev": 5_000, "test": 5_000, "gen": 76_000}:
            return None
        varied = (CONCATENATION, SELECTION)
        if not follows(manifest.recipe, "sget", ("edition", *varied)):
            return None
        return SGET, tuple(key for key in varied if not manifest.recipe.get(key, True))
