"""Part of gpuplan: advice."""
