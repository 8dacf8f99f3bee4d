"""Pairs from anywhere, and recombined pairs as a folder that proves itself."""
