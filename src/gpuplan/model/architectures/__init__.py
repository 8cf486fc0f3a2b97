"""Part of gpuplan: model/architectures."""
