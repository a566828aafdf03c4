"""Fetch a data set that is not bundled, turn it into the common form, and keep it in a cache."""

from __future__ import annotations

import csv
import hashlib
import io
import os
import tempfile
import urllib.request
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from fivefold.data.catalog import SetDescription
from fivefold.errors import DataUnavailableError

_TIMEOUT_SECONDS = 30
_UCI = "https://archive.ics.uci.edu"

_THYROID = (
    "age,sex,on_thyroxine,query_on_thyroxine,on_antithyroid_medication,thyroid_surgery,query_hypothyroid,"
    "query_hyperthyroid,pregnant,sick,tumor,lithium,goitre,TSH_measured,TSH,T3_measured,T3,TT4_measured,TT4,"
    "T4U_measured,T4U,FTI_measured,FTI,TBG_measured,TBG,class"
)


def thyroid_csv(raw: str) -> str:
    """Turn UCI's hypothyroid.data or sick-euthyroid.data (class first, ? for missing) into the common form."""
    out = io.StringIO()
    out.write(_THYROID + "\n")
    writer = csv.writer(out, lineterminator="\n")
    for label, *cells in csv.reader(io.StringIO(raw)):
        writer.writerow(["" if cell == "?" else cell for cell in (*cells, label)])
    return out.getvalue()


@dataclass(frozen=True, slots=True)
class Source:
    """Where a file is, which member to take if it is a zip, how to convert it, and what must come out."""

    urls: tuple[str, ...]
    member: str
    convert: Callable[[str], str]
    sha256: str


SOURCES: Mapping[str, Source] = MappingProxyType(
    {
        "SE": Source(
            (
                f"{_UCI}/static/public/102/thyroid+disease.zip",
                f"{_UCI}/ml/machine-learning-databases/thyroid-disease/sick-euthyroid.data",
            ),
            "sick-euthyroid.data",
            thyroid_csv,
            "150ac51c1f74e4957a6e8f37f452096eba516a68965d5cca6a295d8ed0e58adc",
        )
    }
)


def cache_folder() -> Path:
    """Give the folder that keeps downloaded data sets."""
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "fivefold"


def download(description: SetDescription) -> Path:
    """Fetch a data set into the cache and give the path of its file."""
    problems = []
    if source := SOURCES.get(description.code):
        for url in source.urls:
            try:
                data = source.convert(_text(_fetch(url), source.member)).encode()
            except (OSError, ValueError, KeyError, zipfile.BadZipFile) as problem:
                problems.append(f"{url}: {problem}")
                continue
            if hashlib.sha256(data).hexdigest() == source.sha256:
                return _keep(data, cache_folder() / description.file)
            problems.append(f"{url}: not the expected data")
    raise DataUnavailableError(
        f"{description.code} ({description.title}) in this package, in $FIVEFOLD_DATA, in the cache or online",
        "; ".join(problems) or "none of these",
        f"put the file {description.file} into a folder and set FIVEFOLD_DATA to it, or connect to the network "
        f"(data set {description.uci} of the UCI repository)",
    )


def _fetch(url: str) -> bytes:
    with urllib.request.urlopen(url, timeout=_TIMEOUT_SECONDS) as answer:
        data: bytes = answer.read()
    return data


def _text(data: bytes, member: str) -> str:
    if data.startswith(b"PK"):
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            data = archive.read(member)
    return data.decode("utf-8")


def _keep(data: bytes, path: Path) -> Path:
    # Written beside its place and moved there whole: a reader never sees half a file.
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as part:
        part.write(data)
    Path(part.name).replace(path)
    return path
