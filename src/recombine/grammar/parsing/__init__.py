"""Text -> trees: productions, a lattice of strings, a chart, a packed forest."""
