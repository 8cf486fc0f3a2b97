"""Saved bytes a token and layer equal the tables of docs/memory.md (traced on real modules, read in Megatron)."""

from dataclasses import replace

import pytest

from gpuplan.facts.arch import Architecture, Mla, Moe
from gpuplan.model.activations import (
    alternate_products_bytes,
    backward_layer_bytes,
    kept_layer_bytes,
    saved_bytes,
    saved_tensors,
)
from gpuplan.model.architectures.decoder import decoder
from gpuplan.model.regime import Regime
from gpuplan.model.shape import Shape
from gpuplan.question.layout import Recompute
from tests.unit.factories import LLAMA_2_7B, LLAMA_3_8B, gpt

ONE_TOKEN = Shape(micro_batch=1.0, seq_len=1.0)
H, F, A, K = 4096, 11008, 32, 4096


def layer(arch: Architecture, regime: Regime, shape: Shape = ONE_TOKEN) -> float:
    return float(saved_bytes(decoder(arch).body[0].rows, regime, shape))


HF = Regime(fused_norm=False, fused_activation=False)


def test_a_hugging_face_layer_keeps_16h_8q_8f_4a_when_all_is_trained() -> None:
    assert layer(LLAMA_2_7B, HF) == 16 * H + 8 * H + 8 * F + 4 * A


def test_grouped_keys_and_values_are_kept_once_a_group_unless_they_are_repeated() -> None:
    grouped = layer(LLAMA_3_8B, HF)
    repeated = layer(LLAMA_3_8B, replace(HF, attention="sdpa"))
    assert repeated - grouped == 4 * (4096 - 1024)


def test_a_frozen_layer_without_adapters_keeps_no_inputs_of_products() -> None:
    frozen = replace(HF, trains_weights=False)
    assert layer(LLAMA_2_7B, frozen) == 8 * H + 8 * H + 6 * F + 4 * A


@pytest.mark.parametrize(("adapted", "extra"), [({"q"}, 2 * H), ({"q", "gate"}, 4 * H), ({"down"}, 2 * F), ({"o"}, 0)])
def test_an_adapter_keeps_the_input_of_its_product_once(adapted: set[str], extra: int) -> None:
    frozen = replace(HF, trains_weights=False)
    assert layer(LLAMA_2_7B, replace(frozen, adapted=frozenset(adapted))) - layer(LLAMA_2_7B, frozen) == extra


def test_fp32_adapters_keep_an_fp32_input_each() -> None:
    """Traced: 41.5h without, 67h with all seven targets in fp32."""
    all_seven = frozenset({"q", "k", "v", "o", "gate", "up", "down"})
    regime = replace(HF, trains_weights=False, adapted=all_seven, adapter_input_bytes=4.0)
    tensors = saved_tensors(decoder(LLAMA_2_7B).body[0].rows, regime)
    copies = sum(kept.bytes_per_token for kept in tensors.values() if kept.tensor.endswith("adapter_in"))
    assert copies == 4 * (6 * H + F)


def test_quantised_products_keep_their_inputs_although_they_are_frozen() -> None:
    frozen = replace(HF, trains_weights=False)
    assert layer(LLAMA_2_7B, replace(frozen, quantised=True)) - layer(LLAMA_2_7B, frozen) == 4 * H + 2 * F


def test_a_megatron_layer_keeps_8h_attention_and_four_feed_forward_widths() -> None:
    arch = gpt(layers=2, hidden=512, heads=8, vocab=1000)
    assert layer(arch, Regime()) == 8 * 512 + 8 * 512 + 4 * 2048 + 4 * 8


def test_dropout_adds_one_byte_of_mask_for_each_residual_element() -> None:
    arch = gpt(layers=2, hidden=512, heads=8, vocab=1000)
    assert layer(arch, Regime(dropout=True)) - layer(arch, Regime()) == 2 * 512


@pytest.mark.parametrize(("dropout", "per_score"), [(False, 2), (True, 5)])
def test_unfused_attention_keeps_the_score_matrix(dropout: bool, per_score: int) -> None:
    arch = gpt(layers=2, hidden=512, heads=8, vocab=1000)
    shape = Shape(micro_batch=1.0, seq_len=1024.0)
    fused, unfused = (layer(arch, Regime(dropout=dropout, attention=kind), shape) for kind in ("flash", "unfused"))
    assert unfused - fused == per_score * 8 * 1024 * 1024 - 4 * 8 * 1024


def test_tensor_ranks_cut_all_but_the_residual_stream_and_sequence_parallelism_cuts_that_too() -> None:
    arch = gpt(layers=2, hidden=512, heads=8, vocab=1000)
    whole, cut = layer(arch, Regime()), layer(arch, Regime(), replace(ONE_TOKEN, tensor=2.0))
    both = layer(arch, Regime(), replace(ONE_TOKEN, tensor=2.0, sequence_parallel=1.0))
    assert cut == (whole - 8 * 512) / 2 + 8 * 512
    assert both == whole / 2


