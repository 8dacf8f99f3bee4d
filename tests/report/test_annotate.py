"""Human judgements go out and come back."""

from __future__ import annotations

from collections import Counter

import pytest

from recombine.errors import DataError, RecombineError
from recombine.report.annotate import (
    HumanJudgement,
    read_judgements,
    summarise,
    write_annotation_sheet,
)
from report.compound_run import make_run


@pytest.fixture
def run(tmp_path):
    """A scored run."""
    return make_run(tmp_path, seeds=(1,))


def fill(path, answer):
    """Write an answer into every row."""
    lines = path.read_text(encoding="utf-8").splitlines()
    filled = [lines[0]]
    for line in lines[1:]:
        cells = line.split("\t")
        cells[5] = answer(cells)
        filled.append("\t".join(cells))
    path.write_text("\n".join(filled) + "\n", encoding="utf-8")


def test_a_round_trip(run, tmp_path):
    """A judge who agrees with the metric everywhere gives kappa 1."""
    sheet = tmp_path / "sheet.tsv"
    assert write_annotation_sheet([run], sheet) == 36
    head = sheet.read_text(encoding="utf-8").splitlines()[0]
    assert "verdict" not in head
    fill(sheet, lambda cells: "0" if cells[3].startswith("etwas") else "1")
    result = read_judgements([run], sheet)["toy"]
    assert (result["kappa"], result["precision"], result["recall"]) == (1.0, 1.0, 1.0)
    assert result["human instance error"] == result["metric instance error"] == round(12 / 36, 4)
    assert result["compounds"] == 12


def test_a_sample_has_whole_compounds(run, tmp_path):
    """Nobody judges ten thousand rows; a smaller sheet has all contexts of fewer compounds."""
    sheet = tmp_path / "sheet.tsv"
    count = write_annotation_sheet([run], sheet, 12)
    assert 0 < count < 36
    rows = [line.split("\t") for line in sheet.read_text(encoding="utf-8").splitlines()[1:]]
    contexts = Counter(row[1] for row in rows)
    assert set(contexts.values()) == {3}
    fill(sheet, lambda cells: "1")
    assert read_judgements([run], sheet)["toy"]["judged"] == count


def test_disagreement_is_measured():
    """Precision, recall and kappa of the class ERROR."""
    rows = [(True, True)] * 5 + [(False, False)] * 3 + [(False, True)] + [(True, False)]
    found = summarise([HumanJudgement("s", str(n), h, m) for n, (h, m) in enumerate(rows)])
    assert (found["precision"], found["recall"], found["accuracy"]) == (0.75, 0.75, 0.8)
    assert found["kappa"] == pytest.approx(0.5833, abs=1e-4)


def test_an_unfinished_sheet_can_be_read(run, tmp_path):
    """Empty rows are counted, not guessed; words count as answers."""
    sheet = tmp_path / "sheet.tsv"
    write_annotation_sheet([run], sheet)
    fill(sheet, lambda cells: "Yes" if "dog" in cells[1] else "")
    result = read_judgements([run], sheet)
    assert result["toy"]["judged"] == 9
    assert result["not judged"] == 27


def test_faults_are_named(run, tmp_path):
    """A wrong answer, a strange key, no answers, no column."""
    sheet = tmp_path / "sheet.tsv"
    write_annotation_sheet([run], sheet)
    with pytest.raises(DataError, match="no row is judged"):
        read_judgements([run], sheet)
    fill(sheet, lambda cells: "maybe" if "old dog" in cells[1] else "1")
    with pytest.raises(RecombineError):
        read_judgements([run], sheet)
    sheet.write_text("key\tcorrect\nx|1|gen|y\t1\n", encoding="utf-8")
    with pytest.raises(DataError, match="not in these runs"):
        read_judgements([run], sheet)
    sheet.write_text("a\tb\n", encoding="utf-8")
    with pytest.raises(DataError, match="column 'key'"):
        read_judgements([run], sheet)


def test_a_row_judged_twice_is_refused(run, tmp_path):
    """Two sheets pasted together would count its compound twice."""
    sheet = tmp_path / "sheet.tsv"
    write_annotation_sheet([run], sheet)
    fill(sheet, lambda cells: "1")
    lines = sheet.read_text(encoding="utf-8").splitlines()
    sheet.write_text("\n".join([*lines, lines[1]]) + "\n", encoding="utf-8")
    with pytest.raises(DataError, match="stands in line 2 already"):
        read_judgements([run], sheet)
