"""Host memory of a node and bytes of a checkpoint."""

from typing import Final

import numpy as np

from gpuplan.facts.trainer import Trainer
from gpuplan.model.architectures.decoder import decoder
from gpuplan.model.optimizers import moment_bytes, optimizer_of
from gpuplan.model.params import LocalParams, total_params
from gpuplan.model.states import Trained
from gpuplan.question.job import Job
from gpuplan.question.layout import Layout, Offload
from gpuplan.units import GIB, Num

PROCESS_BYTES: Final = 4.0 * GIB
"""Interpreter, libraries and pinned buffers of one rank (reasoned; users report 2 to 6 GiB)."""


def host_bytes_per_node(trainer: Trainer, local: LocalParams, trained: Trained, layout: Layout) -> Num:
    """Host memory of one node: processes, the worst of load and save, and what is offloaded.

    Load and save: some trainers hold the model once a rank, some on rank 0 alone (frameworks_notes, fact 14).
    Offload: 16 bytes a trained parameter for the optimizer, 20 for weights too (fact 13), shared by all nodes.
    """
    ranks = np.minimum(layout.n_gpus, layout.gpus_per_node)
    whole = local.total * layout.tensor_parallel * layout.pipeline_parallel
    load = trainer.load_rank_host_bytes * ranks * local.total
    save = trainer.save_rank_host_bytes * ranks * local.total + trainer.save_rank0_host_bytes * whole
    offload = np.asarray(layout.offload)
    per_param = np.where(
        offload == Offload.ALL,
        trainer.offload_all_host_bytes,
        np.where(offload == Offload.OPTIMIZER, trainer.offload_optimizer_host_bytes, 0.0),
    )
    own = trained.n_full / np.where(np.asarray(layout.zero) >= 1, layout.shards, 1.0)
    return PROCESS_BYTES * ranks + np.maximum(load, save) + per_param * own * ranks


def checkpoint_bytes(job: Job, layout: Layout, trained: Trained) -> Num:
    """One resumable checkpoint of the whole run: weights, masters and moments of what is trained."""
    trainer, role = job.trainer, job.policy
    moments = moment_bytes(optimizer_of(job.optimizer), trainer.moment_bytes)
    per_param = trainer.checkpoint_bytes or trainer.weight_bytes + trainer.master_bytes + moments
    if role.trains == "all":
        return per_param * total_params(decoder(role.model)) + 0.0 * layout.n_gpus
    adapters = 4.0 * trainer.adapter_bytes * trained.adapter.total
    parts = layout.pipeline_parallel * layout.tensor_parallel
    return (per_param * trained.n_full + adapters) * parts
