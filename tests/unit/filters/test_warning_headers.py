"""Warnings as headers."""

from __future__ import annotations

from localplane.apiserver.endpoints.filters import warning_headers


def test_a_warning_is_quoted_text_with_code_and_agent() -> None:
    assert warning_headers(["v1 Endpoints is deprecated"]) == ['299 - "v1 Endpoints is deprecated"']


def test_quotes_and_backslashes_are_escaped() -> None:
    assert warning_headers(['unknown field "spec.\\x"']) == [r'299 - "unknown field \"spec.\\x\""']


def test_each_text_is_told_once_in_its_order() -> None:
    assert warning_headers(["b", "a", "b", ""]) == ['299 - "b"', '299 - "a"']


def test_a_text_that_would_end_the_header_is_left_out() -> None:
    assert warning_headers(["fine", "evil\r\nSet-Cookie: x", "tab\t", "half \udcff"]) == ['299 - "fine"']


def test_letters_of_all_languages_are_text() -> None:
    assert warning_headers(["naïve 日本 \u200b"]) == ['299 - "naïve 日本 \u200b"']


def test_up_to_the_limit_nothing_is_cut() -> None:
    texts = ["a" * 2048, "b" * 2048]
    assert warning_headers(texts) == [f'299 - "{text}"' for text in texts]


def test_too_much_text_is_cut_item_by_item() -> None:
    headers = warning_headers(["é" * 4000, "b" * 100, "c" * 100])
    assert headers == [f'299 - "{"é" * 256}"', f'299 - "{"b" * 100}"', f'299 - "{"c" * 100}"']


def test_far_too_many_are_left_out() -> None:
    headers = warning_headers([f"{index:03d}{'x' * 300}" for index in range(100)])
    assert len(headers) == 16
    assert headers[-1].startswith('299 - "015')
