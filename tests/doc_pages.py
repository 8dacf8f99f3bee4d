"""What the pages of the docs take for granted, so that a test can run their commands.

Blocks of commands run as they stand, in the order of their page. One that cannot run here says why
in the page's source: `<!-- not run: REASON -->` on the line before it. Two things are put in place:

- files that a reader has (a corpus, outputs, runs) are small ones of ours;
- programs that a reader has (an engine, a tool for people who judge) are stand-ins.

Trainings are made short by options that are added to the command.
"""

from __future__ import annotations

import gzip
import http.server
import json
import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from builders.invented_corpus import write_corpus
from parsed_corpora import made_up, write_conllu
from recombinable import english_german
from recombine.benchmark import Benchmark, Example
from recombine.builders.recipe import build
from report.compound_run import make_run
from report.scored_run import scored_run, small_benchmark

FENCE = re.compile(r"^(?:<!-- (.+?) -->\n)?```(\w*)\n(.*?)^```", re.DOTALL | re.MULTILINE)
FILE_NAME = re.compile(r"# ([\w./-]+\.(?:toml|py))\n")


class Block(NamedTuple):
    """A fenced block of a page, and the comment on the line before it."""

    comment: str
    language: str
    text: str

    @property
    def file(self) -> str:
        """The name of the file that the block shows, or nothing."""
        if self.comment.startswith("file: "):
            return self.comment.removeprefix("file: ")
        named = FILE_NAME.match(self.text)
        return named[1] if named else ""

    @property
    def reason(self) -> str:
        """Why the block is not run, or nothing."""
        named = self.comment.startswith("not run: ")
        return self.comment.removeprefix("not run: ") if named else ""

    @property
    def script(self) -> str:
        """The commands of the block, without what they print."""
        if self.language == "sh":
            return self.text
        if self.language != "console":
            return ""
        lines: list[str] = []
        for line in self.text.splitlines():
            if line.startswith("$ "):
                lines.append(line[2:])
            elif lines and lines[-1].endswith("\\"):
                lines.append(line)
        return "\n".join(lines) + "\n"


def blocks(page: Path) -> list[Block]:
    """Every fenced block of a page, in order."""
    return [
        Block(comment or "", language, text)
        for comment, language, text in FENCE.findall(page.read_text(encoding="utf-8"))
    ]


class Shell:
    """A reader's shell in a folder, with stand-ins for programs and short trainings."""

    def __init__(self, folder: Path, shorter: dict[str, str]) -> None:
        self.folder = folder
        self.closing = ExitStack()
        self.replaced: dict[str, str] = {}  # in the files that a page shows
        self.programs = folder / ".programs"
        self.programs.mkdir()
        self.environment = {
            **os.environ,
            "PATH": f"{self.programs}:{Path(sys.executable).parent}:{os.environ['PATH']}",
            "HOME": str(folder),
        }
        cases = "".join(
            f'"{start}"*) command recombine "$@" {options};;\n'
            for start, options in shorter.items()
        )
        self.prelude = f'recombine() {{ case "$*" in\n{cases}*) command recombine "$@";; esac; }}\n'

    def add_program(self, name: str, python: str) -> None:
        """Put a stand-in in the way of a program."""
        path = self.programs / name
        path.write_text(f"#!{sys.executable}\n{python}", encoding="utf-8")
        path.chmod(0o755)

    def run(self, script: str) -> str:
        """Run commands, and return what they printed. A line that says it fails must fail."""
        lines = [
            f"! {line}" if "# fails" in line else line for line in script.rstrip().splitlines()
        ]
        path = self.programs / "block.sh"
        path.write_text(self.prelude + "\n".join(lines) + "\n", encoding="utf-8")
        done = subprocess.run(
            ["bash", "-euo", "pipefail", str(path)],
            cwd=self.folder, env=self.environment, capture_output=True, text=True,
        )  # fmt: skip
        assert done.returncode == 0, f"{script}\n{done.stdout[-1000:]}\n{done.stderr[-3000:]}"
        return done.stdout


