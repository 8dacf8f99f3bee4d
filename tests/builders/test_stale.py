"""A benchmark is kept exactly as long as it would come out the same."""

from __future__ import annotations

import shutil

import pytest

from recombine import registry
from recombine.benchmark import Benchmark
from recombine.builders.check import check_benchmark
from recombine.builders.recipe import build, inputs_of, read_recipe
from recombine.cli import main
from recombine.errors import StaleOutput
from recombine.files import read_json
from recombine.grammar.files.folder import find_grammar

RECIPE = """\
builder = "generated"
grammar = "./mine"
exposures = 0
[benchmark]
source = "en"
target = "ja"
[split.train.base]
size = 20
pool = "base"
[split.test.base]
size = 5
pool = "base"
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A grammar of one's own, and a recipe that builds with it."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(find_grammar("toy"), tmp_path / "mine")
    (tmp_path / "mine" / "variants").mkdir(exist_ok=True)
    (tmp_path / "mine" / "variants" / "ja.lexicon.tsv").write_text("id\tform\ncat\tネコ\n")
    (tmp_path / "r.toml").write_text(RECIPE)
    return tmp_path


def edit(path, old=None, new=""):
    """Change a file, whatever is in it."""
    text = path.read_text(encoding="utf-8")
    assert old is None or old in text
    path.write_text(text.replace(old, new, 1) if old else text + "\n# a remark\n", encoding="utf-8")


@pytest.mark.parametrize(
    "name",
    ["abstract.grammar", "en.grammar", "ja.lexicon.tsv", "variants/ja.lexicon.tsv"],
)
def test_every_edited_file_is_noticed(folder, name, capsys):
    """A linguist who edits and builds again got the old words, and `check` found nothing."""
    assert main(["build", "r.toml", "--out", "b"]) == 0
    assert main(["build", "r.toml", "--out", "b"]) == 0
    assert "is up to date" in capsys.readouterr().err
    edit(folder / "mine" / name)
    assert main(["build", "r.toml", "--out", "b"]) == 2
    told = capsys.readouterr().err
    assert f"b was made with another 'inputs.mine/{name}'" in told
    assert "--force" in told
    assert main(["build", "r.toml", "--out", "b", "--force"]) == 0
    assert main(["build", "r.toml", "--out", "b"]) == 0
    assert "is up to date" in capsys.readouterr().err
    assert check_benchmark(Benchmark.open("b")) == []


def test_a_plan_says_what_a_build_would(folder, capsys):
    """Up to date, or stale with what differs; it planned the whole build either way."""
    assert main(["build", "r.toml", "--out", "b"]) == 0
    assert main(["build", "r.toml", "--out", "b", "--dry-run"]) == 0
    assert "up to date" in capsys.readouterr().out
    edit(folder / "mine" / "en.grammar")
    assert main(["build", "r.toml", "--out", "b", "--dry-run"]) == 2
    assert "another 'inputs.mine/en.grammar'" in capsys.readouterr().err
    assert main(["build", "r.toml", "--out", "b", "--dry-run", "--force"]) == 0


def test_what_is_not_read_is_not_noticed(folder):
    """Another language, a file beside the grammar, another place of work."""
    first = build("r.toml", "b")
    edit(folder / "mine" / "de.lexicon.tsv")
    (folder / "mine" / "notes.txt").write_text("mine")
    assert build("r.toml", "b").hash == first.hash


def test_another_grammar_below_is_noticed(folder):
    """A folder that extends a grammar reads that, too."""
    (folder / "more").mkdir()
    (folder / "more" / "abstract.grammar").write_text('%extends "../mine"\n')
    edit(folder / "r.toml", "./mine", "./more")
    build("r.toml", "b")
    edit(folder / "mine" / "abstract.grammar")
    with pytest.raises(StaleOutput, match=r"inputs\.mine/abstract\.grammar"):
        build("r.toml", "b")


def test_variants_make_no_other_benchmark(folder):
    """Another way to say a word is carried along; scores are of the same benchmark."""
    first = build("r.toml", "b")
    (folder / "mine" / "variants" / "ja.lexicon.tsv").write_text("id\tform\ncat\t子猫\n")
    second = build("r.toml", "c")
    carried = "grammar/mine/variants/ja.lexicon.tsv"
    assert first.manifest.files[carried] != second.manifest.files[carried]
    assert first.hash == second.hash
    edit(folder / "mine" / "ja.lexicon.tsv")
    assert build("r.toml", "d").hash != first.hash


def test_a_corpus_that_changed_is_noticed_and_one_that_is_gone_is_not(tmp_path, monkeypatch):
    """Files of options count by what they say, under the option's name."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.en").write_text("One.\nTwo.\n")
    (tmp_path / "a.de").write_text("Eins.\nZwei.\n")
    options = ["split.test.source=a.en", 'split.test.references=["a.de"]', "benchmark.target=de"]
    first = build("imported", "b", overrides=options)
    assert set(first.manifest.inputs) == {"split.test.source", "split.test.references.0"}
    edit(tmp_path / "a.de", "Zwei", "Zwo")
    with pytest.raises(StaleOutput, match=r"inputs\.split\.test\.references\.0"):
        build("imported", "b", overrides=options)
    edit(tmp_path / "a.de", "Zwo", "Zwei")
    (tmp_path / "a.en").unlink()
    assert build("imported", "b", overrides=options).hash == first.hash


