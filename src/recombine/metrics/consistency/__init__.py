"""Is the same thing translated the same way? (Dankers et al. 2022)"""
