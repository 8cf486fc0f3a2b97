import numpy as np
from pytest import approx

from gpuplan.search.rank import Points, joined_points
from gpuplan.search.seen import Seen


def points_of(rows: list[tuple[int, float, float]]) -> Points:
    n = len(rows)
    whole, ones = np.zeros(n, dtype=np.intp), np.ones(n)
    return Points(
        offer=whole, provider=np.array([r[0] for r in rows], dtype=np.intp), chip=whole, nodes=ones, n_gpus=ones,
        layout=whole, cost=np.array([r[1] for r in rows]), duration_s=np.array([r[2] for r in rows]),
        is_spot=np.zeros(n, dtype=bool),
    )  # fmt: skip


def beaten(seen: Seen, *pairs: tuple[float, float]) -> bool:
    return seen.beat(np.array([c for c, _ in pairs]), np.array([s for _, s in pairs]))


def test_nothing_is_beaten_before_anything_was_seen() -> None:
    assert not beaten(Seen(), (1e9, 1e9))


def test_two_providers_must_beat_a_point() -> None:
    seen = Seen()
    seen.add(points_of([(0, 1.0, 1.0), (0, 1.5, 0.5)]))
    assert not beaten(seen, (9.0, 9.0))
    seen.add(points_of([(7, 2.0, 2.0)]))
    assert beaten(seen, (9.0, 9.0)) and beaten(seen, (2.0, 2.0))
    assert not beaten(seen, (1.9, 9.0)) and not beaten(seen, (9.0, 1.9))
    assert not beaten(seen, (9.0, 9.0), (0.1, 9.0)), "every imagined point must be beaten"


def test_of_each_provider_only_undominated_points_are_kept() -> None:
    seen = Seen()
    seen.add(points_of([(1, 5.0, 5.0), (0, 1.0, 9.0), (1, 4.0, 4.0), (0, 2.0, 8.0), (1, 3.0, 7.0)]))
    kept = sorted(zip(seen.provider.tolist(), seen.cost.tolist(), seen.seconds.tolist(), strict=True))
    assert kept == [(0, 1.0, 9.0), (0, 2.0, 8.0), (1, 3.0, 7.0), (1, 4.0, 4.0)]


def test_points_are_joined_in_order() -> None:
    both = joined_points([points_of([(0, 1.0, 2.0)]), points_of([(3, 4.0, 5.0)])])
    assert both.provider.tolist() == [0, 3] and both.duration_s.tolist() == [2.0, 5.0]
    assert len(joined_points([])) == 0 and both.cost.sum() == approx(5.0)
