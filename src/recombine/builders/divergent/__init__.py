"""Distribution-based compositionality assessment: count, measure and split a parsed corpus.

Keysers et al. 2020 define atom and compound divergence; Moisio, Creutz and Kurimo 2023 apply them
to a parsed corpus. The modules follow the data: `encode` (text to integers on disk),
`definitions` (what an atom and a compound is), `count` (cut-offs and sparse rows), `measure`
(divergences), `kernel`, `search` and `published` (splits).
"""
