"""Human judgements go out as a Pearmut campaign and come back beside every metric."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from recombine.benchmark import Example
from recombine.cli import main
from recombine.errors import RecombineError
from recombine.files import read_jsonl
from recombine.report.annotate import agreement, read_judgements, write_campaign
from report.compound_run import make_run
from report.scored_run import scored_run, small_benchmark


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A scored run on compounds, of which nine are wrong."""
    return make_run(tmp_path, seeds=(1,))


@pytest.fixture
def two(tmp_path: Path) -> Path:
    """Two systems on five sentences: `good` says the references, `bad` another last word."""
    rows = [
        Example.make(source=f"word {n}", references=(f"Un mot rouge {n}.",), tags={})
        for n in range(5)
    ]
    benchmark = small_benchmark(tmp_path / "b", {"test": rows}, source="en", target="fr")
    said = {
        "good": {one.id: one.references[0] for one in rows},
        "bad": {one.id: one.references[0].replace("rouge", "vert") for one in rows},
    }
    systems = {name: (lambda *_, texts=texts: texts) for name, texts in said.items()}
    return scored_run(tmp_path / "run", benchmark, systems, metrics=["exact", "chrf"])


def items(path: Path) -> list[dict[str, Any]]:
    """The sentences of a campaign."""
    campaign = json.loads(path.read_text(encoding="utf-8"))
    return [item for task in campaign["data"] for document in task for item in document]


def judged(path: Path, out: Path, judge: Any) -> Path:
    """What Pearmut would write of a campaign: `judge` is told the system and the text."""
    rows = []
    for number, item in enumerate(items(path)):
        answer = {
            system: dict(zip(("score", "error_spans"), judge(system, text), strict=True))
            for system, text in item["tgt"].items()
        }
        rows.append({"item_i": number, "user_id": "u", "item": [item], "annotation": [answer]})
    out.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return out


def test_a_campaign_is_what_pearmut_takes(two: Path, tmp_path: Path) -> None:
    """Every sentence with all systems, in documents, and no error marked where none is known."""
    assert write_campaign([two], tmp_path / "campaign.json") == 5
    campaign = json.loads((tmp_path / "campaign.json").read_text())
    assert campaign["info"]["protocol"] == "ESA"
    (item, *_) = items(tmp_path / "campaign.json")
    assert set(item["tgt"]) == {"good", "bad"}
    assert item["error_spans"] == {"good": [], "bad": []}
    assert "from English to French" in item["instructions"]


def test_what_a_metric_suspects_is_marked(run: Path, tmp_path: Path) -> None:
    """By characters, both ends inside, and nothing of what it takes for right."""
    write_campaign([run], tmp_path / "campaign.json")
    marked = 0
    for item in items(tmp_path / "campaign.json"):
        for system, text in item["tgt"].items():
            for span in item["error_spans"][system]:
                marked += 1
                assert 0 <= span["start_i"] <= span["end_i"] < len(text)
                assert "etwas ganz anderes" in text
    assert marked >= 9


def test_judgements_come_back_beside_every_metric(two: Path, tmp_path: Path) -> None:
    """A person who marks `vert` agrees with exact match and orders as chrF does."""
    campaign = tmp_path / "campaign.json"
    write_campaign([two], campaign)

    def judge(_system: str, text: str) -> tuple[float, list[dict[str, Any]]]:
        start = text.find("vert")
        span = {"start_i": start, "end_i": start + 3, "severity": "major", "category": None}
        return (40.0, [span]) if start >= 0 else (95.0, [])

    path = judged(campaign, tmp_path / "annotations.jsonl", judge)
    found = read_judgements([two], path, tmp_path / "human")
    assert found["good"] == {"judged": 5, "human score": 95.0, "without error": 1.0}
    assert found["bad"]["human score"] == 40.0
    assert found["metric exact"]["kappa"] == 1.0
    assert found["metric chrf"]["pairs ordered alike"] == 1.0
    rows = list(read_jsonl(tmp_path / "human" / "bad.jsonl"))
    assert [row["score"] for row in rows] == [40.0] * 5
    assert main(["report", str(two), "--judged", str(path)]) == 0