def test_code_that_gives_other_results_is_noticed(folder, monkeypatch):
    """Its author raises a number; the first is not written down."""
    build("r.toml", "b")
    assert "code_version" not in (folder / "b" / "benchmark.toml").read_text()
    monkeypatch.setattr(registry.lookup("builder", "generated"), "code_version", 2, raising=False)
    with pytest.raises(StaleOutput, match="another 'code_version': 1 then, 2 now"):
        build("r.toml", "b")
    assert build("r.toml", "b", force=True).manifest.code_version == 2


BUILDER = """\
from recombine.benchmark import Example
class Mine:
    def build(self, draft):
        draft.write("test", [Example.make(source="a", references=["b"])])
"""


def test_an_edited_builder_of_ones_own_is_noticed(tmp_path, monkeypatch):
    """Its file is read like any other; it needs no options."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(BUILDER)
    first = build("./mine.py:Mine", "b")
    assert build("./mine.py:Mine", "b").hash == first.hash
    edit(tmp_path / "mine.py", 'source="a"', 'source="c"')
    with pytest.raises(StaleOutput, match=r"another 'inputs\.mine\.py'"):
        build("./mine.py:Mine", "b")
    assert build("./mine.py:Mine", "b", force=True).read("test")[0].source == "c"


@pytest.mark.parametrize("name", ["sget-mini", "consistency"])
def test_shipped_recipes_say_what_they_read(name):
    """All of it is there, and short to read in a manifest."""
    files = inputs_of(read_recipe(name).builder)
    assert len(files) > 3
    assert all(path.is_file() for path in files.values())
    assert not any("variants" in file for file in files)


def test_scores_know_the_variants_they_were_given_with(folder):
    """`meaning` with other variants is another score: it is made again, and nothing is stale."""
    build("r.toml", "b")
    (folder / "e.toml").write_text(
        'benchmark = "b"\nrun = "run"\nmetrics = ["exact", "meaning"]\nsplits = ["test"]\n'
        '[system.copy]\nuse = "copy"\n'
    )
    assert main(["run", "e.toml"]) == 0
    meta = folder / "run/copy/seed-1/scores/scores.meta.json"
    before = read_json(meta)["fingerprint"]["grammar"]
    assert "mine/variants/ja.lexicon.tsv" in before
    (folder / "mine" / "variants" / "ja.lexicon.tsv").write_text("id\tform\ncat\t子猫\n")
    build("r.toml", "b", force=True)
    assert main(["run", "e.toml"]) == 0
    assert read_json(meta)["fingerprint"]["grammar"] != before
