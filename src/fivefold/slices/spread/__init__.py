"""Cases that are spread over the partitions of a Dask DataFrame: each counts its own, and counts are added."""

from fivefold.slices.spread.opening import read_cases

__all__ = ["read_cases"]
