"""Translate with a Marian model through CTranslate2: JSON lines in, JSON lines out.

    pip install ctranslate2 sentencepiece               # beside recombine[llm], which converts
    python marian_ct2.py FOLDER_OF_THE_MODEL            # as it was released: opus-mt-en-fr, ...

The model is converted once, into the folder `ct2` inside its own. A pickle of weights is read by
torch as tensors alone. `batch_size` and `in_flight` of the experiment say how many sentences are
translated together.
"""

import json
import sys
from pathlib import Path

import ctranslate2
import sentencepiece

BEAMS = 4


def convert(folder: Path) -> Path:
    """Return the converted model."""
    converted = folder / "ct2"
    if not (converted / "model.bin").is_file():
        ctranslate2.converters.TransformersConverter(str(folder)).convert(
            str(converted), quantization="int8", force=True
        )
    return converted


def main() -> None:
    """Answer until the input ends."""
    folder = Path(sys.argv[1])
    source, target = (
        sentencepiece.SentencePieceProcessor(str(folder / f"{side}.spm"))
        for side in ("source", "target")
    )
    translator = ctranslate2.Translator(str(convert(folder)), device="cpu", intra_threads=1)
    asked = [json.loads(line) for line in sys.stdin]
    pieces = [[*source.encode(row["source"], out_type=str), "</s>"] for row in asked]
    answers = translator.translate_batch(pieces, beam_size=BEAMS, max_batch_size=16)
    for row, answer in zip(asked, answers, strict=True):
        text = target.decode(answer.hypotheses[0])
        print(json.dumps({"id": row["id"], "translation": text}), flush=True)


if __name__ == "__main__":
    main()
