"""Text in terminal cells, figures and pages."""

import shlex

from hypothesis import given
from hypothesis import strategies as st

from gpuplan.cli.figures import bytes_as_gib, count, disk, money, price, ranged, span, three
from gpuplan.cli.page import Bullets, Commands, Heading, Table, plain
from gpuplan.cli.width import cells, pad, wrap

WORDS = st.text(st.sampled_from("ab 训练，。7x"), max_size=80)


def test_a_chinese_character_takes_two_cells_and_a_combining_mark_none() -> None:
    assert cells("显存 GiB") == 8
    assert cells("e\u0301") == 1
    assert pad("显存", 6) == "显存  "


@given(WORDS, st.integers(4, 60))
def test_a_wrapped_line_never_is_wider_than_asked_but_for_a_closing_mark(text: str, width: int) -> None:
    for line in wrap(text, width):
        assert cells(line) <= width


@given(WORDS, st.integers(4, 60))
def test_wrapping_loses_no_character(text: str, width: int) -> None:
    assert "".join("".join(wrap(text, width)).split()) == "".join(text.split())


def test_no_line_begins_with_a_chinese_comma() -> None:
    assert wrap("训练算力，规划", 8) == ["训练算", "力，规划"]


COMMAND = "gpuplan plan 'a model' --method lora --own '4x4090, 2x3090' --note 'it'\"'\"'s' --save plan.json"


@given(st.integers(30, 200))
def test_a_command_on_a_narrow_terminal_is_the_same_command_to_a_shell(width: int) -> None:
    text = plain([Commands((COMMAND,))], width)
    assert shlex.split(text.replace("\\\n", " ")) == shlex.split(COMMAND)
    if width < 80:
        assert max(map(len, text.splitlines())) <= width
    else:
        assert len(text.splitlines()) == 1


def test_three_significant_digits_with_separators() -> None:
    assert [three(x) for x in (0.012345, 1.2345, 99.96, 12345, 0, 1e-9)] == [
        "0.0123", "1.23", "100", "12,300", "0", "1e-09",
    ]  # fmt: skip
    assert count(50000) == "50,000"


@given(st.floats(1e-5, 1e14))
def test_three_is_within_half_a_percent_of_the_figure(value: float) -> None:
    assert abs(float(three(value).replace(",", "")) / value - 1) < 0.00501


def test_units_suit_the_size() -> None:
    assert bytes_as_gib(24 * 2**30) == "24.0 GiB"
    assert disk(2.5e12) == "2.50 TB"
    assert disk(15.2e9) == "15.2 GB"
    assert [span("en")(s) for s in (0.0421, 12, 60, 600, 9000, 260000, 1e8)] == [
        "42.1 ms",
        "12.0 s",
        "60.0 s",
        "10.0 min",
        "2.50 h",
        "3.01 d",
        "3.17 years",
    ]
    assert price(1.006, "usd") == "1.006 USD"
    assert price(32.7, "USD") == "32.70 USD"


def test_a_range_is_shown_and_an_unknown_figure_is_not_zero() -> None:
    figure = {"low": 10.0, "typical": 12.0, "high": 15.0}
    assert ranged("en", figure, money("usd")) == "12.0 USD (10.0 to 15.0)"
    assert ranged("en", {"low": 1.0, "typical": None, "high": 2.0}, money("usd")) == "1.00 USD to 2.00 USD"
    assert ranged("en", None, money("usd")) == "unknown"
    assert ranged("zh", None, money("usd")) == "未知"


def test_a_table_fits_any_width_and_becomes_a_list_where_it_is_narrow() -> None:
    table = Table(
        ("", "cheapest", "fastest"), (("machine", "p4d.24xlarge at AWS", "8 x H100"), ("显存", "12 GiB", "40 GiB"))
    )
    for width in (40, 60, 100):
        assert all(cells(line) <= width for line in plain([table], width).splitlines())
    wide = plain([table], 100).splitlines()
    assert wide[1].index("p4d") == wide[0].index("cheapest")
    assert cells(wide[2][: wide[2].index("12")]) == wide[0].index("cheapest")


def test_a_page_has_a_blank_line_before_a_heading_and_indents_further_lines() -> None:
    text = plain([Heading("Why"), Bullets(("one two three four five six seven eight",))], 24)
    assert text.splitlines()[:3] == ["", "Why", "  - one two three four"]
    assert text.splitlines()[3].startswith("    ")
