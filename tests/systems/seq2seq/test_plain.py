"""Plain: without fast/ everything trains and decodes on a CPU, and there is one way into it.

The tests of training and decoding run in both ways, too (the fixture `fast_or_plain`).
"""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path

from recombine.systems.seq2seq import options
from recombine.systems.seq2seq.options import preset_names

# Every preset keeps its kind, positions, norms, ties, batches and schedule in a tiny shape.
SCRIPT = """
import json, sys
sys.modules["recombine.systems.seq2seq.fast"] = None
from pathlib import Path
import torch
from recombine.benchmark import Example
from recombine.config import read_toml
from recombine.registry import data_path
from recombine.systems.base import TrainingData
from recombine.systems.seq2seq.system import LstmSystem, TransformerSystem
torch.set_num_threads(1)
pairs = [Example.make(source=f"w{i % 7} w{i % 5} w{i % 3}", references=[f"x{i % 3} y{i % 7}"])
         for i in range(30)]
data = TrainingData(train=pairs, dev=pairs[:5], source="a", target="b")
shape = dict(encoder_layers=2, decoder_layers=2, width=16, steps=12, log_every=4, batch_size=64,
             evaluate_every=12, checkpoint_every=12, source_subwords="word", threads=1,
             target_subwords="word", target_segmenter="none", max_length=20, warmup=2,
             learning_rate=0.02)
found = {}
for name in sys.argv[2:]:
    lstm = read_toml(data_path("presets", name + ".toml")).data["system"] == "lstm"
    more = {} if lstm else {"heads": 2, "feed_forward": 24}
    system = (LstmSystem if lstm else TransformerSystem)(preset=name, **{**shape, **more})
    folder = Path(sys.argv[1]) / name
    system.train(data, folder, seed=1)
    rows = [json.loads(line) for line in (folder / "train_log.jsonl").open()]
    said = list(system.load(folder).translate([pair.source for pair in pairs[:4]]))
    events = [row["event"] for row in rows if "event" in row]
    found[name] = [events, [row["loss"] for row in rows if "loss" in row], said]
assert not [one for one in sys.modules if one.startswith("recombine.systems.seq2seq.fast.")]
print(json.dumps(found))
"""


def test_every_preset_trains_and_decodes_without_fast(tmp_path: Path) -> None:
    """In a process of its own, where nothing of fast/ can be imported."""
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(tmp_path), *preset_names()],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    assert set(found) == set(preset_names())
    for name, (events, losses, said) in found.items():
        assert events == ["start", "plain steps"], name
        assert len(losses) == 3, name
        assert losses[-1] < losses[0], name
        assert len(said) == 4, name
        assert all(isinstance(one, str) for one in said), name


def test_fast_is_entered_at_one_place() -> None:
    """For training through `fast_stepper`; besides, CTranslate2 is another engine on demand."""
    folder = Path(options.__file__).parent
    found = {
        (path.stem, node.module, alias.name)
        for path in folder.glob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and "seq2seq.fast" in (node.module or "")
        for alias in node.names
    }
    package = "recombine.systems.seq2seq.fast"
    assert found == {
        ("training", package, "fast_stepper"),
        ("system", f"{package}.ctranslate", "CTranslateDecoder"),
    }