def test_the_mean_over_people_counts(two: Path, tmp_path: Path) -> None:
    """Two people, and the last word of each."""
    campaign = tmp_path / "campaign.json"
    write_campaign([two], campaign)
    first = judged(campaign, tmp_path / "a.jsonl", lambda *_: (10, [])).read_text()
    again = judged(campaign, tmp_path / "b.jsonl", lambda *_: (50, [])).read_text()
    other = again.replace('"user_id": "u"', '"user_id": "v"').replace("50", "90")
    (tmp_path / "all.jsonl").write_text(first + again + other)
    found = read_judgements([two], tmp_path / "all.jsonl")
    assert found["good"]["human score"] == 70.0


def test_who_begins_again_is_counted_once(two: Path, tmp_path: Path) -> None:
    """Pearmut writes a marker; what the person judged before it does not count."""
    write_campaign([two], tmp_path / "campaign.json")
    before = judged(tmp_path / "campaign.json", tmp_path / "a.jsonl", lambda *_: (10, []))
    lines = before.read_text().splitlines(keepends=True)
    marker = '{"user_id": "u", "annotation": "__RESET__"}\n'
    (tmp_path / "all.jsonl").write_text("".join([*lines, marker, lines[0].replace("10", "90")]))
    found = read_judgements([two], tmp_path / "all.jsonl")
    assert (found["good"]["judged"], found["good"]["human score"]) == (1, 90.0)
    (tmp_path / "none.jsonl").write_text("".join([*lines, marker]))
    with pytest.raises(RecombineError, match="nothing is judged"):
        read_judgements([two], tmp_path / "none.jsonl")


def test_what_a_metric_accepts_is_not_marked(tmp_path: Path) -> None:
    """`anatomy` finds other words than the reference's; `meaning` knows that they are right."""
    source, reference = "A manager wrote a game.", "Un gerente escribió un juego."
    rows = [Example.make(source=source, references=(reference,))]
    benchmark = small_benchmark(
        tmp_path / "b", {"test": rows}, builder="generated", target="es", recipe={"grammar": "sget"}
    )
    said = {"free": "Un juego fue escrito por un gerente.", "wrong": "Un gerente escribió un rey."}
    systems = {name: (lambda *_, text=text: {rows[0].id: text}) for name, text in said.items()}
    run = scored_run(tmp_path / "run", benchmark, systems, metrics=["meaning", "anatomy"])
    write_campaign([run], tmp_path / "campaign.json")
    (item,) = items(tmp_path / "campaign.json")
    assert item["error_spans"]["free"] == []
    assert item["error_spans"]["wrong"]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda text: text.replace("test|", "test|no-"), "no sentence"),
        (lambda text: text.replace('"good"', '"best"'), "no system of these runs is called"),
        (lambda text: text.replace("95", "950"), "not 0 to 100"),
        (lambda text: "[]\n", "no line of a Pearmut campaign"),
        (lambda text: text.replace("95", "null").replace("40", "null"), "nothing is judged"),
        (lambda text: '{"item": 7}\n', "no line of a Pearmut campaign"),
    ],
)
def test_a_broken_file_is_refused(two: Path, tmp_path: Path, change: Any, said: str) -> None:
    """With what is wrong."""
    write_campaign([two], tmp_path / "campaign.json")
    path = judged(tmp_path / "campaign.json", tmp_path / "a.jsonl", lambda *_: (95, []))
    path.write_text(change(path.read_text()))
    with pytest.raises(RecombineError) as raised:
        read_judgements([two], path)
    assert said in raised.value.render()


def test_agreement_of_nothing_decided() -> None:
    """A metric that could judge nothing has no kappa."""
    assert agreement([]) == {"judged": 0, "decided": 0}


def test_a_campaign_is_json(two: Path, tmp_path: Path) -> None:
    """A sheet of another form is not written by mistake."""
    with pytest.raises(RecombineError, match=r"no \.json file"):
        write_campaign([two], tmp_path / "sheet.tsv")
