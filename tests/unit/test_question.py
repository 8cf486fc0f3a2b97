import math
from dataclasses import fields
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gpuplan.app.question_file import read_question
from gpuplan.errors import GpuplanError, InputError, QuestionError
from gpuplan.question.parse import split_gpus
from gpuplan.question.question import METHODS, PARSERS, Question, question_of

DOCS = Path(__file__).parents[2] / "docs" / "question.md"


def documented_rows() -> list[list[str]]:
    lines = [line for line in DOCS.read_text(encoding="utf-8").splitlines() if line.startswith("| `")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def test_the_page_and_the_record_have_the_same_keys() -> None:
    documented = [row[0].strip("`") for row in documented_rows()]
    assert sorted(documented) == sorted(f.name for f in fields(Question)) == sorted(PARSERS)
    assert len(set(documented)) == len(documented)


def test_each_documented_key_has_unit_default_meaning_and_an_example_that_is_understood() -> None:
    for key, unit, default, example, meaning in documented_rows():
        assert unit and default and meaning
        question_of({"model": "7B", key.strip("`"): example.strip("`")})


def test_the_documented_file_is_read(tmp_path: Path) -> None:
    body = DOCS.read_text(encoding="utf-8").split("```toml\n")[1].split("```")[0]
    path = tmp_path / "question.toml"
    path.write_text(body, encoding="utf-8")
    question = read_question(path, epochs=2)
    assert (question.model, question.samples, question.budget, question.epochs) == ("Qwen2.5-7B", 50000, "100usd", 2)


@pytest.mark.parametrize(
    ("written", "meant"),
    [("1B", 1e9), ("2.5M", 2.5e6), ("50k", 5e4), ("1T", 1e12), ("1_000", 1e3), ("5万", 5e4), ("1e9", 1e9), (7, 7.0)],
)
def test_numbers_are_understood_as_people_write_them(written: object, meant: float) -> None:
    assert question_of({"model": "7B", "tokens": written}).tokens == meant


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("200usd", (200, "USD")), ("1500cny", (1500, "CNY")), ("¥1500", (1500, "CNY")), ("$1.5k", (1500, "USD")),
        ("1,500 RMB", (1500, "CNY")), ("99.5 EUR", (99.5, "EUR")), ("100元", (100, "CNY")), ("5万元", (50000, "CNY")),
    ],
)  # fmt: skip
def test_money_keeps_its_currency(written: str, meant: tuple[float, str]) -> None:
    assert question_of({"model": "7B", "budget": written}).budget_money == meant


@pytest.mark.parametrize(
    ("written", "seconds"), [("3d", 259200), ("36h", 129600), ("90min", 5400), ("2w", 1209600), ("3天", 259200)]
)
def test_times_are_understood(written: str, seconds: float) -> None:
    assert question_of({"model": "7B", "deadline": written}).deadline_s == seconds


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("4x4090", (1, 4, "4090")), ("8*H100", (1, 8, "H100")), ("2x8xH100", (2, 8, "H100")), ("4090", (1, 1, "4090")),
        ("1 x RTX 4090", (1, 1, "RTX 4090")), ("8×昇腾910B", (1, 8, "昇腾910B")), ("8xA100 80G", (1, 8, "A100 80G")),
        ("H100x8", (1, 8, "H100")), ("RTX 4090 x 2", (1, 2, "RTX 4090")), ("RTX 4090", (1, 1, "RTX 4090")),
        ("8xMI300X", (1, 8, "MI300X")), ("A100 80G*4", (1, 4, "A100 80G")), ("rtx4090", (1, 1, "rtx4090")),
        ("2xH100x8", (2, 8, "H100")),
    ],
)  # fmt: skip
def test_hardware_is_nodes_times_gpus_times_chip(written: str, meant: tuple[int, int, str]) -> None:
    assert split_gpus("own", written) == meant


def test_nodes_multiply_the_hardware_of_a_check() -> None:
    assert Question(model="7B", on="8xH100", nodes=2).on_gpus == (2, 8, "H100")
    assert Question(model="7B", on="2x8xH100").on_gpus == (2, 8, "H100")


