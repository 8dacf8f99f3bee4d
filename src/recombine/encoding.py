"""What a file is that is no UTF-8 text, and how to make it so."""

from __future__ import annotations

import codecs
import contextlib
from pathlib import Path

from recombine.errors import DataError, Where

# How files begin that are no text, and what helps.
_PACKED = {
    b"\x1f\x8b": ("gzip", "call it .gz, or unpack it first: gunzip"),
    b"\xfd7zXZ\x00": ("xz", "call it .xz, or unpack it first: unxz"),
    b"BZh": ("bzip2", "call it .bz2, or unpack it first: bunzip2"),
    b"PK\x03\x04": ("zip", "unpack it first: unzip"),
    b"\x28\xb5\x2f\xfd": ("zstd", "unpack it first: unzstd"),
    b"PAR1": ("parquet", "write it as JSON lines or plain text"),
    b"%PDF": ("PDF", "only plain text is read"),
}


def encoding_fault(path: Path, line: int, raw: bytes, place: int) -> DataError:
    """What is wrong with a line that is not UTF-8 text, and how to make it so."""
    where = Where(str(path), line)
    if line == 1:
        for mark, (kind, remedy) in _PACKED.items():
            if raw.startswith(mark):
                return DataError(f"this is a {kind} file, not text", where, hint=remedy)
    marked = raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    if marked or b"\x00" in raw:
        wide = marked or 5 * raw.count(b"\x00") >= 2 * len(raw)
        encoding = ("UTF-16LE", "UTF-16BE")[raw[:1] == b"\x00"] if not marked else "UTF-16"
        return DataError(
            f"{'UTF-16' if wide else 'binary data'} instead of UTF-8 text",
            where,
            hint=f"convert the file first: iconv -f {encoding} -t UTF-8" if wide else None,
        )
    return DataError(
        f"not UTF-8 at byte {place + 1} of the line",
        where,
        hint=f"convert the file first: iconv -f {_looks_like(raw)} -t UTF-8",
    )


def _looks_like(raw: bytes) -> str:
    """The encoding a line is probably in: kana give Japanese away, a lone high byte Latin-1."""
    for name, called in (("cp932", "SHIFT_JIS"), ("euc_jp", "EUC-JP")):
        with contextlib.suppress(UnicodeDecodeError):
            text = raw.decode(name)
            if any("\u3041" <= letter <= "\u30fe" for letter in text):
                return called
    high = [place for place, byte in enumerate(raw) if byte > 127]
    alone = [place for place in high if not {place - 1, place + 1} & set(high)]
    return "LATIN1" if 2 * len(alone) > len(high) else "ENCODING"
