"""Part of gpuplan: data."""
