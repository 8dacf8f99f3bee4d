"""LoRA fine-tuning and decoding beside plain `transformers.Trainer` + `generate`, in one run.

    python benchmarks/llm.py                                   # a tiny random model, any machine
    python benchmarks/llm.py --model M.gguf --benchmark DIR --pairs 14700 --sentences 3375
    ... --adapter runs/sget-llm/smollm2-lora/seed-1/model      # decode with a finished adapter

Both sides get the same weights in the same type, the same pairs, the paper's recipe (r 8, alpha 32,
dropout .1, rate 1e-4, batch 64) and, to decode with, the same adapter and the same limit on new
tokens: a finished one (--adapter), since one trained for a moment does not know when to stop, or
else the plain side's. The plain side decodes a part of the sentences with each of --plain-batches
and is credited with its best batch size. 14,700 pairs to 3,375 sentences are the proportion of the
paper's experiment (8 epochs of 44,100 to 81,000). Each part is reported when it is done; a table
and, last, one line of JSON follow.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import peft
import torch
import transformers

from recombine.benchmark import Benchmark
from recombine.systems.pretrained import Llm
from recombine.systems.pretrained.batches import Learned
from recombine.systems.pretrained.prompt import Prompt, cut_at_stop, render_answer
from recombine.systems.pretrained.training import learned_sequences
from recombine.systems.pretrained.translator import DecodingLimits
from recombine.systems.pretrained.weights import Weights, load_weights

NOUNS = {"dog": "犬", "cat": "猫", "king": "王", "teacher": "先生", "poet": "詩人", "girl": "少女"}
VERBS = {"saw": "見た", "liked": "好んだ", "praised": "褒めた", "followed": "追った"}


def synthetic_pairs(count: int, seed: int) -> list[tuple[str, str]]:
    """Return English and Japanese sentences of varying depth, for machines without a benchmark."""
    random = np.random.Generator(np.random.PCG64(seed))
    nouns, verbs = list(NOUNS), list(VERBS)
    pairs = []
    for _ in range(count):
        depth = int(random.integers(1, 4))
        chosen = [nouns[int(random.integers(len(nouns)))] for _ in range(depth + 1)]
        verb = verbs[int(random.integers(len(verbs)))]
        english = f"The {chosen[0]} {verb} " + " beside ".join(f"the {one}" for one in chosen[1:])
        japanese = "の横の".join(NOUNS[one] for one in reversed(chosen[1:]))
        pairs.append((english + " .", f"{NOUNS[chosen[0]]}が{japanese}を{VERBS[verb]}"))
    return pairs


def tiny_model(folder: Path, pairs: list[tuple[str, str]]) -> str:
    """Write a small random Llama with a byte-level tokeniser."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=600,
        special_tokens=["<unk>", "<s>", "</s>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator((text for pair in pairs for text in pair), trainer)
    wrapped = transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, unk_token="<unk>", bos_token="<s>", eos_token="</s>"
    )
    torch.manual_seed(0)
    config = transformers.LlamaConfig(
        vocab_size=len(wrapped), hidden_size=128, intermediate_size=256, num_hidden_layers=4,
        num_attention_heads=4, num_key_value_heads=2, bos_token_id=1, eos_token_id=2,
    )  # fmt: skip
    transformers.LlamaForCausalLM(config).save_pretrained(folder)
    wrapped.save_pretrained(folder)
    return str(folder)


def finished(device: str) -> float:
    """Return the time once the device has done all its work."""
    if device.startswith("cuda"):
        torch.cuda.synchronize()
    return time.perf_counter()


def tokenised(tokenizer: Any, pairs: list[tuple[str, str]]) -> list[Learned]:
    """Return the pairs as both sides train on them."""
    return learned_sequences(
        tokenizer,
        [Prompt().render(source) for source, _ in pairs],
        [render_answer(target) for _, target in pairs],
        whole=False,
    )


