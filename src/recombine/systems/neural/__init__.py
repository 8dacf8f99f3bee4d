"""What every system computes with in PyTorch: device, Adam, the training loop, checkpoints."""
