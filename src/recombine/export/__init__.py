"""A benchmark in the formats that other tools read: texts, data sets, tasks."""

from recombine.export.export import FORMATS, export

__all__ = ["FORMATS", "export"]
