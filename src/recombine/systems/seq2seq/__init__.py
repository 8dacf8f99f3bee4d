"""LSTM and Transformer trained from scratch: one file per concept, read in this order.

options -> vocabulary -> corpus -> layout -> attention -> transformer | lstm -> optimiser ->
training (-> graphs, kernels on a GPU; distributed on several machines) -> checkpoint -> search ->
system. Nothing here imports torch before a system is trained or loaded.
"""
