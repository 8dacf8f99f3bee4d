"""Translate with a chat model on a CPU through CTranslate2: JSON lines in, JSON lines out.

    pip install ctranslate2                             # beside recombine[llm], which converts
    python chat_ct2.py MODEL English French             # a folder, or a GGUF file
    python chat_ct2.py MODEL English French --glossary glossary.csv --columns en fr --rules fr.txt

The model is converted once, to int8, into a folder `NAME-ct2` beside it. Decoding is greedy. With a
glossary (`recombine nonce` writes one) the rows of a sentence's words stand before it in its turn;
rules are part of the instruction. A model without a chat template continues "English: ... French:".
"""

import argparse
import csv
import json
import sys
import tempfile
from pathlib import Path

import ctranslate2
from transformers import AutoModelForCausalLM, AutoTokenizer, GgufConfig

ENDINGS = 4  # letters that an inflected form may add to a word of the glossary
GROWTH, EXTRA = 3, 24  # new tokens at most: so many times those of the source, and some


def convert(model: Path) -> Path:
    """Return the folder of the converted model with its tokenizer."""
    converted = model.with_name(f"{model.stem}-ct2")
    if (converted / "tokenizer.json").is_file():
        return converted
    with tempfile.TemporaryDirectory() as folder:
        if model.suffix == ".gguf":
            tokenizer = AutoTokenizer.from_pretrained(model.parent, gguf_file=model.name)
            weights = AutoModelForCausalLM.from_pretrained(
                model.parent,
                gguf_file=model.name,
                quantization_config=GgufConfig(dequantize=True),
            )
            weights.hf_quantizer = None
            del weights.config.quantization_config
            weights.save_pretrained(folder)
            tokenizer.save_pretrained(folder)
            del weights
            model = Path(folder)
        else:
            tokenizer = AutoTokenizer.from_pretrained(model)
        ctranslate2.converters.TransformersConverter(str(model), low_cpu_mem_usage=True).convert(
            str(converted), quantization="int8", force=True
        )
        tokenizer.save_pretrained(converted)
    return converted


def entries(source: str, glossary: list[tuple[str, str]]) -> list[str]:
    """Return the rows of the glossary whose word stands in a sentence, in some form."""
    words = [word.strip(".,?!").lower() for word in source.split()]
    return [
        f"{word} = {rendering}"
        for word, rendering in glossary
        if any(
            form.startswith(word.lower().removesuffix("e")) and len(form) <= len(word) + ENDINGS
            for form in words
        )
    ]


def main() -> None:
    """Answer until the input ends."""
    parser = argparse.ArgumentParser()
    parser.add_argument("model", type=Path)
    parser.add_argument("source")
    parser.add_argument("target")
    parser.add_argument("--glossary", type=Path)
    parser.add_argument("--columns", nargs=2, default=("source", "target"))
    parser.add_argument("--rules", type=Path)
    given = parser.parse_args()
    glossary = []
    if given.glossary:
        with given.glossary.open(encoding="utf-8") as file:
            glossary = [tuple(row[name] for name in given.columns) for row in csv.DictReader(file)]
    rules = "\n\n" + given.rules.read_text(encoding="utf-8").strip() if given.rules else ""
    folder = convert(given.model)
    tokenizer = AutoTokenizer.from_pretrained(folder)
    generator = ctranslate2.Generator(str(folder), device="cpu", intra_threads=1)
    asked = [json.loads(line) for line in sys.stdin]
    system = f"Translate from {given.source} to {given.target}. Answer with the translation alone."
    system += rules
    prompts, limits = [], []
    for row in asked:
        source = row["source"]
        listed = entries(source, glossary)
        before = f"Words: {'; '.join(listed)}\n\n" if listed else ""
        if tokenizer.chat_template:
            turns = [
                {"role": "system", "content": system},
                {"role": "user", "content": before + source},
            ]
            text = tokenizer.apply_chat_template(turns, tokenize=False, add_generation_prompt=True)
            numbers = tokenizer(text, add_special_tokens=False)["input_ids"]
        else:
            text = f"{system}\n\n{before}{given.source}: {source}\n{given.target}:"
            numbers = tokenizer(text)["input_ids"]
        prompts.append(tokenizer.convert_ids_to_tokens(numbers))
        limits.append(GROWTH * len(tokenizer(source)["input_ids"]) + EXTRA)
    for row, prompt, limit in zip(asked, prompts, limits, strict=True):
        (answer,) = generator.generate_batch(
            [prompt], max_length=limit, include_prompt_in_result=False
        )
        text = tokenizer.decode(answer.sequences_ids[0], skip_special_tokens=True).strip()
        line = text.splitlines()[0].strip() if text else ""
        print(json.dumps({"id": row["id"], "translation": line}, ensure_ascii=False), flush=True)


if __name__ == "__main__":
    main()