def write_lines(path: Path, lines: list[str]) -> None:
    """Write a text, a sentence per line."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")


def of_sget_mini(folder: Path, split: str) -> list[tuple[str, str]]:
    """Sources and references of the benchmark that most pages begin with."""
    rows = Benchmark.open(folder / "out" / "sget-mini").read(split)
    return [(row.source, row.references[0]) for row in rows]


def outputs_of_gen(shell: Shell) -> None:
    """Two systems on `gen`: one copies its input, one translates every twentieth sentence."""
    pairs = of_sget_mini(shell.folder, "gen")
    mixed = [pair[number % 20 == 0] for number, pair in enumerate(pairs)]
    for name in ("outputs", "ours"):
        write_lines(shell.folder / f"{name}.txt", mixed)
    write_lines(shell.folder / "theirs.txt", [source for source, _ in pairs])


def own_test_set(shell: Shell) -> None:
    """Fifty sentences of a reader's own test set, and two systems on it."""
    outputs_of_gen(shell)
    references = [f"Satz {number} ist ein kurzer Satz ." for number in range(50)]
    write_lines(shell.folder / "test.en", [f"Sentence {n} is short ." for n in range(50)])
    write_lines(shell.folder / "test.de", references)
    for name, old, new in (("ours", "kurzer", "knapper"), ("theirs", "ein kurzer Satz", "kurz")):
        outputs = [text.replace(old, new) for text in references]
        write_lines(shell.folder / f"{name}.de", outputs)


def own_pairs(shell: Shell) -> None:
    """Training pairs of a reader, in the three forms that `augment` reads."""
    pairs = [english_german()[37 * number % 100] for number in range(60)]
    write_lines(shell.folder / "train.en", [english for english, _ in pairs])
    write_lines(shell.folder / "train.de", [german for _, german in pairs])
    rows = [{"source": german, "target": english} for english, german in pairs]
    write_lines(shell.folder / "pairs.jsonl", [json.dumps(row) for row in rows])
    japanese = of_sget_mini(shell.folder, "train")
    text = "".join(f"{source}\t{target}\n" for source, target in japanese)
    (shell.folder / "pairs.tsv.gz").write_bytes(gzip.compress(text.encode()))


def own_recipe(shell: Shell) -> None:
    """The block that the page explains, in a recipe."""
    page = Path(__file__).parents[1] / "docs" / "how-to" / "add-a-phenomenon.md"
    (block,) = (b.text for b in blocks(page) if b.text.startswith("[split.gen.pp_on_subject]"))
    start = (
        'builder = "generated"\ngrammar = "sget"\nconcatenation = false\n'
        '[benchmark]\nname = "mine"\nsource = "en"\ntarget = "ja"\n'
        "[split.train.base]\nsize = 2000\n[split.test.base]\nsize = 200\n"
    )
    (shell.folder / "my-recipe.toml").write_text(start + block, encoding="utf-8")


def four_files(shell: Shell) -> None:
    """The folder of text files that the page on words shows, with tabs between columns."""
    page = Path(__file__).parents[1] / "docs" / "how-to" / "add-a-word.md"
    shown = next(block.text for block in blocks(page) if block.text.startswith("mine/"))
    for entry in re.split(r"^(?=mine/)", shown, flags=re.MULTILINE)[1:]:
        name, text = entry.split(maxsplit=1)
        lines = [re.sub(r"\s{2,}", "\t", line.strip()) for line in text.strip().splitlines()]
        write_lines(shell.folder / name, lines)


