"""The importer of the released tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from recombine.builders.recipe import build, read_recipe
from recombine.errors import DataError, RecombineError
from recombine.testing import check_builder


def write(path: Path, *lines: str) -> None:
    """Write a file of lines."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")


def release(root: Path) -> Path:
    """Write a tiny release in the official layout."""
    pairs = root / "systematicity/s_np_vp/synthetic/systematicity_synthetic_1"
    write(Path(f"{pairs}_np.en"), "The man sees the king .", "The boys hear the queen .")
    write(Path(f"{pairs}_np_prime.en"), "The boy sees the king .", "The men hear the queen .")
    write(Path(f"{pairs}_vp_prime.en"), "The man sees the poet .", "The boys hear the aunt .")
    triples = root / "systematicity/s_conj/natural/systematicity_natural_2"
    write(Path(f"{triples}_s1_s2.en"), "The man sees the king , and it rains and snows.")
    write(Path(f"{triples}_s1p_s2.en"), "The man sees the poet , and it rains and snows.")
    write(Path(f"{triples}_s3_s2.en"), "The boys run , and it rains and snows.")
    write(root / "data/synthetic/synthetic_1.en", "The man sees the king .")
    write(root / "data/synthetic/synthetic_1.nl", "De man ziet de koning .")
    clause = root / "substitutivity/synthetic/substitutivity_synthetic_3"
    write(clause / "0-1.en", "The man sees the king that travels by aeroplane .")
    write(clause / "0-2.en", "The man sees the king that travels by airplane .")
    write(root / "substitutivity/natural/1-1.en", "Aluminium is light .", "No change .")
    write(root / "substitutivity/natural/1-2.en", "Aluminum is light .", "No change .")
    write(root / "substitutivity/natural/1.nl", "Aluminium is licht .", "Niets .")
    idiom = root / "overgeneralisation/synthetic/overgeneralisation_synthetic_4"
    write(idiom / "0.en", 'The man sees the king that said " I go once in a while " .')
    write(root / "overgeneralisation/natural/0.en", "Once in a while I go .", "Once in a while .")
    write(root / "overgeneralisation/natural/0.nl", "Soms ga ik .", "")
    write(
        root / "overgeneralisation/idioms.tsv",
        "idiom\tenglish_keywords\tdutch_keywords\tsub_clause",
        "once in a while\twhile\t {'tijd', 'even'}\tthat said \" once in a while \"",
    )
    return root


def test_official_layout(tmp_path: Path) -> None:
    """Every test is found, with groups, references, keywords and probes."""
    out = build("paradox", tmp_path / "out", overrides=(f"path={release(tmp_path / 'release')}",))
    assert out.manifest.splits["sentences"] == 1
    assert out.manifest.splits["systematicity"] == 6 + 3
    assert out.manifest.splits["substitutivity"] == 2 + 4
    assert out.manifest.splits["overgeneralisation"] == 1 + 2
    systematic = out.read("systematicity")
    clause = next(e for e in systematic if e.role == "s3").focus[0]
    assert clause.text == "it rains and snows."
    idioms = out.read("overgeneralisation")
    assert idioms[0].focus[1].accepted == ("even", "tijd")
    assert [e.references for e in idioms if e.tags["data"] == "natural"] == [("Soms ga ik .",), ()]
    probes = {e.source for e in out.iterate("probe")}
    assert {"The poet .", "It rains and snows.", "This is a while ."} <= probes


def test_reduced_layout(tmp_path: Path) -> None:
    """Natural data may lie beside the tests; without tables the shipped lists are used."""
    root = tmp_path / "reduced"
    write(root / "synthetic/synthetic_1.en", "The man sees the king .")
    write(root / "overgeneralisation_natural/8.en", "It came out of the blue .")
    write(root / "overgeneralisation_natural/8.nl", "Het kwam plotseling .")
    out = build("paradox", tmp_path / "out", overrides=(f"path={root}",))
    assert set(out.splits) == {"sentences", "overgeneralisation", "probe"}
    assert "blauw" in out.read("overgeneralisation")[0].focus[1].accepted


