"""Why cells of Table 2 differ, where that is known."""

from __future__ import annotations


def why(data: str, scheme: str) -> str:
    """Give the reason for a difference; "" where it is not known."""
    if data == "VO" and scheme != "baseline":
        return "the column of VO is lost in the surviving text"
    if (data, scheme) == ("CH", "baseline"):
        return "1,669 of 3,196 cases are 52.2 %; the paper's 52.7 is a misprint or another file"
    return ""
