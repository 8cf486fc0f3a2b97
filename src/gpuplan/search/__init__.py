"""Part of gpuplan: search."""
