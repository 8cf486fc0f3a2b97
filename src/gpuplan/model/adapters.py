"""Adapters: the parameters that LoRA adds beside frozen products (arXiv:2106.09685).

Nt = sum over adapted parts of r (n_in + n_out), once for each expert
"""

from dataclasses import dataclass

import numpy as np

from gpuplan.model.operations import Model, Product
from gpuplan.question.job import Adapter
from gpuplan.question.layout import Layout
from gpuplan.units import Num


@dataclass(frozen=True, slots=True, kw_only=True)
class AdapterParams:
    """Adapter parameters on one rank."""

    dense: Num
    experts: Num

    @property
    def total(self) -> Num:
        """Both."""
        return self.dense + self.experts


def adapted_parts(model: Model, adapter: Adapter) -> frozenset[str]:
    """Names of product parts that carry an adapter; `gate` also means the experts' and shared experts' gates."""
    names = {name for group in model.body for row in group.rows if isinstance(row, Product) for name in row.part_names}
    wanted = set(adapter.targets)
    return frozenset(name for name in names if name in wanted or _plain(name) in wanted)


def adapter_params(model: Model, adapter: Adapter, layout: Layout) -> AdapterParams:
    """Adapter parameters of one rank; tensor ranks cut one of the two factors, so about 1/t."""
    parts = adapted_parts(model, adapter)
    share = np.ceil(model.layers / layout.pipeline_parallel) / model.layers
    dense: Num = 0.0
    experts: Num = 0.0
    for group in model.body:
        for row in group.rows:
            if not isinstance(row, Product):
                continue
            widths = sum(row.n_in + width for name, width in row.parts if name in parts)
            count = share * group.count * row.experts * adapter.rank * widths
            if row.is_routed:
                experts = experts + count / (layout.expert_parallel * layout.expert_tensor_parallel)
            else:
                dense = dense + count / layout.tensor_parallel
    return AdapterParams(dense=dense, experts=experts)


def total_adapter_params(model: Model, adapter: Adapter) -> int:
    """Adapter parameters of the whole model."""
    parts = adapted_parts(model, adapter)
    return sum(
        group.count * row.experts * adapter.rank * (row.n_in + width)
        for group in model.body
        for row in group.rows
        if isinstance(row, Product)
        for name, width in row.parts
        if name in parts
    )


def _plain(name: str) -> str:
    """The name of a part without its place: expert_gate and shared_gate are gates; latent q_a, q_b are q."""
    for prefix in ("expert_", "shared_"):
        name = name.removeprefix(prefix)
    return {"q_a": "q", "q_b": "q", "kv_a": "k", "kv_b": "v"}.get(name, name)
