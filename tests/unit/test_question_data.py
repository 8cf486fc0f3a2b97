import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from pytest import approx

from gpuplan.question.data_size import PER_TOKENS, data_of, padded_len, spread
from gpuplan.question.defaults import default_global_batch, default_seq_len, nearest_multiple, odd_part


def test_packed_rows_are_full_and_unpacked_rows_are_samples() -> None:
    packed = data_of(2048.0, True, samples=1000.0, tokens=None, mean_len=512.0, epochs=2.0)
    loose = data_of(2048.0, False, samples=1000.0, tokens=None, mean_len=512.0, epochs=2.0)
    assert packed.tokens.typical == loose.tokens.typical == 1000 * 512 * 2
    assert packed.rows.typical == 1000 * 512 * 2 / 2048 and loose.rows.typical == 2000


def test_tokens_fill_rows_unless_samples_are_shorter() -> None:
    assert data_of(1000.0, True, samples=None, tokens=1e6, mean_len=None, epochs=3.0).rows.typical == 3000
    assert data_of(1000.0, False, samples=None, tokens=1e6, mean_len=250.0).rows.typical == 4000
    assert data_of(1000.0, False, samples=None, tokens=1e6, mean_len=None).rows.typical == 1000


def test_without_data_it_is_a_million_tokens() -> None:
    data = data_of(1000.0, True, samples=None, tokens=None, mean_len=None)
    assert not data.is_known and data.tokens.typical == PER_TOKENS


def test_an_unknown_mean_is_a_range_up_to_the_cap() -> None:
    data = data_of(1000.0, False, samples=10.0, tokens=None, mean_len=None)
    assert not data.mean_is_known
    assert data.mean_len.low < data.mean_len.typical < data.mean_len.high == 1000
    assert data.rows.low == data.rows.high == 10 and data.tokens.high == 10_000


@given(st.floats(10, 2000), st.sampled_from([1.0, 2.0, 8.0, 64.0]), st.one_of(st.none(), st.floats(10, 4000)))
def test_padding_lies_between_the_mean_and_the_cap_and_grows_with_the_micro_batch(
    mean: float, batch: float, p95: float | None
) -> None:
    data = data_of(2000.0, False, samples=10.0, tokens=None, mean_len=mean, p95_len=p95)
    small, large = (float(padded_len(data, mean, b)) for b in (batch, 2 * batch))
    assert mean * (1 - 1e-9) <= small <= large <= 2000 * (1 + 1e-9)


def test_the_longest_of_many_samples_is_near_what_draws_give() -> None:
    data = data_of(8192.0, False, samples=1.0, tokens=None, mean_len=500.0, p95_len=1300.0)
    sigma = spread(500.0, 1300.0, 8192.0)
    draws = np.random.default_rng(0).lognormal(np.log(500) - sigma**2 / 2, sigma, size=(20_000, 8))
    assert np.quantile(draws, 0.95) == approx(1300, rel=0.03)
    assert float(padded_len(data, 500.0, 8.0)) == approx(float(np.mean(np.max(draws, axis=1))), rel=0.12)


def test_a_packed_row_has_no_padding_to_count() -> None:
    data = data_of(2048.0, True, samples=10.0, tokens=None, mean_len=100.0)
    assert padded_len(data, 100.0, np.array([1.0, 8.0])).tolist() == [2048.0, 2048.0]


def test_many_micro_batches_pad_as_each_alone() -> None:
    data = data_of(2048.0, False, samples=10.0, tokens=None, mean_len=300.0)
    sizes = np.array([4.0, 1.0, 4.0, 32.0])
    assert np.asarray(padded_len(data, 300.0, sizes)).tolist() == [float(padded_len(data, 300.0, b)) for b in sizes]


def test_the_batch_of_pre_training_follows_the_size_and_the_length() -> None:
    batches = [default_global_batch("pretrain", n, seq_len=4096, rows=None)[0] for n in (1e8, 1e9, 7e9, 7e10)]
    assert batches == sorted(batches)
    assert [b * 4096 for b in batches] == [approx(t, rel=0.5) for t in (0.5e6, 1e6, 2e6, 4e6)]


def test_a_small_data_set_has_a_small_batch() -> None:
    batch, note = default_global_batch("full", 7e9, seq_len=2048, rows=100.0)
    assert batch == 8 and "tenth" in note.source
    assert default_global_batch("full", 7e9, seq_len=2048, rows=1e6)[0] == 128


def test_a_length_is_never_above_the_limit_of_the_model() -> None:
    assert default_seq_len("lora", 512)[0] == 512 and default_seq_len("lora", None)[0] == 2048
    assert default_seq_len("pretrain", 131072)[0] == 4096


@given(st.integers(1, 600), st.sampled_from([16.0, 64.0, 128.0, 1024.0]))
def test_a_default_batch_can_be_divided_over_the_ranks(ranks: int, batch: float) -> None:
    fitted = nearest_multiple(max(batch, float(ranks)), odd_part(ranks))
    assert fitted % ranks == 0
