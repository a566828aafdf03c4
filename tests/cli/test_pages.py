"""What the pages tell to type runs, prints what they show, and is all that there is."""

import doctest
import re
import shlex
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from fivefold.cli.main import app
from fivefold.errors import FivefoldError

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("**/*.md"))]
TEXTS = {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in PAGES}
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.M | re.S)
LENIENT = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def leaves(command=None, path=()):
    """Give all commands by the words that lead to them."""
    command = command or typer.main.get_command(app)
    if not hasattr(command, "commands"):
        return {" ".join(path): command}
    below = [leaves(part, (*path, name)) for name, part in command.commands.items()]
    return {name: leaf for part in below for name, leaf in part.items()}


COMMANDS = leaves()
OPTIONS = {
    name: {
        word for option in leaf.params for word in (*option.opts, *option.secondary_opts) if word[0] == "-"
    }
    for name, leaf in COMMANDS.items()
}


def typed(text):
    """List the fivefold commands in the blocks of a page, each in one line."""
    joined = re.sub(
        r"\\\n\s*", "", "\n".join(block for kind, block in BLOCK.findall(text) if kind in ("sh", "console"))
    )
    lines = (line.removeprefix("$ ") for line in joined.splitlines())
    return [line for line in lines if line.startswith("fivefold ")]


@pytest.mark.parametrize("page", [page for page, text in TEXTS.items() if typed(text)])
def test_commands_and_options_that_pages_name_exist(page):
    for line in typed(TEXTS[page]):
        words = shlex.split(line, comments=True)[1:]
        if words[0].startswith("--"):
            continue
        name = words[0] if words[0] in OPTIONS else " ".join(words[:2])
        assert name in OPTIONS, line
        asked = {word.split("=")[0] for word in words if re.match(r"--?[a-z]", word)}
        assert asked <= OPTIONS[name], line


def test_the_page_of_the_command_line_lists_all_commands_and_options():
    page = TEXTS["docs/cli.md"]
    rows = [re.split(r"(?<!\\)\|", line)[1:-1] for line in page.splitlines() if line.startswith("| `-")]
    listed = {name: set() for name in COMMANDS}
    for options, commands, _ in rows:
        for name in commands.split(","):
            listed[name.strip()] |= set(re.findall(r"`(-[-\w]+)", options))
    for name in COMMANDS:
        first, *second = (f"`{word}\\b" for word in name.split())
        assert re.search(rf"^\| \[?{first}.*{''.join(second)}", page, re.M), name
    assert listed == {name: words - {"--help", "-h"} for name, words in OPTIONS.items()}


def shown(command, output):
    """Run one line of a console block and compare what it prints."""
    first, *words = shlex.split(command)
    if first == "head":
        number, name = words
        printed = "".join(Path(name).read_text(encoding="utf-8").splitlines(keepends=True)[: -int(number)])
    else:
        assert first == "fivefold", command
        done = CliRunner().invoke(app, words)
        printed = f"fivefold: {done.exception}" if isinstance(done.exception, FivefoldError) else done.output
    if not doctest.OutputChecker().check_output(output, printed, LENIENT):
        pytest.fail(f"{command}\nexpected:\n{output}\ngot:\n{printed}")


def examine(code, page, names):
    """Run a block of Python: a script, or lines of the prompt with what they print."""
    if not code.startswith(">>>"):
        exec(compile(code, page, "exec"), names)
        return
    test = doctest.DocTestParser().get_doctest(code, names, page, page, 0)
    problems = []
    runner = doctest.DocTestRunner(optionflags=LENIENT)
    runner.run(test, out=problems.append, clear_globs=False)
    names.update(test.globs)
    assert not problems, "".join(problems)


@pytest.mark.parametrize("page", [page for page, text in TEXTS.items() if "```console" in text])
def test_pages_with_commands_run_from_top_to_bottom(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    names = {"__name__": "__main__"}
    for kind, block in BLOCK.findall(TEXTS[page]):
        if kind == "python":
            examine(block, page, names)
        elif kind == "console":
            for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
                command, _, output = part.replace("\\\n", " ").partition("\n")
                shown(command, output)
