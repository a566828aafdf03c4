"""Configuration of the documentation site."""

from fivefold import __version__

project = "Fivefold"
author = "the Fivefold authors"
version = release = __version__
extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
]
myst_enable_extensions = ["dollarmath", "colon_fence"]
myst_heading_anchors = 4
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = f"Fivefold {version}"
autosummary_generate = True
autodoc_typehints = "none"
numpydoc_show_class_members = False
default_role = "literal"
# Docstrings inherited from scikit-learn refer to sections of its own user guide.
suppress_warnings = ["ref.ref"]