def natural_text(shell: Shell) -> None:
    """A parallel corpus of plain sentences, and two parsed sets."""
    folder = shell.folder
    build("sget-mini", folder / "german", overrides=("benchmark.target=de",))
    rows = Benchmark.open(folder / "german").read("train")
    write_lines(folder / "corpus.en", [row.source for row in rows])
    write_lines(folder / "corpus.de", [row.references[0] for row in rows])
    write_conllu(folder / "train.conllu", made_up(300))
    write_conllu(folder / "test.conllu", made_up(200, seed=1))
    write_corpus(folder / "FILE")
    shutil.rmtree(folder / "german")


# Reads paragraphs and writes capitals.
ENGINE = """
import sys
for block in sys.stdin.read().split("\\n\\n"):
    if block.strip():
        print(block.strip().upper(), end="\\n\\n")
"""

# Everybody gives 100 points and marks nothing.
PEARMUT = """
import json, sys
if sys.argv[1] == "run":
    campaign = json.load(open("campaign.json", encoding="utf-8"))
    items = [item for task in campaign["data"] for document in task for item in document]
    for path in ("annotations.jsonl", "data/annotations/CAMPAIGN.jsonl"):
        with open(path, "w", encoding="utf-8") as file:
            for number, item in enumerate(items):
                answer = {system: {"score": 100, "error_spans": []} for system in item["tgt"]}
                row = {"item_i": number, "user_id": "u", "item": [item], "annotation": [answer]}
                print(json.dumps(row), file=file)
"""


def people_who_judge(shell: Shell) -> None:
    """A scored run, and Pearmut with people at work."""
    make_run(shell.folder, seeds=(1,)).rename(shell.folder / "RUN")
    shell.add_program("pip", "")
    shell.add_program("pearmut", PEARMUT)
    (shell.folder / "data" / "annotations").mkdir(parents=True)
    rows = Benchmark.open(shell.folder / "out" / "sget-mini").read("gen")
    for name in ("SYSTEM", "OTHER"):
        returned = [
            {"doc_id": f"sget-mini_###_gen_###_en_###_ja_###_{row.id}", "hypothesis": row.source}
            for row in rows
        ]
        write_lines(shell.folder / f"{name}.jsonl", [json.dumps(row) for row in returned])


def scored_runs(shell: Shell) -> None:
    """Runs of one benchmark with different systems, and one of another benchmark."""
    folder = shell.folder
    rows = Benchmark.open(folder / "out" / "sget-mini").read("gen")[::20]
    benchmark = small_benchmark(
        folder / "few", {"gen": rows}, target="ja", builder="generated", name="sget"
    )
    for name, cut in (("quickstart", 1), ("a", 1), ("b", 2), ("sget", 1)):

        def outputs(split: str, seed: int, cut: int = cut) -> dict[str, str]:
            return {
                row.id: row.references[0][: -cut if number % (seed + 2) else None]
                for number, row in enumerate(rows)
            }

        scored_run(
            folder / "runs" / name, benchmark, {f"system-{name}": outputs},
            metrics=["exact", "chrf"], seeds=(1, 2), use="transformer",
        )  # fmt: skip
    make_run(folder / "other", seeds=(1,)).rename(folder / "runs" / "cognition")


def few_paraphrases(shell: Shell) -> None:
    """Two sentences of a grammar, one of them translated in other words; one output of `gen`."""
    folder = shell.folder
    texts = [("Emma saw the cat.", "エマが猫を見た。"), ("The cat saw Emma.", "猫がエマを見た。")]
    rows = [Example.make(source=source, references=(target,)) for source, target in texts]
    small_benchmark(folder / "out" / "paraphrases", {"test": rows}, target="ja")
    outputs = [{"id": rows[0].id, "hyp": "エマは猫を見ました。"}, {"id": rows[1].id, "hyp": "猫は"}]
    write_lines(folder / "hypotheses.jsonl", [json.dumps(row) for row in outputs])
    source, target = "Taylor gave a bean to Elizabeth.", "テイラーが豆をエリザベスにあげた。"
    example = Example.make(source=source, references=(target,))
    recipe = {"grammar": "sget", "edition": "official"}
    small_benchmark(
        folder / "out" / "sget-official", {"gen": [example]}, target="ja", recipe=recipe
    )
    write_lines(folder / "llm.txt", ["テイラーはエリザベスから豆をもらいました。"])


