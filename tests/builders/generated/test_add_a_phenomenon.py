"""The worked example of the how-to page, command by command."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from recombine.cli import main


@pytest.fixture
def page(repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The page, in a folder with the files it shows."""
    text = (repository / "docs" / "how-to" / "add-a-phenomenon.md").read_text(encoding="utf-8")
    files = re.findall(r"<!-- file: (\S+) -->\n```(?:toml)?\n(.*?)```", text, re.DOTALL)
    assert len(files) == 6
    for name, content in files:
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(content, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return text


def test_every_command_of_the_worked_example_works(page: str, tmp_path: Path, capsys) -> None:
    """Negation and coordination are added, looked at, built and proved as the page says."""
    blocks = re.findall(r"```console\n(.*?)```", page, re.DOTALL)
    commands = [line[2:] for block in blocks for line in block.splitlines()]
    assert len(commands) == 7
    said: list[str] = []
    for command in commands:
        program, *arguments = shlex.split(command)
        assert program == "recombine"
        assert main(arguments) == 0, command
        said.append(capsys.readouterr().out)
    assert re.search(r"en\t.*\b(did|do|does) not\b", said[0])
    assert "└─ S: negated {neg}" in said[0]
    assert "ja\tエマとアリは眠らなかった。" in said[1]
    assert "en\tEmma did not see the cat." in said[2]
    certificate = json.loads(Path("phenomena/certificate.json").read_text(encoding="utf-8"))
    assert certificate["train_sentences_without_analysis"] == 0
    gen = Path("phenomena/gen.jsonl").read_text(encoding="utf-8")
    rows = [json.loads(line) for line in gen.splitlines()]
    for name, shown in (("negated_object", r"\bnot\b"), ("coordinated_object", r"\band\b")):
        assert certificate["patterns"][name]["in_train"] == 0
        own = [row["source"] for row in rows if row["tags"]["pattern"] == name]
        assert len(own) == 40
        assert all(re.search(shown, source) for source in own)


def test_the_first_commands_of_the_page_work(repository: Path, capsys) -> None:
    """What the page shows first, on the shipped grammar, is sampled although it has weight 0."""
    text = (repository / "docs" / "how-to" / "add-a-phenomenon.md").read_text(encoding="utf-8")
    command = next(
        line for line in text.splitlines() if line.startswith("recombine sample sget -n")
    )
    assert main(shlex.split(command)[1:]) == 0
    assert capsys.readouterr().out.count("en\t") == 5
