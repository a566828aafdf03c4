"""What the papers print, as data: all of it is there, and a slip of the pen in a file is refused."""

import re

import numpy as np
import pytest

from fivefold import papers
from fivefold.errors import FivefoldError
from fivefold.papers.korb2001 import NEAREST
from fivefold.papers.printed import parse_published

# printed numbers, errors found, known reasons
SIZES = {
    "bailey1993": (14, 3, 5),
    "cleary1996": (240, 7, 7),
    "andersson1999": (35, 3, 6),
    "bay2000": (155, 4, 6),
    "korb2001": (544, 8, 6),
}

FILE = """
citation = "A. Toy (1999)"
contents = "Table 1"
notes = ["a note"]
runs = 25

[tables.accuracy]
label = "Table 1"
quantity = "accuracy"
unit = "%"
columns = ["1R", "C4.5"]

[tables.accuracy.rows]
BC = "70.5±.8 -"

[[errata]]
where = "p. 3"
printed = "2 + 2 = 5"
found = "2 + 2 = 4"
evidence = "counting"

[[reasons]]
tables = ["Table 1"]
rows = ["BC"]
reason = "another file"
"""


@pytest.mark.parametrize("name", papers.NAMES)
def test_everything_printed_is_there(name):
    published = papers.read_published(name)
    numbers = sum(len(table.numbers) for table in published.tables.values())
    assert (numbers, len(published.errata), len(published.reasons)) == SIZES[name]
    assert published.citation in str(papers.paper(name).citation)


def test_some_numbers_of_table_2():
    published = papers.read_published("cleary1996")
    assert published["correct"]["CH", "C4.5 pruned"].value == 99.2
    assert published["significance"]["SE", "Induct-ripple"].value == 338.6
    assert np.isnan(published["significance"]["VO", "FOIL"].value)


def test_the_notes_of_korb2001_name_the_readings_that_are_shown():
    note = " ".join(papers.read_published("korb2001").notes)
    assert all(f"{learner} {reading}" in note for learner, reading in NEAREST.items())


def test_a_file_says_what_it_says():
    toy = parse_published("toy1999", FILE)
    assert (toy.name, toy.runs, toy.notes) == ("toy1999", 25, ("a note",))
    assert toy["accuracy"]["BC", "1R"] == papers.Number(70.5, 1, 0.8)
    assert toy["accuracy"].unit == "%"
    assert toy.errata == (papers.Erratum("p. 3", "2 + 2 = 5", "2 + 2 = 4", "counting"),)
    assert toy.reason("Table 1", "BC", "C4.5") == "another file"
    assert toy.reason("Table 2", "BC", "C4.5") == toy.reason("Table 1", "CH", "1R") == ""


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ('citation = "A. Toy (1999)"', "citation = A", "toy1999.toml to be TOML"),
        ('citation = "A. Toy (1999)"', "", "citation in toy1999.toml"),
        ("runs = 25", 'runs = "many"', "runs of toy1999.toml to be a whole number"),
        ("runs = 25", "run = 25", "no more than citation, .*got 'run'"),
        ("70.5±.8 -", "70.5±.8", "2 numbers in a row of Table 1; got 1: BC"),
        ("70.5±.8 -", "70.5±.8 about", "a number such as .*'about'"),
        ('BC = "70.5±.8 -"', "BC = 70", "columns and rows of table accuracy of toy1999.toml to be text"),
        ('found = "2 + 2 = 4"', "", "found in an erratum of toy1999.toml"),
        ('rows = ["BC"]', 'rows = ["CB"]', "a reason of toy1999.toml for rows that are printed; got 'CB'"),
    ],
)
def test_a_malformed_file_is_refused_with_the_place(before, after, message):
    assert before in FILE
    with pytest.raises(FivefoldError) as caught:
        parse_published("toy1999", FILE.replace(before, after))
    assert re.search(message, str(caught.value))


@pytest.mark.parametrize("name", ["bay1999", "../published/bay2000", "", 3, ["bay2000"]])
def test_only_papers_that_are_there_are_read(name):
    with pytest.raises(FivefoldError, match="paper to be one of"):
        papers.read_published(name)
