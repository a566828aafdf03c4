"""The habits that all results share: they are frozen, have a title and a unit, and print in one line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from fivefold.inputs.options import one_of
from fivefold.results.metric import Direction


class Result:
    """Base of all results; subclasses are frozen dataclasses that name their columns."""

    title: ClassVar[str]
    unit: ClassVar[str]
    direction: ClassVar[Direction]

    def columns(self) -> Mapping[str, Any]:
        """Give the numbers of this result by column name."""
        raise AttributeError(f"{type(self).__name__} has no table of numbers")

    def frame(self, library: str = "polars") -> Any:
        """Give the numbers as a data frame.

        Parameters
        ----------
        library : {"polars", "pandas", "pyarrow"}
            The library of the frame; only polars comes with Fivefold.
        """
        return make_frame(self.columns(), library)


def make_frame(columns: Mapping[str, Any], library: str = "polars") -> Any:
    """Build a data frame of the asked library from named columns."""
    import polars as pl

    one_of(library, ("polars", "pandas", "pyarrow"), "library")
    frame = pl.DataFrame(dict(columns))
    if library == "pandas":
        import pandas as pd

        return pd.DataFrame(frame.to_dict(as_series=False))
    return frame.to_arrow() if library == "pyarrow" else frame
