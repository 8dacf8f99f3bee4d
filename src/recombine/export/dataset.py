"""A data set for the Hugging Face hub: parquet, a card, and Croissant metadata."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from recombine.benchmark import Benchmark, Example
from recombine.files import sha256_of, write_json, write_text
from recombine.registry import require

Read = Callable[[str], list[Example]]


def write_parquet(benchmark: Benchmark, read: Read, out: Path) -> Iterator[Path]:
    """Parquet per split with a dataset card and Croissant metadata.

    `datasets.load_dataset(folder)` reads the card's configuration.
    """
    pa = require("pyarrow", extra="report", feature="the parquet export")
    pq = require("pyarrow.parquet", extra="report", feature="the parquet export")
    written = []
    sizes = {}
    for split in benchmark.splits:
        rows = [_flat_row(example) for example in read(split)]
        table = pa.Table.from_pylist(rows, schema=_schema(pa))
        sizes[split] = (len(rows), table.nbytes)
        path = out / "data" / f"{split}.parquet"
        path.parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(table, path)
        written.append(path)
        yield path
    card = out / "README.md"
    write_text(card, _dataset_card(benchmark, sizes))
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
                "text": focus.text,
                "role": focus.role,
                "accepted": list(focus.accepted),
                "start": focus.start,
                "end": focus.end,
            }
            for focus in example.focus
        ],
    }


# Licences by the names that the hub has for them.
HUB_LICENCES = {
    "CC0-1.0": "cc0-1.0",
    "CC-BY-4.0": "cc-by-4.0",
    "CC-BY-SA-4.0": "cc-by-sa-4.0",
    "MIT": "mit",
}
# The columns of `_schema`, as a card lists them.
FEATURES = """\
  - name: id
    dtype: string
  - name: source
    dtype: string
  - name: references
    list: string
  - name: tags
    dtype: string
  - name: group
    dtype: string
  - name: role
    dtype: string
  - name: focus
    list:
    - name: text
      dtype: string
    - name: role
      dtype: string
    - name: accepted
      list: string
    - name: start
      dtype: int32
    - name: end
      dtype: int32
"""


def _quoted(text: str) -> str:
    """A text as YAML: JSON strings are YAML strings whatever is in them."""
    return json.dumps(text)


def _dataset_card(benchmark: Benchmark, sizes_of: Mapping[str, tuple[int, int]]) -> str:
    manifest = benchmark.manifest
    files = "\n".join(
        f"  - split: {_quoted(split)}\n    path: {_quoted(f'data/{split}.parquet')}"
        for split in benchmark.splits
    )
    sizes = "".join(
        f"  - name: {_quoted(split)}\n    num_bytes: {stored}\n    num_examples: {size}\n"
        for split, (size, stored) in sizes_of.items()
    )
    licence = HUB_LICENCES.get(manifest.licence, "other")
    named = (
        "" if licence != "other" else f"license_name: {_quoted(manifest.licence or 'not stated')}\n"
    )
    size = sum(count for count, _ in sizes_of.values())
    most = next((bound for bound in (1_000, 10_000, 100_000, 1_000_000) if size < bound), 0)
    least = {1_000: "n<1K", 10_000: "1K<n<10K", 100_000: "10K<n<100K", 1_000_000: "100K<n<1M"}
    languages = "\n".join(
        f"- {_quoted(code)}" for code in (manifest.source, manifest.target) if code
    )
    body = (benchmark.path / "README.md").read_text(encoding="utf-8")
    return (
        f"---\npretty_name: {_quoted(manifest.name)}\nlicense: {licence}\n{named}"
        f"language:\n{languages}\ntask_categories:\n- translation\n"
        f"size_categories:\n- {least.get(most, 'n>1M')}\n"
        f"configs:\n- config_name: default\n  data_files:\n{files}\n"
        f"dataset_info:\n  features:\n{FEATURES}  splits:\n{sizes}---\n\n{body}"
    )


# The context of Croissant 1.0, as its specification gives it; another one is warned of.
_TERMS = (
    "citeAs", "column", "equivalentProperty", "extract", "field", "fileProperty", "fileObject",
    "fileSet", "format", "includes", "isLiveDataset", "jsonPath", "key", "md5", "parentField",
    "path", "recordSet", "references", "regex", "repeated", "replace", "samplingRate", "separator",
    "source", "subField", "transform",
)  # fmt: skip
CONTEXT: dict[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "sc": "https://schema.org/",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "dct": "http://purl.org/dc/terms/",
    "conformsTo": "dct:conformsTo",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "examples": {"@id": "cr:examples", "@type": "@json"},
    **{term: f"cr:{term}" for term in _TERMS},
}


def _croissant(benchmark: Benchmark, paths: list[Path]) -> dict[str, Any]:
    """Metadata after the Croissant 1.0 specification of MLCommons."""
    manifest = benchmark.manifest
    built = datetime.fromtimestamp((benchmark.path / "benchmark.toml").stat().st_mtime, UTC)
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
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "name": manifest.name,
        "version": manifest.version,
        "description": f"{manifest.name}: a benchmark of compositional generalisation.",
        "license": manifest.licence or "not stated",
        "citeAs": manifest.citation or "Recombine",
        # When it was built: the same benchmark has one date wherever it is exported.
        "datePublished": built.strftime("%Y-%m-%d"),
        "distribution": distribution,
        "recordSet": records,
    }
