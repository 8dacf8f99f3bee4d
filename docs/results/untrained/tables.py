"""Tables on systems that nobody here trained."""

from __future__ import annotations

import json
from collections import Counter

from raw import HERE, Row, Table, chosen, rows

LANGUAGES = {"ja": "Japanese", "es": "Spanish", "fr": "French", "en": "English"}
VERDICTS = ("right", "doubtful", "wrong")


def verdict(row: Row) -> str:
    """What the reader says, without the reason."""
    return row["read as"].split(":")[0].split(",")[0]


def read_cells(outputs: list[Row]) -> list[str]:
    """How many were read, and how they were read."""
    counts = Counter(verdict(row) for row in outputs)
    return [str(counts.total()), *(str(counts[name]) for name in VERDICTS)]


def shares(n: int, exact: int, classes: Counter[str]) -> list[str]:
    """The cells of a system in the zero-shot table."""
    same, outside, different = (
        100 * classes[name] / n for name in ("same", "outside", "different")
    )
    judged = [f"{same:.1f} to {same + outside:.1f}", f"{outside:.1f}%", f"{different:.1f}%"]
    return [f"{n:,}", f"{100 * exact / n:.1f}", *judged]


def read() -> Table:
    """Outputs of trained models that `meaning` calls the same and `exact` wrong."""
    outputs = rows("untrained/models-read")
    made = [[LANGUAGES[code], *read_cells(chosen(outputs, target=code))] for code in ("ja", "es")]
    return Table(("target", "read", *VERDICTS), made)


def zero_shot() -> Table:
    """`exact` beside `meaning`, with what is outside and what is different."""
    apertium: Counter[str] = Counter()
    for row in rows("untrained/apertium-es"):
        apertium.update({name: int(n) for name, n in row.items() if name != "pattern"})
    smollm = rows("untrained/smollm2-ja")
    made = [
        [
            "Apertium eng-spa 0.8, rules", "SGET, English to Spanish, `gen`",
            *shares(apertium["n"], apertium["exact"], apertium),
        ],
        [
            "SmolLM2-135M-Instruct, 3 examples in the prompt",
            "sget-mini, English to Japanese, `gen`",
            *shares(
                len(smollm),
                sum(row["output"] == row["reference"] for row in smollm),
                Counter(row["meaning"] for row in smollm),
            ),
        ],
    ]  # fmt: skip
    for code, way in (("fr", "English to French"), ("en", "French to English")):
        outputs = chosen(rows("untrained/opus-fr"), target=code)
        exact = len(chosen(outputs, exact="yes"))
        made.append(
            [
                f"opus-mt-{'en-fr' if code == 'fr' else 'fr-en'}, greedy",
                f"sget-mini, {way}, `gen`, 3 of each pattern",
                *shares(len(outputs), exact, Counter(row["meaning"] for row in outputs)),
            ]
        )
    return Table(("system", "benchmark", "n", "`exact`", "`meaning`", "outside", "different"), made)


def opus_read() -> Table:
    """How outputs of opus-mt that are same or outside were read."""
    outputs = rows("untrained/opus-fr")
    made = [
        [LANGUAGES[code], name, *read_cells(chosen(outputs, target=code, meaning=name))]
        for code in ("fr", "en")
        for name in ("same", "outside")
    ]
    return Table(("target", "verdict", "read", *VERDICTS), made)


def opus_patterns() -> Table:
    """Of three sentences a pattern: exact, same and outside, to French and to English."""
    outputs = rows("untrained/opus-fr")
    made = []
    for pattern in sorted({row["pattern"] for row in outputs}):
        counts = []
        for code in ("fr", "en"):
            side = chosen(outputs, pattern=pattern, target=code)
            counts.append(len(chosen(side, exact="yes")))
            counts += [len(chosen(side, meaning=name)) for name in ("same", "outside")]
        made.append([pattern, *map(str, counts)])
    kinds = ("`exact`", "`meaning`", "outside")
    return Table(("pattern", *kinds, *kinds), made)


def engines() -> Table:
    """Three engines on full SGET: exact beside meaning."""
    outputs = rows("untrained/sget-engines")
    cells = []
    for system in dict.fromkeys(row["system"] for row in outputs):
        counts: Counter[str] = Counter()
        for row in chosen(outputs, system=system):
            names = ("n", "exact", "same", "different", "outside")
            counts.update({name: int(row[name]) for name in names})
        cells.append([system, *shares(counts["n"], counts["exact"], counts)])
    return Table(("system", "n", "`exact`", "`meaning`", "outside", "different"), cells)


def engines_read() -> Table:
    """How verdicts on these outputs were read, as given then and as given today."""
    outputs = rows("untrained/sget-read")
    cells = []
    for name in ("same", "different"):
        said = chosen(outputs, meaning=name)
        wrong = [row for row in said if verdict(row) == "wrong"]
        mended = sum(row["meaning"] != row["meaning now"] for row in wrong)
        cells.append([name, *read_cells(said), str(mended)])
    return Table(("verdict", "read", *VERDICTS, "of the wrong, mended"), cells)


def engines_by_pattern() -> Table:
    """Of eight sentences a pattern: exact, same and outside, of three engines."""
    outputs = rows("untrained/sget-engines")
    systems = list(dict.fromkeys(row["system"] for row in outputs))
    cells = []
    for pattern in sorted({row["pattern"] for row in outputs}):
        counts = []
        for system in systems:
            (row,) = chosen(outputs, system=system, pattern=pattern)
            counts += [row["exact"], row["same"], row["outside"]]
        cells.append([pattern, *counts])
    kinds = ("`exact`", "`meaning`", "outside")
    return Table(("pattern", *kinds * len(systems)), cells)


def language_models() -> Table:
    """What `meaning` and a reader say of language models on real and on invented words."""
    outputs = rows("untrained/language-models")
    cells = []
    for suite, system in dict.fromkeys((row["suite"], row["system"]) for row in outputs):
        said = chosen(outputs, suite=suite, system=system)
        judged = Counter(row["meaning"] for row in said if row["meaning"])
        counts = [str(judged[name]) if judged else "–" for name in ("same", "different", "outside")]
        cells.append([suite, system, *counts, *read_cells(said)])
    kinds = ("same", "different", "outside")
    return Table(("suite", "system", *kinds, "read", *VERDICTS), cells)


def who_composes() -> Table:
    """Every score of three systems on two suites."""
    text = (HERE / "untrained" / "who-composes.json").read_text(encoding="utf-8")
    names = ("system", "learned from", "suite", "test", "metric", "score", "95% interval", "of")
    return Table(names, [[row[name] for name in names] for row in json.loads(text)])
