"""Metadata that only a release knows: where the project lives.

`RECOMBINE_REPOSITORY=https://HOST/OWNER/NAME` at build time (the release workflow gives its own)
adds project URLs and makes the links and pictures of the long description absolute, at the
version's tag. Without it the package names no place.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from hatchling.metadata.plugin.interface import MetadataHookInterface

# A Markdown link or picture whose address is neither absolute nor a place on the same page.
RELATIVE = re.compile(r"(!?)(\[[^\]]*\]\()(?![a-z]+:|#)([^)\s]+)")


class ReleaseMetadata(MetadataHookInterface):
    """Fills in `readme` and `urls`."""

    def update(self, metadata: dict) -> None:
        """Read the README; with a repository's address, say where things are."""
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        place = os.environ.get("RECOMBINE_REPOSITORY", "").rstrip("/")
        if place:
            if not re.fullmatch(r"https?://[^/\s]+/\S+", place):
                raise ValueError(f"RECOMBINE_REPOSITORY is {place!r}, not https://HOST/OWNER/NAME")
            tag = f"v{metadata['version']}"
            text = RELATIVE.sub(
                lambda found: (
                    f"{found[1]}{found[2]}{place}/{'raw' if found[1] else 'blob'}/{tag}/{found[3]}"
                ),
                text,
            )
            metadata["urls"] = {
                "Repository": place,
                "Documentation": f"{place}/blob/{tag}/docs/index.md",
                "Changelog": f"{place}/blob/{tag}/CHANGELOG.md",
                "Issues": f"{place}/issues",
            }
        metadata["readme"] = {"content-type": "text/markdown", "text": text}