def test_training_text_beside_the_released_tests(tmp_path: Path) -> None:
    """Nothing that is tested or held out is trained on; dev and test are what is held out."""
    text, heldout = tmp_path / "text.tsv", tmp_path / "heldout.tsv"
    write(
        text,
        "en\tnl",
        *(f"Rule {i} is out of the blue.\tRegel {i}." for i in range(5)),
        "The man sees the king.\tDe man ziet de koning.",
        "It rains and snows.\tHet regent en sneeuwt.",
        # As the release does not write them: other quotes, an apostrophe, a mark less.
        "\u2018The man\u2019 sees the king\tDe man ziet de koning.",
        "Rest.\tRust.",
        "Rest!\tRust!",
    )
    write(heldout, "en\tnl\tsplit", "Rest.\tRust.\ttest", "Yes.\tJa.\tdev")
    root = release(tmp_path / "release")
    (root / "overgeneralisation/idioms.tsv").unlink()
    out = build(
        "paradox",
        tmp_path / "out",
        overrides=(f"path={root}", f"training={text}", f"heldout={heldout}"),
    )
    assert sorted(one.source for one in out.read("train")) == [
        f"Rule {i} is out of the blue ." for i in range(5)
    ]
    assert [one.source for one in out.read("dev")] == ["Yes ."]
    assert [one.references for one in out.read("test")] == [("Rust .",)]
    assert '"out of the blue": 5' in (out.path / "certificate.json").read_text(encoding="utf-8")
    write(heldout, "en\tnl\tsplit", "Rest.\tRust.\ttrain")
    with pytest.raises(DataError, match="'dev' or 'test', not 'train'"):
        build(
            "paradox",
            tmp_path / "other",
            overrides=(f"path={root}", f"training={text}", f"heldout={heldout}"),
        )


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        ("missing", "a member of this test is missing"),
        ("longer", "3 lines, but"),
        ("empty", "holds none of the released tests"),
        ("nowhere", "no such folder"),
    ],
)
def test_bad_folders(spoil: str, message: str, tmp_path: Path) -> None:
    """A missing member and unequal lengths stop the import and name the file."""
    root = release(tmp_path / "release")
    variant = root / "systematicity/s_np_vp/synthetic/systematicity_synthetic_1_vp_prime.en"
    if spoil == "missing":
        variant.unlink()
    elif spoil == "longer":
        variant.write_text("a\nb\nc\n")
    elif spoil == "empty":
        root = tmp_path / "empty"
        root.mkdir()
    else:
        root = tmp_path / "nowhere"
    with pytest.raises(RecombineError, match=message):
        build("paradox", tmp_path / "out", overrides=(f"path={root}",))


@pytest.mark.reference
@pytest.mark.slow
def test_published_folder(tmp_path: Path, reference_data: Path) -> None:
    """The published inputs give 15,000 one-token pairs and 15,000 triples."""
    root = reference_data / "paradox" / "inputs"
    out = build("paradox", tmp_path / "out", overrides=(f"path={root}",))
    groups: dict[str, set[str]] = {}
    for example in out.iterate("systematicity"):
        groups.setdefault(str(example.group), set()).add(str(example.role))
    pairs = [roles for name, roles in groups.items() if name.startswith("np-vp/")]
    triples = [roles for name, roles in groups.items() if name.startswith("conj/")]
    assert sum(len(roles) - 1 for roles in pairs) == 15_000
    assert len(triples) == 15_000
    assert out.manifest.splits["overgeneralisation"] == 23_234


def test_the_contract_holds(tmp_path: Path) -> None:
    """Valid examples and the same bytes twice."""
    options = [f"path={release(tmp_path / 'release')}"]
    check_builder(lambda: read_recipe("paradox", options).builder)