def plain_training(
    weights: Weights, pairs: list[tuple[str, str]], options: argparse.Namespace, folder: Path
) -> tuple[Any, dict[str, float]]:
    """Fine-tune with peft and the Trainer, as a tutorial would."""
    torch.manual_seed(options.seed)
    adapted = peft.get_peft_model(
        weights.model,
        peft.LoraConfig(r=8, lora_alpha=32, lora_dropout=0.1, task_type="CAUSAL_LM", bias="none"),
    )
    rows = [
        {
            "input_ids": list(one.tokens),
            "attention_mask": [1] * len(one.tokens),
            "labels": [-100] * one.learn_from + list(one.tokens[one.learn_from :]),
        }
        for one in tokenised(weights.tokenizer, pairs)
    ]
    arguments = transformers.TrainingArguments(
        output_dir=str(folder), per_device_train_batch_size=64, learning_rate=1e-4,
        num_train_epochs=options.epochs, lr_scheduler_type="linear", weight_decay=0.0,
        logging_strategy="no", save_strategy="no", report_to=[], seed=options.seed,
        remove_unused_columns=False, disable_tqdm=True, use_cpu=weights.device == "cpu",
    )  # fmt: skip
    trainer = transformers.Trainer(
        model=adapted,
        args=arguments,
        train_dataset=rows,
        data_collator=transformers.DataCollatorForSeq2Seq(weights.tokenizer, padding=True),
    )
    began = finished(weights.device)
    result = trainer.train()
    seconds = finished(weights.device) - began
    return adapted, {"seconds": seconds, "loss": float(result.training_loss)}


def plain_decoding(
    weights: Weights, sources: list[str], batch: int, limit: int
) -> tuple[list[str], float]:
    """Decode with `generate`, batch after batch, padded on the left."""
    tokenizer, prompt = weights.tokenizer, Prompt()
    tokenizer.padding_side = "left"
    texts: list[str] = []
    began = finished(weights.device)
    for start in range(0, len(sources), batch):
        asked = tokenizer(
            [prompt.render(source) for source in sources[start : start + batch]],
            return_tensors="pt",
            padding=True,
            return_token_type_ids=False,
        ).to(weights.device)
        with torch.inference_mode():
            output = weights.model.generate(
                **asked, max_new_tokens=limit, do_sample=False, pad_token_id=tokenizer.pad_token_id
            )
        made = tokenizer.batch_decode(
            output[:, asked["input_ids"].shape[1] :], skip_special_tokens=True
        )
        texts += [cut_at_stop(text, ("\n", "###")) for text in made]
    return texts, finished(weights.device) - began


def say(text: str) -> None:
    """Report a finished part at once: a run may be cut short."""
    print(text, file=sys.stderr, flush=True)


def load(options: argparse.Namespace) -> Weights:
    """Load the model afresh."""
    return load_weights(
        options.model, kind="causal", allow_hub=False, dtype=options.dtype, device=options.device
    )


