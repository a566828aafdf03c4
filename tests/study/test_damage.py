"""Flipped bits, edited rows and made-up files: what is damaged is named and done anew, the rest is kept."""

import json
import random
import re
import shutil
import sqlite3
import warnings

import pytest

from fivefold.cli import main
from fivefold.errors import FivefoldError
from fivefold.study import Shelf, StoreError, StoreWarning, Study, check_results
from fivefold.study.rows import SEALED, sealed
from fivefold.study.store import APPLICATION_ID

JOBS = 12


@pytest.fixture
def study(tasks, tmp_path):
    made = Study("draws", tasks.draws(JOBS, size=30), tmp_path / "draws.study")
    made.run(engine="serial")
    return made


def change(path, *statements):
    connection = sqlite3.connect(path)
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    connection.close()


def quietly(call):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", StoreWarning)
        return call()


def test_no_flipped_bit_gives_another_value(study, tmp_path):
    """Each copy has one flipped bit: it reads as before, says what is damaged, or is refused."""
    good, content = study.frame(), study.path.read_bytes()
    whole = {row["i"]: row for row in good.iter_rows(named=True)}
    chance, refused, lost = random.Random(4), 0, 0
    for number in range(150):
        bit = chance.randrange(8 * len(content))
        flipped = bytearray(content)
        flipped[bit // 8] ^= 1 << bit % 8
        path = tmp_path / f"{number}.study"
        path.write_bytes(flipped)
        try:
            frame = quietly(Shelf(path, "draws").frame)
        except FivefoldError:
            refused += 1
            continue
        for row in frame.iter_rows(named=True):
            if row["state"] == "finished":
                assert row == whole[row["i"]]
            else:
                lost += 1
    assert refused + lost > 20, "the bits that matter were not met"


@pytest.mark.parametrize(
    "edit",
    [
        "UPDATE results SET value = replace(value, '0', '1')",
        "UPDATE results SET value = 'not json'",
        "UPDATE results SET value = x'ff00'",
        "UPDATE results SET value = '[1]'",
        "UPDATE results SET sha256 = NULL",
        "UPDATE results SET state = 'failed', error = 'so'",
        "UPDATE results SET value = NULL",
    ],
)
def test_damaged_results_are_set_aside_and_done_anew(study, log, edit):
    good, begun = study.frame(), log()
    keys = good["key"].to_list()
    change(study.path, f"{edit} WHERE key = '{keys[3]}'")
    with pytest.warns(StoreWarning, match=r"1 damaged result \(i 3\): left out"):
        frame = study.frame()
    assert frame["state"].to_list() == ["finished"] * 3 + ["damaged"] + ["finished"] * 8
    assert frame["first"].null_count() == 1
    status = study.status()
    assert (status.finished, status.damaged, status.open) == (JOBS - 1, 1, 1)
    checked = check_results(study.path)
    assert [record.labels for record in checked.damaged] == [{"i": 3}]
    with pytest.warns(StoreWarning, match=r"1 damaged result \(i 3\): set aside and done anew"):
        assert study.run(engine="serial").complete
    assert study.frame().equals(good)
    assert (log() - begun) == {"3": 1}, "the rest is kept"
    assert check_results(study.path).sound
    aside = sqlite3.connect(study.path).execute("SELECT key, why FROM set_aside").fetchall()
    assert aside == [(keys[3], "damaged")]


def test_a_forged_checksum_does_not_help_nonsense(study):
    """Somebody's file may have right checksums of wrong rows."""
    key = study.frame()["key"][0]
    for value in (
        "[" * 100_000,
        "9" * 5000,
        '{"$float": "x"}',
        '{"$estimator": "os.system", "params": {}}',
        "3",
    ):
        row = sealed(key, "finished", value, None, None)
        connection = sqlite3.connect(study.path)
        connection.execute("UPDATE results SET value = ?, sha256 = ? WHERE key = ?", (value, row[-1], key))
        connection.commit()
        connection.close()
        assert quietly(study.frame)["state"][0] == "damaged"


def test_labels_and_timings_have_checksums_too(study):
    change(
        study.path,
        "UPDATE members SET labels = '{\"i\": 99}' WHERE place = 2",
        "UPDATE timings SET seconds = 'long'",
    )
    frame = quietly(lambda: study.frame(timings=True))
    assert 99 not in frame["i"]
    assert frame.height == JOBS - 1
    assert frame["seconds"].null_count() == JOBS - 1
    assert study.run(engine="serial").complete, "the labels come from the plan"
    assert study.frame()["i"].to_list() == list(range(JOBS))


def test_a_file_of_the_first_format_goes_on(study, tmp_path, log):
    good, begun = study.frame(), log()
    change(
        study.path,
        *(f"ALTER TABLE {table} DROP COLUMN sha256" for table in SEALED),
        "DROP TABLE set_aside",
        "PRAGMA user_version = 1",
    )
    assert Shelf(study.path).frame().equals(good)
    assert study.run(engine="serial").complete
    assert log() == begun
    assert check_results(study.path).sound
    assert study.frame().equals(good)


ENDLESS = (
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT 'x' AS name, i AS changed FROM n"
)
AT_ONCE = "expected (?!a file whose rows can be read within)"


@pytest.mark.parametrize(
    "statements",
    [
        ["PRAGMA user_version = 0"],
        ["DROP TABLE studies", f"CREATE VIEW studies AS {ENDLESS}"],
        ["DROP TABLE results", f"CREATE VIEW results AS {ENDLESS}"],
        ["CREATE TRIGGER t AFTER DELETE ON members BEGIN DELETE FROM results; END"],
        ["DROP TABLE runs"],
        ["ALTER TABLE results DROP COLUMN traceback"],
        ["UPDATE studies SET name = 'other'"],
        ["CREATE VIRTUAL TABLE v USING fts5(a)"],
    ],
)
def test_made_up_files_are_refused_at_once(study, statements, capsys, monkeypatch):
    change(study.path, *statements)
    # by what the file says of itself: no statement of it was run until the clock stopped it
    for use in (lambda: Shelf(study.path).frame(), lambda: Shelf(study.path).status()):
        with pytest.raises(StoreError, match=AT_ONCE):
            use()
    if "UPDATE" not in statements[0]:  # a run enters its study anew
        with pytest.raises(StoreError, match=AT_ONCE):
            study.run(engine="serial")
    monkeypatch.setattr("sys.argv", ["fivefold", "study", "show", str(study.path)])
    with pytest.raises(SystemExit) as stop:
        main.run()
    out, err = capsys.readouterr()
    assert (stop.value.code, out) == (1, "")
    assert err.count("\n") == 1
    assert re.match(f"fivefold: {AT_ONCE}", err)


def test_no_statement_takes_for_ever(study, monkeypatch):
    monkeypatch.setattr("fivefold.study.store.STATEMENT_SECONDS", 0.3)
    monkeypatch.setattr("fivefold.study.store._is_ours", lambda *part: True)
    change(study.path, "DROP TABLE studies", f"CREATE VIEW studies AS {ENDLESS}")
    with pytest.raises(StoreError, match="rows can be read within"):
        Shelf(study.path)


@pytest.mark.parametrize("column", ["host", "pid", "born", "heartbeat", "versions", "workers"])
@pytest.mark.parametrize("value", ["'x'", "x'ff'", "9e99"])
def test_edited_runs_and_claims(study, column, value):
    change(
        study.path,
        f"UPDATE runs SET ended = NULL, {column} = {value}",
        f"INSERT INTO claims SELECT {value}, id FROM runs",
        f"INSERT INTO claims SELECT key, {value} FROM members LIMIT 1",
    )
    assert quietly(study.status).finished == JOBS


def test_check_tells_and_sets_the_exit_code(study, capsys, monkeypatch):
    def check(*more):
        monkeypatch.setattr("sys.argv", ["fivefold", "study", "check", str(study.path), *more])
        try:
            main.run()
        except SystemExit as stop:
            return stop.code or 0, capsys.readouterr().out
        return 0, capsys.readouterr().out

    assert check() == (0, f"{study.path}: {JOBS} stored results, all as they were written\n")
    change(
        study.path,
        "UPDATE results SET value = '{}' WHERE key = (SELECT key FROM members WHERE place = 1)",
        "UPDATE jobs SET seed = seed + 1 WHERE key = (SELECT key FROM members WHERE place = 2)",
    )
    code, text = check()
    assert code == 1
    assert "damaged: i 1\n" in text
    assert "1 row of no job" in text
    code, text = check("--json")
    assert (code, json.loads(text)["damaged"][0]["labels"]) == (1, {"i": 1})


def test_a_store_is_known_by_its_mark(study, tmp_path):
    other = tmp_path / "copy.study"
    shutil.copy(study.path, other)
    change(other, f"PRAGMA application_id = {APPLICATION_ID ^ 1}")
    with pytest.raises(StoreError, match="another program"):
        check_results(other)
