"""Part of gpuplan: cli."""
