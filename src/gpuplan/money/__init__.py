"""Part of gpuplan: money."""
