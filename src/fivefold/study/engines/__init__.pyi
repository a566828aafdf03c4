from .engine import ENGINES, Engine, check_engine, start_engine

__all__ = [
    "ENGINES",
    "Engine",
    "check_engine",
    "start_engine",
]
