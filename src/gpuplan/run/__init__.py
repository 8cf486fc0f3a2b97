"""Part of gpuplan: run."""