BAD = [
    {"tokens": math.nan}, {"tokens": math.inf}, {"tokens": -1}, {"tokens": 0}, {"tokens": 10**400}, {"tokens": "1e999"},
    {"samples": 1.5}, {"samples": True}, {"samples": "many"}, {"samples": []}, {"epochs": "-3"}, {"seq_len": 0},
    {"budget": 200}, {"budget": "200"}, {"budget": "-5usd"}, {"budget": "0usd"}, {"budget": "200zzz"},
    {"budget": "usd"},
    {"budget": "nanusd"}, {"deadline": "tomorrow"}, {"deadline": 3}, {"deadline": "0d"}, {"deadline": "-3d"},
    {"deadline": "2026-13-45"}, {"deadline": "99999999999d"}, {"own": "0x4090"}, {"on": "x"}, {"on": "8x"}, {"on": ""},
    {"own": "-1xH100x"}, {"method": "lorra"}, {"method": 3}, {"zero": 4}, {"spot": "perhaps"}, {"prefer": ""},
    {"cloud": ","}, {"model": "\x00"}, {"model": "a" * 500}, {"tokens": 1e9, "samples": 5},
    {"seq_len": 100, "mean_len": 200}, {"tokns": 5}, {"lora_rank": {"a": 1}}, {"packing": 1}, {"currency": "xyz"},
]  # fmt: skip


def test_a_negative_amount_is_out_of_range_not_unreadable() -> None:
    for keys in ({"budget": "-5usd"}, {"tokens": "-5"}, {"epochs": -1}):
        with pytest.raises(QuestionError, match="out of range"):
            question_of({"model": "7B", **keys})


@pytest.mark.parametrize("keys", BAD, ids=str)
def test_a_wrong_value_is_refused_in_one_line_that_names_the_field(keys: dict[str, object]) -> None:
    with pytest.raises(QuestionError) as caught:
        question_of({"model": "7B", **keys}, where="q.toml")
    for lang in ("en", "zh"):
        line = caught.value.say(lang)
        assert "\n" not in line and len(line) < 400 and "{" not in line.replace("{'a'", "")
    assert any(key in caught.value.say("en") for key in keys)


def test_an_unknown_key_names_the_nearest() -> None:
    with pytest.raises(QuestionError, match="seq_len"):
        question_of({"model": "7B", "seqlen": 5})
    with pytest.raises(TypeError):
        Question(model="7B", seqlen=5)  # type: ignore[call-arg]


garbage = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(), st.lists(st.text(), max_size=3), st.binary(),
    st.dictionaries(st.text(max_size=3), st.integers(), max_size=2), st.from_regex(r"[0-9.,_xkMBT¥$a-z -]{0,12}"),
)  # fmt: skip


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.dictionaries(st.sampled_from(sorted(PARSERS)), garbage, max_size=6))
def test_garbage_in_any_field_is_a_question_or_a_question_error(keys: dict[str, object]) -> None:
    try:
        question = question_of(keys)
    except GpuplanError as error:
        assert "\n" not in str(error) and error.say("zh")
    else:
        assert question_of(question.keys()) == question


said = st.fixed_dictionaries(
    {"model": st.sampled_from(["7B", "Qwen/Qwen2.5-7B"])},
    optional={
        "method": st.sampled_from(METHODS),
        "tokens": st.floats(1, 1e15),
        "seq_len": st.integers(1, 10**6),
        "budget": st.builds("{:.2f}{}".format, st.floats(0.01, 1e9), st.sampled_from(["usd", "cny", "eur"])),
        "deadline": st.builds("{}{}".format, st.integers(1, 3000), st.sampled_from(["h", "d"])),
        "own": st.builds("{}x{}x{}".format, st.integers(1, 9), st.integers(1, 9), st.sampled_from(["4090", "H100"])),
        "cloud": st.lists(st.sampled_from(["aws", "gcp"]), min_size=1).map(",".join),
        "spot": st.booleans(),
        "zero": st.integers(0, 3),
    },
)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(said)
def test_a_question_survives_its_own_text(keys: dict[str, object]) -> None:
    question = question_of(keys)
    again = question_of(question.keys())
    assert again == question
    assert again.budget_money == question.budget_money and again.deadline_s == question.deadline_s


@pytest.mark.parametrize(
    ("body", "key"),
    [
        (b"\x00\x01\x02", "question.file_binary"), (b"\xff\xfe", "question.file_binary"),
        (b"a = ", "question.file_broken"), (b"x" * 16_000_001, "question.file_large"),
        (b"a" + b"[" * 100_000, "question.file_broken"),
    ],
    ids=["zero bytes", "not utf-8", "broken", "too large", "deep"],
)  # fmt: skip
def test_a_bad_file_is_refused_in_one_line(body: bytes, key: str, tmp_path: Path) -> None:
    path = tmp_path / "q.toml"
    path.write_bytes(body)
    with pytest.raises(InputError) as caught:
        read_question(path)
    assert caught.value.key == key and "\n" not in str(caught.value)


def test_missing_endless_and_strange_files_are_refused(tmp_path: Path) -> None:
    for path in (tmp_path / "none.toml", tmp_path, Path("/dev/zero"), "a\0b"):
        with pytest.raises(InputError):
            read_question(path)
