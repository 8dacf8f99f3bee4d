"""Is a novel compound translated, as one phrase? (Li et al. 2021)"""
