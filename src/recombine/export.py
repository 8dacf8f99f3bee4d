"""Export: a benchmark in the formats other tools read."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from recombine.benchmark import Benchmark, Example, refuse_output, stratified_sample
from recombine.errors import ConfigError
from recombine.files import sha256_of, write_json, write_text
from recombine.progress import progress
from recombine.registry import require

Read = Callable[[str], list[Example]]


def export(benchmark: Benchmark, form: str, out: Path, *, sample: int = 0) -> list[Path]:
    """Write a benchmark, or a stratified sample of it, as `tsv`, `text` or `parquet`."""
    writers = {"tsv": _write_tsv, "text": _write_text, "parquet": _write_parquet}
    if form not in writers:
        raise ConfigError(f"unknown export format '{form}'", hint=f"known: {', '.join(writers)}")
    refuse_output(out)
    out.mkdir(parents=True, exist_ok=True)
    sizes = benchmark.manifest.splits.values()
    total = sum(min(size, sample) if sample else size for size in sizes)
    with progress(f"export {form}", total) as bar:

        def read(split: str) -> list[Example]:
            examples = stratified_sample(benchmark.read(split), sample, 0)
            bar.advance(len(examples))
            return examples

        return list(writers[form](benchmark, read, out))


def _write_tsv(benchmark: Benchmark, read: Read, out: Path) -> Iterator[Path]:
    """COGS style: source, reference, the first tag; tabs cannot occur in either text."""
    for split in benchmark.splits:
        lines = []
        for example in read(split):
            tag = str(next(iter(example.tags.values()), split))
            reference = example.references[0] if example.references else ""
            lines.append(f"{example.source}\t{reference}\t{tag}\n")
        path = out / f"{split}.tsv"
        write_text(path, "".join(lines))
        yield path


def _write_text(benchmark: Benchmark, read: Read, out: Path) -> Iterator[Path]:
    """One file per language and split; further references get a number."""
    source, target = benchmark.manifest.source, benchmark.manifest.target or "target"
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


def _write_parquet(benchmark: Benchmark, read: Read, out: Path) -> Iterator[Path]:
    """Parquet per split with a dataset card and Croissant metadata.

    `datasets.load_dataset(folder)` reads the card's configuration.
    """
    pa = require("pyarrow", extra="report", feature="the parquet export")
    pq = require("pyarrow.parquet", extra="report", feature="the parquet export")
    written = []
    for split in benchmark.splits:
        rows = [_flat_row(example) for example in read(split)]
        path = out / "data" / f"{split}.parquet"
        path.parent.mkdir(parents=True, exist_ok=True)
        partial = path.with_name(path.name + ".partial")
        pq.write_table(pa.Table.from_pylist(rows, schema=_schema(pa)), partial)
        partial.replace(path)
        written.append(path)
        yield path
    card = out / "README.md"
    write_text(card, _dataset_card(benchmark))
    yield card
    croissant = out / "croissant.json"
    write_json(croissant, _croissant(benchmark, written))
    yield croissant


def _schema(pa: Any) -> Any:
    text = pa.string()
    focus = pa.struct(
        [("text", text), ("role", text), ("accepted", pa.list_(text)), ("start", pa.int32()),
         ("end", pa.int32())]
    )  # fmt: skip
    return pa.schema(
        [("id", text), ("source", text), ("references", pa.list_(text)), ("tags", text),
         ("group", text), ("role", text), ("focus", pa.list_(focus))]
    )  # fmt: skip


def _flat_row(example: Example) -> dict[str, Any]:
    return {
        "id": example.id,
        "source": example.source,
        "references": list(example.references),
        # Tags differ between benchmarks; one JSON column keeps every split's schema equal.
        "tags": json.dumps(dict(example.tags), ensure_ascii=False),
        "group": example.group,
        "role": example.role,
        "focus": [
            {
                "text": one.text,
                "role": one.role,
                "accepted": list(one.accepted),
                "start": one.start,
                "end": one.end,
            }
            for one in example.focus
        ],
    }


def _dataset_card(benchmark: Benchmark) -> str:
    manifest = benchmark.manifest
    files = "\n".join(
        f"  - split: {split}\n    path: data/{split}.parquet" for split in benchmark.splits
    )
    languages = "\n".join(f"- {code}" for code in (manifest.source, manifest.target) if code)
    body = (benchmark.path / "README.md").read_text(encoding="utf-8")
    return (
        f"---\nlanguage:\n{languages}\ntask_categories:\n- translation\n"
        f"configs:\n- config_name: default\n  data_files:\n{files}\n---\n\n{body}"
    )


def _croissant(benchmark: Benchmark, paths: list[Path]) -> dict[str, Any]:
    """Metadata after the Croissant 1.0 specification of MLCommons."""
    manifest = benchmark.manifest
    distribution = [
        {
            "@type": "cr:FileObject",
            "@id": path.name,
            "name": path.name,
            "contentUrl": f"data/{path.name}",
            "encodingFormat": "application/x-parquet",
            "sha256": sha256_of(path),
        }
        for path in paths
    ]
    records = [
        {
            "@type": "cr:RecordSet",
            "@id": path.stem,
            "name": path.stem,
            "field": [
                {
                    "@type": "cr:Field",
                    "@id": f"{path.stem}/{column}",
                    "name": column,
                    "dataType": "sc:Text",
                    **({"repeated": True} if column == "references" else {}),
                    "source": {
                        "fileObject": {"@id": path.name},
                        "extract": {"column": column},
                    },
                }
                for column in ("id", "source", "references", "tags", "group", "role")
            ],
        }
        for path in paths
    ]
    return {
        "@context": {
            "@language": "en",
            "@vocab": "https://schema.org/",
            "cr": "http://mlcommons.org/croissant/",
            "sc": "https://schema.org/",
            "dct": "http://purl.org/dc/terms/",
            "conformsTo": "dct:conformsTo",
            "column": "cr:column",
            "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
            "extract": "cr:extract",
            "field": "cr:field",
            "fileObject": "cr:fileObject",
            "recordSet": "cr:recordSet",
            "repeated": "cr:repeated",
            "source": "cr:source",
        },
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "name": manifest.name,
        "version": manifest.version,
        "description": f"{manifest.name}: a benchmark of compositional generalisation.",
        "license": manifest.licence,
        "citeAs": manifest.citation,
        "distribution": distribution,
        "recordSet": records,
    }
