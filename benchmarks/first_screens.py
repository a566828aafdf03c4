"""The same three models in Fivefold, skore and Evidently: their pages, and pictures of their first screens.

Run as `python -m benchmarks.first_screens FOLDER [fivefold] [skore] [evidently]`, in an environment that has the
tools named (skore 0.28 and Evidently 0.7.23 cannot share one: the latter needs pandas below 3). Pictures need
Chromium.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

EVENT = "malignant"
SCREEN = "1400,900"


def cases() -> list[Any]:
    """Give training and test cases, and their classes, in words."""
    data = load_breast_cancer(as_frame=True)
    words = data.target.map({0: EVENT, 1: "benign"})
    return train_test_split(data.data, words, test_size=1 / 3, random_state=0, stratify=words)


def models() -> dict[str, Any]:
    """Give three models that have not learnt yet."""
    return {
        "tree": DecisionTreeClassifier(random_state=0),
        "logistic": make_pipeline(StandardScaler(), LogisticRegression()),
        "forest": RandomForestClassifier(random_state=0),
    }


def fivefold(folder: Path) -> list[Path]:
    """Write Fivefold's page of all models."""
    import fivefold as ff

    learn, ask, known, truth = cases()
    page = folder / "fivefold.html"
    ff.evaluate(models(), learn, known, X_test=ask, y_test=truth).to_html(page)
    return [page]


def skore(folder: Path) -> list[Path]:
    """Write skore's comparison of all models, as a notebook shows it."""
    import skore as peer

    learn, ask, known, truth = cases()
    options = {"X_train": learn, "y_train": known, "X_test": ask, "y_test": truth, "pos_label": EVENT}
    reports = {name: peer.EstimatorReport(model, **options) for name, model in models().items()}
    page = folder / "skore.html"
    shown = peer.compare(reports)._repr_html_()
    page.write_text(f"<!DOCTYPE html><meta charset=utf-8>{shown}", encoding="utf-8")
    return [page]


def evidently(folder: Path) -> list[Path]:
    """Write Evidently's page of each model."""
    from evidently import BinaryClassification, DataDefinition, Dataset, Report
    from evidently.presets import ClassificationPreset

    learn, ask, known, truth = cases()
    roles = {"target": "target", "prediction_labels": "answer", "prediction_probas": "p", "pos_label": EVENT}
    pages = []
    for name, model in models().items():
        model.fit(learn, known)
        stated = model.predict_proba(ask)[:, list(model.classes_).index(EVENT)]
        table = ask.assign(target=truth, answer=model.predict(ask), p=stated)
        told = Dataset.from_pandas(table, DataDefinition(classification=[BinaryClassification(**roles)]))
        pages.append(folder / f"evidently_{name}.html")
        Report([ClassificationPreset()]).run(told, None).save_html(str(pages[-1]))
    return pages


def take_picture(page: Path) -> None:
    """Take a picture of the first screen."""
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        print(f"{page.name}: no Chromium, no picture")
        return
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=8000"]
    target = [f"--screenshot={page.with_suffix('.png')}", f"--window-size={SCREEN}", page.resolve().as_uri()]
    subprocess.run([browser, *options, *target], check=True, capture_output=True, timeout=120)


def main() -> None:
    """Write the pages of the tools that are named, and take their pictures."""
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for tool in sys.argv[2:] or ("fivefold",):
        for page in {"fivefold": fivefold, "skore": skore, "evidently": evidently}[tool](folder):
            take_picture(page)
            print(f"{page.name}: {page.stat().st_size / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
