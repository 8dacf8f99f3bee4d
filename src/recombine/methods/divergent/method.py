"""A test set with the atoms of training in other compounds (DBCA, Moisio et al. 2023)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from markupsafe import Markup

from recombine.benchmark import Benchmark
from recombine.methods.divergent.family import (
    are_of_one_corpus,
    make_family,
    missing_members,
    read_certified,
)
from recombine.methods.divergent.figures import response_figures
from recombine.methods.divergent.page import family_title, render_family
from recombine.methods.divergent.tables import divergent_tables, family_tables, generalisation_table
from recombine.methods.imported import ImportedMethod
from recombine.report.findings import Findings
from recombine.report.method import Headline, JointReport, TaxonomyPlace
from recombine.report.tables.published import DBCA, follows
from recombine.report.tables.table import Table
from recombine.templates import number, render

# Sentences of the splits of Table 2 of Moisio et al. 2023, rounded there to thousands.
_DBCA_SIZES = {
    "dbca-min": ((193_000, 204_000), (34_000, 38_000)),
    "dbca-random": ((199_000, 201_000), (29_000, 31_000)),
    "dbca-max": ((196_000, 201_000), (21_500, 23_500)),
}
_DBCA_TARGETS = ("de", "fr", "el", "fi")
# They are of Europarl, in which 7 to 12% of the sentences have one of these; other English has
# next to none.
_PARLIAMENT = re.compile(
    r"\b(?:Mr President|Madam President|ladies and gentlemen|rapporteur|this House|Commissioner"
    r"|European Parliament)\b",
    re.IGNORECASE,
)
_LEAST_PARLIAMENT = 0.02
# Options that say where a corpus lies, into which language and how many sentences.
_DBCA_FREE = (
    "corpus", "target_corpus", "parser", "target_language", "train_size", "test_size", "dev_size",
    "used_share", "test_share", "keep_rest",
)  # fmt: skip


class DivergentMethod(ImportedMethod):
    """The experiment's own metric on new combinations; what they cost shows beside other splits."""

    name = "divergent"
    builders = ("divergent",)
    taxonomy = TaxonomyPlace(
        "Practical", "Compositional", "Covariate", "Partitioned natural", "Train-test"
    )
    of_one_corpus = True
    control = "build one with: -o control=random"

    def headline(self, report: Findings) -> Headline:
        """Return the scores, and how many combinations were to be new."""
        main = report.main
        named, new = report.words.metric(main.metric), report.split_name(main.split)
        systems = [name for name in report.best_first if name in main.systems]
        numbers = ", ".join(f"{name} {main.overall(name).value:.1f}" for name in systems[:4])
        manifest = report.source.benchmark.manifest
        wanted = manifest.recipe.get("target_divergence")
        kinds = {0.0: "as few as possible", 1.0: "as many as possible"}
        how = kinds.get(float(wanted)) if isinstance(wanted, (int, float)) else None
        note = "Training and test share their words and differ in how these combine."
        if not report.learned:
            return Headline(f"{named} on {new}: {numbers}", ())
        if how:
            note = f"Training and test share their words; {how} of their combinations are new."
        beside = (
            "How much that costs is seen beside another split of the corpus, or with a control."
        )
        return Headline(
            f"{named} on {new}: {numbers}", (note, *(() if report.controls else [beside]))
        )

    def first_screen(self, report: Findings) -> Markup:
        """Return how far training and test are apart, the scores, and what the control says."""
        certified = read_certified(report.source.benchmark)
        scores = super().first_screen(report)
        if certified is None:
            return scores
        atoms, compounds = (
            float(certified.certificate[f"{kind}_divergence"]) for kind in ("atom", "compound")
        )
        return render(
            "divergent_screen",
            atoms=number(atoms, 3),
            compounds=number(compounds, 3),
            places=(100 * atoms, 100 * compounds),
            scores=scores,
            has_control=any(parts.control for parts in report.gaps),
        )

    def tables(self, report: Findings) -> list[Table]:
        """Return Table 2."""
        return divergent_tables(report)

    def joint_report(self, reports: Sequence[Findings]) -> JointReport:
        """Return what runs on several splits of one corpus say together."""
        family = make_family(reports)
        tables = family_tables(family)
        notes = [
            f"{division.name}: {note}"
            for division in family.divisions
            for note in division.report.notes
        ]
        return JointReport(
            family_title(family),
            tables,
            response_figures(family),
            [*notes, *missing_members(family)],
            ("benchmark", "kind", "split_seed"),
            [(division.name, division.kind, division.seed) for division in family.divisions],
            lambda drawn, notes: render_family(family, tables, drawn, notes),
        )

    def suite_tables(self, reports: Sequence[Findings]) -> list[Table]:
        """Return the generalisation scores of splits of one corpus."""
        if len(reports) < 2 or not are_of_one_corpus(reports):
            return []
        table = generalisation_table(make_family(reports))
        return [] if table is None else [table]

    def published(self, benchmark: Benchmark) -> tuple[str, tuple[str, ...]] | None:
        """Return a split of the paper by recipe, languages, the sizes of Table 2 and the corpus."""
        manifest = benchmark.manifest
        if manifest.source != "en" or manifest.target not in _DBCA_TARGETS:
            return None
        train = manifest.splits.get("train", 0) + manifest.splits.get("dev", 0)
        test = manifest.splits.get("test", 0)
        for name, (trains, tests) in _DBCA_SIZES.items():
            if trains[0] <= train <= trains[1] and tests[0] <= test <= tests[1]:
                alike = follows(manifest.recipe, name, _DBCA_FREE)
                return (DBCA, ()) if alike and is_europarl(benchmark) else None
        return None


def is_europarl(benchmark: Benchmark) -> bool:
    """Whether the test sentences were said in the European Parliament."""
    matches = [
        _PARLIAMENT.search(example.source) is not None for example in benchmark.iterate("test")
    ]
    return sum(matches) >= _LEAST_PARLIAMENT * len(matches) > 0
