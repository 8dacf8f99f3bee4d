"""Translation -> observation."""
