"""What offloading costs: states that live in host memory must be stepped there or travel each step.

host optimizer: parameters of a node / rate of its cores + (gradients out + weights back) / host link
streamed:       moments in and out at once (the link is duplex), the step itself on the card
weights away:   fetched for forward and for backward of each micro-batch, behind compute as far as it reaches
"""

from typing import Final

import numpy as np

from gpuplan.facts.chip import Chip
from gpuplan.facts.trainer import Trainer
from gpuplan.question.layout import Layout, Offload
from gpuplan.units import GB, Num

HOST_PARAMS_PER_S_PER_NODE: Final = 1.75e9
"""Adam on the cores of a server: 7B on 4 A100 over 4 s a step (ZenFlow blog 2025), 72B on 4 nodes about 10 s
(DeepSpeed issue 6834). Desktop hosts reach 0.06e9 to 0.5e9."""
LINK_SHARE: Final = 0.8
"""Of the stated host link that pinned copies reach (0.75 to 0.85 measured)."""
LINK_FALLBACK_BYTES_PER_S: Final = 12.0 * GB
"""Host link where the chip states none (PCIe 3 x16 in practice, assumed)."""
GRADIENT_BYTES: Final = 2.0
WEIGHT_BACK_BYTES: Final = 2.0
"""16-bit gradients to the host and weights back."""
BACKWARD_SHARE: Final = 0.5
"""Of compute that gradient traffic can hide behind: backward is two thirds, and the first layers' gradients come last
(reasoned)."""


def link_bytes_per_s(chip: Chip) -> float:
    """Usable bytes/s of the host link, one direction."""
    stated = chip.pcie_bytes_per_s
    return LINK_FALLBACK_BYTES_PER_S if stated is None else LINK_SHARE * stated


def optimizer_away_s(trainer: Trainer, chip: Chip, layout: Layout, own_params: Num, compute_s: Num) -> Num:
    """Seconds a step of an optimizer whose states live on the host; `own_params` are those this rank updates.

    DeepSpeed sends each micro-batch's share of the gradients to the host, and fetches the sum of the earlier ones to
    add to it (`stage_1_and_2.py`, accumulation in host memory by way of the card).
    """
    link = link_bytes_per_s(chip)
    if trainer.offload_steps_on_card:
        return (trainer.moment_bytes + trainer.master_bytes) * own_params / link
    ranks = np.minimum(layout.n_gpus, layout.gpus_per_node)
    gradients = GRADIENT_BYTES * own_params * (2.0 * layout.grad_accum - 1.0) / link
    visible = np.maximum(gradients - BACKWARD_SHARE * compute_s, 0.0)
    return own_params * ranks / HOST_PARAMS_PER_S_PER_NODE + WEIGHT_BACK_BYTES * own_params / link + visible


def weights_away_s(chip: Chip, layout: Layout, own_params: Num, compute_s: Num) -> Num:
    """Seconds a step that fetching 16-bit weights from the host adds to `compute_s`: what compute cannot hide."""
    fetched = 2.0 * 2.0 * own_params * layout.grad_accum / link_bytes_per_s(chip)
    return np.maximum(fetched - compute_s, 0.0)


def offload_s(trainer: Trainer, chip: Chip, layout: Layout, own_params: Num, compute_s: Num) -> Num:
    """Seconds a step that offloading adds."""
    kind = np.asarray(layout.offload)
    optimizer = optimizer_away_s(trainer, chip, layout, own_params, compute_s)
    weights = weights_away_s(chip, layout, own_params, compute_s)
    return np.where(kind == Offload.NONE, 0.0, optimizer + np.where(kind == Offload.ALL, weights, 0.0))