def translating_service(shell: Shell) -> None:
    """A service on this machine that answers with what it is asked."""

    class Service(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            answer = json.dumps({"translation": body["text"]}).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Service)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    shell.closing.callback(server.server_close)
    shell.closing.callback(server.shutdown)
    shell.replaced["localhost:8000"] = f"127.0.0.1:{server.server_port}"


def engine(shell: Shell) -> None:
    """A rule-based engine that writes capitals."""
    shell.add_program("apertium", ENGINE)


@dataclass(frozen=True)
class Page:
    """A page of the docs and what its commands take for granted."""

    path: str
    prepare: Callable[[Shell], None] = lambda _: None
    shorter: dict[str, str] = field(default_factory=dict)  # command -> options added to it
    printed: tuple[str, ...] = ()
    slow: bool = False


def short(*systems: str, sample: int = 20) -> str:
    """Options that make an experiment short."""
    tiny = ("preset=tiny", "steps=10", "evaluate_every=10")
    options = [f"-o system.{system}.{option}" for system in systems for option in tiny]
    return " ".join([f"-o 'seeds=[1]' --sample {sample}", *options])


# Exact match takes no time.
EXACT = {"compare out/sget-mini": "--trained-on train"}

PAGES = (
    Page("README.md", outputs_of_gen, printed=("家の中の友達は本をもらった。",)),
    Page(
        "docs/tutorial.md",
        shorter={"run": short("transformer", "recombined")},
        printed=("ja\t箱の中の猫はリアムを見た。", "runs/quickstart/report/report.html"),
        slow=True,
    ),
    Page("docs/formats.md"),
    Page("docs/how-to/add-a-language.md", printed=("De kat", "kikker")),
    Page("docs/how-to/add-a-phenomenon.md", own_recipe),
    Page(
        "docs/how-to/add-a-system.md",
        translating_service,
        {"run experiment.toml": short("transformer")},
        slow=True,
    ),
    Page("docs/how-to/add-a-word.md", four_files, printed=("fr\tLe morse mange la banane.\n",)),
    Page(
        "docs/how-to/augment.md",
        own_pairs,
        {"augment train": "-n 20", "augment pairs": "-n 20"},
        ("recombined training pairs", "Classes (", "  made of "),
    ),
    Page("docs/how-to/compounds.md", people_who_judge, printed=("kappa",)),
    Page(
        "docs/how-to/consistency.md",
        engine,
        {"build consistency": "-o pairs=6 -o triples=4", "run": short()},
        slow=True,
    ),
    Page(
        "docs/how-to/divergent-splits.md",
        natural_text,
        {
            "build divergent": "-o edition=all",
            "divergence": "-o edition=all",
            "run experiment.toml": short("own", "control"),
        },
        slow=True,
    ),
    Page(
        "docs/how-to/private-benchmarks.md",
        printed=("en\tA mesalor carosed a nipack to Civelen.\n",),
        slow=True,
    ),
    Page("docs/how-to/read-a-report.md", scored_runs, slow=True),
    Page("docs/how-to/real-systems.md", people_who_judge, EXACT),
    Page("docs/how-to/run-on-a-cluster.md"),
    Page(
        "docs/how-to/score-outputs.md",
        own_test_set,
        EXACT,
        printed=("theirs  ours    test   chrf ",),
    ),
    Page("docs/how-to/train.md", shorter={"run": short("small")}, slow=True),
    Page(
        "docs/how-to/untrained-systems.md",
        few_paraphrases,
        printed=(
            "test   meaning  50.0",
            "role: subject and object swapped: Taylor and Elizabeth",
        ),
    ),
)
