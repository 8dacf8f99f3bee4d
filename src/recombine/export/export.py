"""Export: a benchmark, or a sample of it, in one of the formats."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from recombine.benchmark import (
    TRAINING_SPLITS,
    Benchmark,
    Example,
    stratified_sample,
)
from recombine.errors import ConfigError
from recombine.experiment.hypotheses import WMT_SEPARATOR
from recombine.export.dataset import write_parquet
from recombine.export.tasks import HARNESSES, write_tasks
from recombine.files import file_name, write_jsonl, write_text
from recombine.lock import lock_of, locked
from recombine.progress import progress
from recombine.stage import refuse_output
from recombine.systems.languages import language_name

Read = Callable[[str], list[Example]]


def export(
    benchmark: Benchmark, form: str, out: Path, *, sample: int = 0, metrics: Sequence[str] = ()
) -> list[Path]:
    """Write a benchmark, or a stratified sample of it, in one of the formats.

    A task carries `metrics`; by default those for systems that did not learn from the benchmark.

    A former export of the same files is replaced; a folder with anything else in it is refused.
    """
    if form not in FORMATS:
        raise ConfigError(f"unknown export format '{form}'", hint=f"known: {', '.join(FORMATS)}")
    if metrics and form not in HARNESSES:
        raise ConfigError(
            f"the format '{form}' carries no metrics", hint=f"tasks do: {', '.join(HARNESSES)}"
        )
    refuse_output(out)
    for name in (*benchmark.manifest.files, *(f"{split}.jsonl" for split in benchmark.splits)):
        if fault := benchmark.file_fault(name):
            raise fault
    partial = out.absolute().with_name(out.absolute().name + ".partial")
    sizes = benchmark.manifest.splits.values()
    total = sum(min(size, sample) if sample else size for size in sizes)
    with locked(lock_of(out.absolute())), progress(f"export {form}", total) as bar:

        def read(split: str) -> list[Example]:
            examples = stratified_sample(benchmark.read(split), sample, 0)
            bar.advance(len(examples))
            return examples

        shutil.rmtree(partial, ignore_errors=True)
        try:
            partial.mkdir(parents=True)
            if form in HARNESSES:
                written = list(write_tasks(benchmark, partial, form, sample, metrics))
            else:
                written = list(WRITERS[form](benchmark, read, partial))
            _move_into(partial, out)
        finally:
            shutil.rmtree(partial, ignore_errors=True)
    return [out / path.relative_to(partial) for path in written]


def _move_into(partial: Path, out: Path) -> None:
    """Put finished files in their place, unless files of something else would stand beside them."""
    new, former = (
        {path.relative_to(folder) for path in folder.rglob("*") if path.is_file()}
        for folder in (partial, out)
    )
    # What Python leaves beside a task that was run says nothing.
    other = sorted(path for path in former - new if "__pycache__" not in path.parts)
    if other:
        raise ConfigError(
            f"{out} holds {other[0]}, which is no part of this export", hint="choose another --out"
        )
    for path in sorted(new):
        (out / path).parent.mkdir(parents=True, exist_ok=True)
        (partial / path).replace(out / path)


def _write_tsv(benchmark: Benchmark, read: Read, out: Path) -> Iterator[Path]:
    """COGS style: source, reference, the first tag, and behind it the further references.

    Tabs cannot occur in any of them.
    """
    for split in benchmark.splits:
        lines = []
        for example in read(split):
            tag = str(next(iter(example.tags.values()), split))
            reference = example.references[0] if example.references else ""
            cells = (example.source, reference, tag, *example.references[1:])
            lines.append("\t".join(cells) + "\n")
        path = out / f"{split}.tsv"
        write_text(path, "".join(lines))
        yield path


def _write_text(benchmark: Benchmark, read: Read, out: Path) -> Iterator[Path]:
    """One file per language and split; further references get a number."""
    source, target = map(file_name, (benchmark.manifest.source, benchmark.manifest.target))
    target = "target" if target in ("", source) else target
    for split in benchmark.splits:
        examples = read(split)
        path = out / f"{split}.{source}"
        write_text(path, "".join(example.source + "\n" for example in examples))
        yield path
        for number in range(max((len(example.references) for example in examples), default=0)):
            suffix = "" if number == 0 else f".{number + 1}"
            path = out / f"{split}.{target}{suffix}"
            write_text(path, "".join(_reference(example, number) + "\n" for example in examples))
            yield path


def _reference(example: Example, number: int) -> str:
    return example.references[number] if number < len(example.references) else ""


def _write_wmt(benchmark: Benchmark, read: Read, out: Path) -> Iterator[Path]:
    """A test suite in the fields of WMT26 (data/wmt26-genmt.jsonl), without references.

    Splits that a system may learn from are no part of it.
    """
    manifest = benchmark.manifest
    instruction = (
        f"Translate the following text from {language_name(manifest.source)} to "
        f"{language_name(manifest.target)}. Answer with the translation only."
    )
    for split in benchmark.splits:
        if split in (*TRAINING_SPLITS, "dev"):
            continue
        place = (manifest.name, split, manifest.source, manifest.target)
        path = out / f"{file_name(manifest.name)}.{split}.jsonl"
        rows = (
            {
                "doc_id": WMT_SEPARATOR.join((*place, example.id)),
                "domain": split,
                "src_lang": manifest.source,
                "tgt_lang": manifest.target,
                "src_text": example.source,
                "prompt_instruction": instruction,
                "refs": {},
            }
            for example in read(split)
        )
        write_jsonl(path, rows)
        yield path


WRITERS: dict[str, Callable[[Benchmark, Read, Path], Iterator[Path]]] = {
    "tsv": _write_tsv,
    "text": _write_text,
    "parquet": write_parquet,
    "wmt": _write_wmt,
}
FORMATS = (*WRITERS, *HARNESSES)
