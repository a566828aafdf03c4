"""Where jobs run: in this process, in processes beside it, or on a Dask cluster."""

from fivefold.study.engines.engine import ENGINES, Engine, check_engine, start_engine

__all__ = ["ENGINES", "Engine", "check_engine", "start_engine"]
