"""Notes and assumptions: one record, two languages."""

from gpuplan.question.defaults import assumed, default_global_batch
from gpuplan.question.figures import assumption
from gpuplan.question.note import counted, note, said, spent


def test_a_note_in_a_note_is_said_in_the_language_of_the_whole() -> None:
    inner = note("source.batch.lora")
    whole = note("source.batch.suited", source=inner, ranks=3.0)
    for lang in ("en", "zh"):
        assert whole.say(lang).startswith(inner.say(lang)) and "3" in whole.say(lang)
    assert whole.say("en") != whole.say("zh")


def test_a_name_is_the_same_in_every_language() -> None:
    assert said("H100", "en") == said("H100", "zh") == "H100"


def test_one_is_told_apart_from_many() -> None:
    assert [counted("gpu", n).say("en") for n in (1, 2, 64.0)] == ["1 GPU", "2 GPUs", "64 GPUs"]


def test_times_are_said_in_the_largest_unit_that_they_hold_twice() -> None:
    shown = {1e-3: "3.6 s", 0.0334: "2 min", 47.9: "47.9 h", 48: "2 days", 17_000: "708 days", 18_000: "2.05 years"}
    assert {hours: spent(hours).say("en") for hours in shown} == shown
    assert [spent(hours).say("zh") for hours in shown][3:] == ["2 天", "708 天", "2.05 年"]


def test_short_times_are_minutes() -> None:
    assert [spent(h).say("en") for h in (0.05, 1.9, 2.0, 36.0)] == ["3 min", "114 min", "2 h", "36 h"]
    assert spent(0.5).say("zh") == "30 分钟"


def test_an_assumption_has_its_english_at_hand_and_is_said_in_chinese() -> None:
    one = assumed("lora_targets", note("value.all_linear"), note("source.lora_targets"))
    assert one.say("en") == {name: getattr(one, name) for name in ("field", "value", "source", "effect")}
    chinese = one.say("zh")
    assert chinese["field"] == "lora_targets" and chinese["value"] == "全部线性层"
    assert all(chinese[name] != getattr(one, name) for name in ("value", "source", "effect"))


def test_what_is_no_sentence_stays() -> None:
    one = assumption("fabric", "EFA", source="arXiv:1234.56789", effect=note("assumed.fabric"))
    assert one.say("zh")["value"] == "EFA" and one.say("zh")["source"] == "arXiv:1234.56789"
    assert set(one.notes) == {"effect"}


def test_the_source_of_a_batch_names_the_tokens_of_its_size() -> None:
    _, small = default_global_batch("pretrain", 1e8, seq_len=4096, rows=None)
    _, large = default_global_batch("pretrain", 7e10, seq_len=4096, rows=None)
    assert "0.5M" in small.source and "2005.14165" in small.source
    assert "4M" in large.source and "Llama 2" in large.source and "4M" in large.say("zh")["source"]
