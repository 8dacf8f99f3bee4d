"""Recombine: does a translation system compose, or does it only remember?"""

from __future__ import annotations

__version__ = "0.1.0"
