"""What only makes training faster: GPU kernels, packed rows, CUDA graphs."""