def measure(options: argparse.Namespace, folder: Path) -> dict[str, Any]:
    """Run both sides and return every number."""
    if options.benchmark:
        benchmark = Benchmark.open(options.benchmark)
        train = [(one.source, one.references[0]) for one in benchmark.read("train")]
        test = [one.source for one in benchmark.read(options.split)]
    else:
        train = synthetic_pairs(options.pairs, 1)
        test = [source for source, _ in synthetic_pairs(options.sentences, 2)]
    order = np.random.Generator(np.random.PCG64(0))
    train = [train[one] for one in order.permutation(len(train))[: options.pairs]]
    test = [test[one] for one in order.permutation(len(test))[: options.sentences]]
    if options.model == "tiny":
        options.model = tiny_model(folder / "tiny", train)

    weights = load(options)
    tokenizer = weights.tokenizer
    began = time.perf_counter()
    lengths = [len(one.tokens) for one in tokenised(tokenizer, train)]
    tokenising = time.perf_counter() - began
    adapted, plain_train = plain_training(weights, train, options, folder / "plain")
    say(f"plain training: {plain_train['seconds']:.1f} s")
    adapted.save_pretrained(str(folder / "plain" / "adapter"))
    del adapted, weights

    system = Llm(
        model=options.model, epochs=options.epochs, device=options.device, dtype=options.dtype
    )
    system.fine_tune(train, folder / "ours", options.seed)
    record = json.loads((folder / "ours" / "llm.json").read_text(encoding="utf-8"))
    # Reading the weights and tokenising cost the same on both sides and are counted in neither.
    train_seconds = record["training"]["seconds"]
    say(f"our training: {train_seconds:.1f} s, {record['training']['path']}")
    (folder / "plain" / "llm.json").write_text(json.dumps(record), encoding="utf-8")
    if torch.cuda.is_available():
        torch.cuda.empty_cache()

    # As `generate` is used after training: adapter merged, which only helps the plain side.
    learned = Path(options.adapter) if options.adapter else folder / "plain"
    weights = load(options)
    weights.model = (
        peft.PeftModel.from_pretrained(weights.model, str(learned / "adapter"))
        .merge_and_unload()
        .eval()
    )
    limits = DecodingLimits(fixed=None, growth=1.25 * record["growth"])
    limit = max(limits.of(len(tokenizer(source)["input_ids"])) for source in test)
    probe = test[: max(1, len(test) // 8)]
    trials: dict[int, float] = {}
    for batch in options.plain_batches:
        plain_decoding(weights, probe[: min(8, len(probe))], batch, 8)  # warm up
        _, seconds = plain_decoding(weights, probe, batch, limit)
        trials[batch] = len(probe) / seconds
        say(f"plain decoding, batches of {batch}: {trials[batch]:.1f} sentences/s")
    best = max(trials, key=lambda one: trials[one])
    plain_texts, plain_seconds = plain_decoding(weights, test, best, limit)
    say(f"plain decoding: {plain_seconds:.1f} s")
    del weights
    if torch.cuda.is_available():
        torch.cuda.empty_cache()

    system.max_new_tokens = limit
    system.load(learned)
    began = finished(options.device)
    ours_texts = list(system.translate(test))
    decode_seconds = finished(options.device) - began
    described = system.describe()
    say(f"our decoding: {decode_seconds:.1f} s, {described['decoder']}")
    same = sum(one == two for one, two in zip(ours_texts, plain_texts, strict=True))
    agreement = same / len(test)
    tokens = sum(lengths) * options.epochs
    pairs = len(train) * options.epochs
    made = sum(len(tokenizer(str(text))["input_ids"]) for text in ours_texts)
    plain_made = sum(len(tokenizer(text)["input_ids"]) for text in plain_texts)
    plain_total = plain_train["seconds"] + plain_seconds
    total = train_seconds + decode_seconds
    return {
        "model": Path(options.model).name,
        "machine": torch.cuda.get_device_name(0) if options.device == "cuda" else "cpu",
        "torch": torch.__version__,
        "transformers": transformers.__version__,
        "pairs": len(train),
        "epochs": options.epochs,
        "sentences": len(test),
        "plain_train_seconds": plain_train["seconds"],
        "plain_train_pairs_per_second": pairs / plain_train["seconds"],
        "plain_train_tokens_per_second": tokens / plain_train["seconds"],
        "plain_loss": plain_train["loss"],
        "ours_train_seconds": train_seconds,
        "ours_train_pairs_per_second": pairs / train_seconds,
        "ours_train_tokens_per_second": tokens / train_seconds,
        "tokenising_seconds": tokenising,
        "ours_last_epoch_loss": record["training"]["loss"],
        "ours_train_path": record["training"]["path"],
        "plain_decode_trials": trials,
        "plain_decode_batch": best,
        "plain_decode_seconds": plain_seconds,
        "plain_decode_sentences_per_second": len(test) / plain_seconds,
        "plain_decode_tokens_per_second": plain_made / plain_seconds,
        "ours_decode_seconds": decode_seconds,
        "ours_decode_sentences_per_second": len(test) / decode_seconds,
        "ours_decode_tokens_per_second": made / decode_seconds,
        "ours_decode_path": described["decoder"],
        "ours_decode_rows": described["rows"],
        "same_translation_same_adapter": agreement,
        "ratio_train": plain_train["seconds"] / train_seconds,
        "ratio_decode": plain_seconds / decode_seconds,
        "ratio_end_to_end": plain_total / total,
    }


def main() -> None:
    """Read the options, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--model", default="tiny", help="folder, .gguf file, or 'tiny'")
    parser.add_argument("--benchmark", help="benchmark folder; without it synthetic pairs")
    parser.add_argument("--split", default="gen", help="split to decode")
    parser.add_argument("--adapter", help="a finished model folder of `llm` to decode with")
    parser.add_argument("--pairs", type=int, default=256)
    parser.add_argument("--sentences", type=int, default=64)
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--plain-batches", type=lambda text: [int(n) for n in text.split(",")],
                        default=[16, 64])  # fmt: skip
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--dtype", default="auto")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        numbers = measure(options, Path(folder))
    for name, value in numbers.items():
        print(f"{name:38} {value:.4g}" if isinstance(value, float) else f"{name:38} {value}")
    print(json.dumps(numbers))


if __name__ == "__main__":
    sys.exit(main())
