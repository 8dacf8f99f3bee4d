"""What only makes pretrained models faster: fixed memory, captured graphs, fused layers."""
