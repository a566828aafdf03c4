"""Texts as attributes: their length, digits and scripts, and the words that many of them have."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from fivefold.data.conditions import sql_literal
from fivefold.inputs.columns import Column, Derivation, FindCuts
from fivefold.inputs.labels import BOOLS

# a text has more words than this, where values differ
FEWEST_WORDS = 2.5
# or, in a script without blanks, more letters than this
FEWEST_LETTERS = 6
# words are chosen from so many rows and letters; how often all rows have them is counted afterwards
SAMPLE_ROWS, SAMPLE_LETTERS = 20_000, 10_000_000
LEAST_SHARE, LEAST_ROWS = 0.01, 5
MOST_WORDS, MOST_PHRASES, LONGEST_PHRASE = 80, 20, 3
PIECE_ROWS = 5_000
# a phrase that holds where its words do tells nothing beyond them
MOST_OF_WORDS = 0.8
ROWS_AT_ONCE = 50_000
SEPARATORS = '\n\t\r.,;:!?"()[]{}/-“”…—'
SCRIPTS = {
    "Latin letters": "A-Za-zÀ-ɏ",
    "Greek letters": "Ͱ-Ͽ",
    "Cyrillic letters": "Ѐ-ӿ",
    "Hebrew letters": "֐-׿",
    "Arabic letters": "؀-ۿ",
    "Devanagari letters": "ऀ-ॿ",
    "Thai letters": "฀-๿",
    "Japanese kana": "぀-ヿ",
    "Chinese characters": "一-鿿",
    "Korean letters": "가-힣",
    "emoji": "🌀-🫿",
}
_NO_BLANKS = "[฀-๿぀-ヿ一-鿿]"
_PIECE = f"{_NO_BLANKS}{{2,6}}"
_WORD = r"^[^\d]*\p{L}[^\d]*$"
_CANDIDATE = r"^[^%_\\\x00-\x1f]*\p{L}[^%_\\\x00-\x1f]*$"


@dataclass(frozen=True)
class Size(Derivation):
    """How long a text is, in characters or in words; words are counted by the blanks between them."""

    words: bool

    @property
    def what(self) -> str:
        """What is measured."""
        return "number of words" if self.words else "length"

    @property
    def name(self) -> str:
        """What the attribute is called."""
        return f"{self.what} {'in' if self.words else 'of'} {self.source}"

    @property
    def family(self) -> str:
        """Characters and words measure the same."""
        return f"length of {self.source}"

    def measure(self, texts: pl.Series) -> NDArray[np.float64]:
        """Measure each text; NaN where it is missing."""
        sizes = texts.str.count_matches(" ", literal=True) + 1 if self.words else texts.str.len_chars()
        return sizes.cast(pl.Float64).fill_null(np.nan).to_numpy()

    def cut(self, n_bins: int | None, quantiles: FindCuts) -> NDArray[np.float64]:
        """Cut at quantiles, which are whole numbers here."""
        return np.unique(np.floor(quantiles(n_bins or 4)))

    def sql(self, column: str) -> str:
        """Write it with functions that all engines have."""
        length = f"LENGTH({column})"
        return f"({length} - LENGTH(REPLACE({column}, ' ', '')) + 1)" if self.words else length

    def python(self, column: str) -> str:
        """Write it for pandas."""
        return f"({column}.str.count(' ') + 1)" if self.words else f"{column}.str.len()"


@dataclass(frozen=True)
class Contains(Derivation):
    """Whether a text contains any character of a class, given as regular expressions have it."""

    what: str
    characters: str

    @property
    def name(self) -> str:
        """What the attribute is called."""
        return self.show(True)

    @property
    def family(self) -> str:
        """Scripts exclude each other more often than not."""
        return f"characters of {self.source}"

    def flags(self, texts: pl.Series) -> pl.Series:
        """Say which texts contain one."""
        return texts.str.contains(f"[{self.characters}]")

    def show(self, value: object) -> str:
        """Say that it does or does not."""
        return f"{self.source} {'contains' if value else 'does not contain'} {self.what}"

    def say(self, condition: object) -> str:
        """Say it within a sentence."""
        does = getattr(condition, "present", True)
        return f"a {self.source} that {'contains' if does else 'does not contain'} {self.what}"

    def sql(self, column: str) -> str:
        """Write it; digits so that engines without regular expressions can read it."""
        if self.characters == "0-9":
            return "(" + " OR ".join(f"{column} LIKE '%{digit}%'" for digit in range(10)) + ")"
        return f"REGEXP_LIKE({column}, '[{self.characters}]')"

    def python(self, column: str) -> str:
        """Write it for pandas."""
        return f"{column}.str.contains('[{self.characters}]', na=False)"


@dataclass(frozen=True)
class ContainsWord(Contains):
    """Whether a text contains a word or a phrase: between separators, in capitals or not.

    characters: The characters that separate words here, beside blanks.
    phrase: The word, or several with a blank between them, in small letters.
    anywhere: Whether it may stand within others, as in scripts without blanks.
    """

    phrase: str
    anywhere: bool = False

    @property
    def family(self) -> str:
        """Words overlap too much for two of them to tell more than one."""
        return f"words in {self.source}"

    def sql(self, column: str) -> str:
        """Write it with functions that all engines have."""
        if self.anywhere:
            return f"{column} LIKE {sql_literal(f'%{self.phrase}%')}"
        text = f"LOWER({column})"
        for separator in self.characters:
            text = f"REPLACE({text}, {sql_literal(separator)}, ' ')"
        return f"(' ' || {text} || ' ') LIKE {sql_literal(f'% {self.phrase} %')}"

    def python(self, column: str) -> str:
        """Write it for pandas."""
        if self.anywhere:
            return f"{column}.str.contains({self.phrase!r}, regex=False, na=False)"
        between = f"[{re.escape(self.characters)} ]"
        words = between.join(map(re.escape, self.phrase.split(" ")))
        pattern = f"(?:^|{between}){words}(?:{between}|$)"
        return f"{column}.str.lower().str.contains({pattern!r}, na=False)"


def contains_word(source: str, phrase: str, separators: str) -> ContainsWord:
    """Make the attribute of a word or phrase."""
    return ContainsWord(source, repr(phrase), separators, phrase, re.fullmatch(_PIECE, phrase) is not None)


def is_prose(texts: pl.Series) -> bool:
    """Tell text from names and codes: by the number of words without digits, or of letters that need no blanks."""
    sample = texts.gather_every(max(1, len(texts) // 5_000)).drop_nulls()
    words = sample.str.split(" ").explode()
    n_words = int(words.str.contains(_WORD).sum())
    n_letters = int(sample.str.count_matches(_NO_BLANKS).sum())
    return n_words >= FEWEST_WORDS * len(sample) or n_letters >= FEWEST_LETTERS * len(sample)


def text_features(source: str, texts: pl.Series) -> tuple[Derivation, ...]:
    """Choose what to ask of texts: by frequency alone, never by an outcome."""
    known = texts.drop_nulls()
    marks = [Contains(source, "a digit", "0-9")]
    marks += [Contains(source, script, characters) for script, characters in SCRIPTS.items()]
    letters = int(known.str.len_chars().sum()) / len(known)
    n_rows = int(min(SAMPLE_ROWS, max(SAMPLE_LETTERS / max(letters, 1.0), 1_000)))
    sample = known.gather_every(max(1, len(known) // n_rows))
    least, most = LEAST_SHARE * len(sample), (1 - LEAST_SHARE) * len(sample)
    usable = [mark for mark in marks if least <= int(mark.flags(sample).sum()) <= most]
    separators = "".join(mark for mark in SEPARATORS if sample.str.contains(mark, literal=True).any())
    asked = dict.fromkeys([*frequent_phrases(sample, separators), *frequent_pieces(sample)])
    words = (contains_word(source, phrase, separators) for phrase in asked)
    return Size(source, False), Size(source, True), *usable, *words


def plain_words(texts: pl.Series, separators: str) -> pl.Series:
    """Write texts in small letters with a blank before, after and for every separator between words."""
    low = texts.str.to_lowercase()
    if separators:
        low = low.str.replace_all(f"[{re.escape(separators)}]", " ")
    return pl.select(pl.concat_str(pl.lit(" "), low, pl.lit(" "))).to_series()


def frequent_phrases(texts: pl.Series, separators: str) -> list[str]:
    """List the words, and then the phrases, that most rows have.

    Examples
    --------
    >>> frequent_phrases(pl.Series(["Is it new?", "it is not new", "NOT new"] * 10), "?")
    ['is', 'it', 'not', 'is it', 'is not', 'it is', 'it new']
    """
    least = max(LEAST_SHARE * len(texts), LEAST_ROWS)
    words = (
        plain_words(texts, separators)
        .str.split(" ")
        .alias("n1")
        .to_frame()
        .with_row_index("row")
        .explode("n1")
    )
    shared, phrases = dict[str, int](), list[str]()
    for length in range(1, LONGEST_PHRASE + 1):
        if length > 1:
            following = pl.col("n1").shift(-length + 1).over("row")
            words = words.with_columns(
                pl.concat_str(f"n{length - 1}", following, separator=" ").alias(f"n{length}")
            )
        counts = _count(words, f"n{length}", length, least)
        new = [phrase for phrase, n in counts.items() if _tells_more(phrase, n, shared)]
        shared |= counts
        phrases += new[:MOST_WORDS] if length == 1 else new
    # that a text contains a word is said rather than that it does not contain a more frequent one
    singles = sorted((p for p in phrases if " " not in p), key=lambda word: 2 * shared[word] > len(texts))
    several = sorted((p for p in phrases if " " in p), key=lambda phrase: (-shared[phrase], phrase))
    most = (1 - LEAST_SHARE) * len(texts)
    return [phrase for phrase in singles + several[:MOST_PHRASES] if shared[phrase] <= most]


def frequent_pieces(texts: pl.Series) -> list[str]:
    """List the pieces of two to six letters that most rows have, where a script has no blanks.

    A piece that is nearly always part of a longer one gives way to it.

    Examples
    --------
    >>> frequent_pieces(pl.Series(["天气很好", "今天天气", "不知道"] * 10 + ["东京"]))
    ['天气', '不知道', '今天天气', '天气很好']
    """
    sample = texts.gather_every(max(1, len(texts) // PIECE_ROWS))
    counts = Counter[str]()
    for text in sample.to_list():
        runs = re.findall(f"{_NO_BLANKS}+", text)
        counts.update({run[i : i + k] for run in runs for k in range(2, 7) for i in range(len(run) - k + 1)})
    least, most = max(LEAST_SHARE * len(sample), LEAST_ROWS), (1 - LEAST_SHARE) * len(sample)
    often = {piece: n for piece, n in counts.items() if least <= n <= most}
    parts = {
        part
        for piece, n in often.items()
        for part in (piece[:-1], piece[1:])
        if n > MOST_OF_WORDS * often.get(part, n)
    }
    whole = sorted(often.keys() - parts, key=lambda piece: (-often[piece], piece))
    return whole[: MOST_WORDS // 2]


def _count(words: pl.DataFrame, column: str, length: int, least: float) -> dict[str, int]:
    """Count the rows of each phrase of so many words, the most frequent first."""
    blanks = pl.col(column).str.count_matches(" ", literal=True) == length - 1
    proper = ~pl.col(column).str.contains(r"^ | $|  ") & (pl.col(column).str.len_chars() > 1)
    counts = (
        words.lazy()
        .select("row", column)
        .filter(blanks & proper & pl.col(column).str.contains(_CANDIDATE))
        .unique()
        .group_by(column)
        .len("n")
        .filter(pl.col("n") >= least)
        .sort("n", column, descending=[True, False])
        .collect()
    )
    return dict(counts.iter_rows())


def _tells_more(phrase: str, n: int, shared: dict[str, int]) -> bool:
    words = phrase.split(" ")
    if len(words) == 1:
        return True
    parts = (" ".join(words[:-1]), " ".join(words[1:]))
    return all(n <= MOST_OF_WORDS * shared.get(part, 0) for part in parts)


def read_texts(texts: pl.Series, features: Sequence[Derivation]) -> list[Column]:
    """Ask texts for some features; the rows are taken in parts, for words in a form of their own need room."""
    columns: dict[Derivation, Column] = {
        feature: Column(feature.name, "numeric", feature.measure(texts), None, feature)
        for feature in features
        if isinstance(feature, Size)
    }
    for feature in features:
        if isinstance(feature, Contains) and not isinstance(feature, ContainsWord):
            flags = feature.flags(texts).cast(pl.Int8).fill_null(-1).to_numpy()
            columns[feature] = Column(feature.name, "nominal", flags, BOOLS, feature)
    words = [feature for feature in features if isinstance(feature, ContainsWord)]
    for separators in dict.fromkeys(word.characters for word in words):
        alike = [word for word in words if word.characters == separators]
        codes = np.empty((len(alike), len(texts)), dtype=np.int8)
        for first in range(0, len(texts), ROWS_AT_ONCE):
            part = texts[first : first + ROWS_AT_ONCE]
            codes[:, first : first + len(part)] = _find_words(part, alike, separators)
        columns |= {
            word: Column(word.name, "nominal", row, BOOLS, word)
            for word, row in zip(alike, codes, strict=True)
        }
    return [columns[feature] for feature in features]


def _find_words(texts: pl.Series, words: Sequence[ContainsWord], separators: str) -> NDArray[np.int8]:
    """Say which texts contain which words: 1, 0, or -1 where the text is missing."""
    patterns = [word.phrase if word.anywhere else f" {word.phrase} " for word in words]
    matches = plain_words(texts, separators).str.extract_many(patterns, overlapping=True)
    many = matches.list.len().fill_null(0)
    # what explode makes of empty lists depends on the version
    places = matches.filter(many > 0).explode().cast(pl.Enum(patterns)).to_physical()
    codes = np.zeros((len(words), len(texts)), dtype=np.int8)
    codes[places.to_numpy(), np.repeat(np.arange(len(texts)), many.to_numpy())] = 1
    codes[:, texts.is_null().to_numpy()] = -1
    return codes
