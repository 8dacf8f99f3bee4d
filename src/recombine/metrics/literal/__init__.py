"""Is an idiom translated word for word? (Dankers et al. 2022)"""
