"""Part of gpuplan: calibrate."""