def test_latent_attention_keeps_the_parts_and_what_is_concatenated_from_them() -> None:
    mla = Mla(q_lora_rank=192, kv_lora_rank=64, qk_nope_head_dim=16, qk_rope_head_dim=8, v_head_dim=16)
    arch = replace(gpt(layers=4, hidden=512, heads=8, vocab=1000), mla=mla)
    attention = 4 * 192 + 4 * 64 + 6 * 8 * 24 + 2 * 8 * 32 + 2 * 8 * 16 + 4 * 8
    assert layer(arch, Regime()) == 8 * 512 + attention + 4 * 2048


def test_experts_keep_what_each_visit_needs() -> None:
    moe = Moe(
        experts=8, experts_per_token=2, expert_ffn=1024, shared_ffn=0, dense_ffn=None, moe_layers=2, dense_layers=0
    )
    arch = replace(gpt(layers=2, hidden=512, heads=8, vocab=1000, gated_mlp=True), moe=moe)
    assert layer(arch, Regime()) == 8 * 512 + 8 * 512 + 4 * 8 + 2 * (6 * 512 + 6 * 1024)


def test_full_recompute_keeps_the_input_of_a_layer() -> None:
    model = decoder(LLAMA_2_7B)
    kept = kept_layer_bytes(model, HF, ONE_TOKEN, float(Recompute.FULL), "scores")
    assert float(kept) == 2 * H


def test_selective_recompute_by_operations_keeps_6h_2k_2f() -> None:
    model = decoder(LLAMA_3_8B)
    assert float(alternate_products_bytes(model.body[0], model, HF, ONE_TOKEN)) == 6 * H + 2 * 1024 + 2 * 14336


def test_selective_recompute_drops_only_the_scores() -> None:
    arch = gpt(layers=2, hidden=512, heads=8, vocab=1000)
    shape, regime = Shape(micro_batch=1.0, seq_len=256.0), Regime(attention="unfused")
    kept = kept_layer_bytes(decoder(arch), regime, shape, float(Recompute.SELECTIVE), "scores")
    assert float(kept) == layer(arch, regime, shape) - 2 * 8 * 256 * 256


def test_backward_of_a_recomputed_layer_holds_all_it_would_have_saved_and_its_gradients() -> None:
    model = decoder(LLAMA_2_7B)
    kept = float(backward_layer_bytes(model, HF, ONE_TOKEN, float(Recompute.NONE), "scores"))
    again = float(backward_layer_bytes(model, HF, ONE_TOKEN, float(Recompute.FULL), "scores"))
    assert kept == 2 * H + 6 * F
    assert again - kept == layer(LLAMA_2_7B, HF)


def test_a_gathered_input_is_kept_whole_where_the_software_does_not_gather_again() -> None:
    arch = gpt(layers=2, hidden=512, heads=8, vocab=1000)
    shape = replace(ONE_TOKEN, tensor=4.0, sequence_parallel=1.0)
    again, kept = (layer(arch, Regime(keeps_gathered_input=keeps), shape) for keeps in (False, True))
    assert kept - again == 2 * 2 * 512 * 3 / 4


def test_v_as_a_view_keeps_the_whole_product_of_q_k_and_v() -> None:
    assert layer(LLAMA_3_8B, replace(HF, fused_qkv=True)) - layer(LLAMA_3_8B, HF) == 2 * (4096 + 1024)


def test_a_dropped_out_adapter_input_is_a_copy_and_a_mask_once_a_fused_product() -> None:
    frozen = replace(HF, trains_weights=False, adapted=frozenset({"q", "v"}), adapter_dropout=True)
    bare = replace(HF, trains_weights=False)
    assert layer(LLAMA_2_7B, frozen) - layer(LLAMA_2_7B, bare) == 2 * 3 * H
    fused = layer(LLAMA_2_7B, replace(frozen, fused_qkv=True)) - layer(LLAMA_2_7B, replace(bare, fused_qkv=True))
    assert fused == 3 * H


@pytest.mark.parametrize("selective", ["scores", "operations"])
def test_selective_recompute_makes_again_only_what_it_dropped(selective: str) -> None:
    arch = gpt(layers=2, hidden=512, heads=8, vocab=1000)
    shape, regime, model = Shape(micro_batch=1.0, seq_len=256.0), Regime(attention="unfused"), decoder(arch)
    some, none = float(Recompute.SELECTIVE), float(Recompute.NONE)
    kept = float(kept_layer_bytes(model, regime, shape, some, selective))
    extra = backward_layer_bytes(model, regime, shape, some, selective) - backward_layer_bytes(
        model, regime, shape, none, selective
    )
    assert float(extra) == pytest.approx(layer(arch, regime, shape) - kept)
