"""Files as the world has them: another system's line ends, marks at the start, damage, and plain noise."""

import gzip

from hypothesis import strategies as st

CSV = "y,a,x1,x2\ncat,cat,1.5,red\ndog,cat,,blue\ncat,dog,2,red\ndog,dog,-3e2,\n"
ARFF = """@relation pets
@attribute x1 numeric
@attribute 'x 2' {red, 'dark blue'}
@attribute y {cat, dog}
@data
1.5, red, cat
?, 'dark blue', dog
{0 2.5, 2 dog}
% a comment
-3e2, ?, cat
"""
FRAGMENTS = [
    '"',
    "'",
    '""',
    ",",
    ";",
    "\t",
    "|",
    "\n",
    "\r\n",
    "\r",
    "\n\n",
    "\0",
    "\ufeff",
    "🦊",
    "שלום",
    "\u202e",
    "\u2028",
    "\x0b",
    "\x1c",
    "x" * 200_000,
    "?",
    "NaN",
    "inf",
    "1e999",
    "{",
    "}",
    "%",
    "\\",
    "\\u12",
    "@data",
    "@attribute y numeric",
    "@attribute z {a,a}",
    "é",
    "e\u0301",
    "=1+1",
    "<script>",
    "y",
    "99999999999999999999",
    "{99 1}",
    "{0 1, 0 2}",
]
BYTES = [b"\xff", b"\xfe\xff", b"\x00", b"\xc3", b"\x1f\x8b", b"\xed\xa0\x80", b"PAR1", b"\xef\xbb\xbf"]


@st.composite
def mutated(draw, text):
    """Draw a file near a good one."""
    for _ in range(draw(st.integers(0, 3))):
        place = draw(st.integers(0, len(text)))
        length = draw(st.sampled_from([0, 0, 1, 5, len(text)]))
        text = text[:place] + draw(st.sampled_from(FRAGMENTS) | st.text(max_size=3)) + text[place + length :]
    if draw(st.booleans()):
        text = text.replace("\n", draw(st.sampled_from(["\r\n", "\r", "\n\n", "\n"])))
    data = text.encode("utf-8", "surrogatepass")
    data = draw(st.sampled_from([b"", b"", b"\xef\xbb\xbf"])) + data
    if not draw(st.integers(0, 3)):
        place = draw(st.integers(0, len(data)))
        data = data[:place] + draw(st.sampled_from(BYTES)) + data[place:]
    return data


@st.composite
def damaged_gzip(draw, content):
    """Draw a gzip file of which something is gone or changed."""
    data = bytearray(gzip.compress(content))
    place = draw(st.integers(0, len(data) - 1))
    if draw(st.booleans()):
        return bytes(data[:place])
    data[place] ^= draw(st.integers(1, 255))
    return bytes(data)


csv_files = mutated(CSV)
arff_files = mutated(ARFF)
noise = st.binary(max_size=200)
