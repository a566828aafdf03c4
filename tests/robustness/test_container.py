"""A hardened container: nothing of the installation and no home can be written, temporary files alone."""

import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

import fivefold

PROGRAM = """
import os, sys
# an editable install of the tests' own environment goes before any path, and would build
sys.meta_path = [finder for finder in sys.meta_path if "editable" not in type(finder).__module__]
for place in (os.path.dirname(sys.argv[1]), sys.argv[1]):
    try:
        open(os.path.join(place, "probe"), "w").close()
    except OSError:
        continue
    sys.exit(f"{place} can be written: this proves nothing")
import fivefold as ff
assert ff.__file__.startswith(sys.argv[1]), ff.__file__
iris = ff.data.load("IR")
made = ff.evaluate({"c45": ff.learners.C45Tree()}, iris.X, iris.y, n_jobs=1)
made.to_html(os.path.join(os.environ["TMPDIR"], "page.html"))
print(made.scorecard.headline.sentence)
from fivefold.cli import main
sys.argv = ["fivefold", "data", "show", "LA"]
main.run()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="permissions of POSIX")
def test_read_only_install_and_no_home(tmp_path):
    """The package is seen through a folder that may not be written, by a user who owns nothing of it."""
    site, temporary = tmp_path / "site", tmp_path / "tmp"
    site.mkdir()
    temporary.mkdir()
    copy_package(Path(fivefold.__file__).parent, site / "fivefold")
    temporary.chmod(0o777)
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "LD_LIBRARY_PATH") if name in os.environ}
    for folder in (site, *(each for each in site.rglob("*") if each.is_dir())):
        folder.chmod(0o555)
    done = subprocess.run(
        [*nobody(), sys.executable, "-c", PROGRAM, str(site)],
        env=kept | {"TMPDIR": str(temporary), "PYTHONPATH": str(site), "OMP_NUM_THREADS": "1"},
        cwd="/",
        capture_output=True,
        text=True,
        check=False,
    )
    for folder in (site, *(each for each in site.rglob("*") if each.is_dir())):
        folder.chmod(0o755)
    assert done.returncode == 0, done.stderr
    assert "LA: " in done.stdout
    assert (temporary / "page.html").is_file()


def nobody():
    """Root may write everywhere: this prefix makes it one who reads everything and writes nothing."""
    if os.geteuid() != 0:
        return []
    if shutil.which("setpriv") is None:
        pytest.skip("root may write everywhere, and there is no setpriv")
    reads = "-all,+dac_read_search"
    who = ["--reuid", "65534", "--regid", "65534", "--clear-groups"]
    return ["setpriv", *who, f"--inh-caps={reads}", f"--ambient-caps={reads}", f"--bounding-set={reads}"]


def copy_package(source, target):
    """Copy the package as an installation has it; an editable one keeps its compiled modules elsewhere."""
    paths = {path.relative_to(source): path for path in source.rglob("*") if path.is_file()}
    compiled = [path.with_suffix("") for path in paths if path.suffix == ".pxd"] + [Path("_cyutility")]
    for name in compiled:
        origin = Path(find_spec(".".join(("fivefold", *name.parts))).origin)
        paths[name.parent / origin.name] = origin
    for relative, path in paths.items():
        place = target / relative
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, place)  # with its time, by which byte code that came along is known to fit
        place.chmod(0o444)
