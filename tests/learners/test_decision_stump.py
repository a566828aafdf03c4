import numpy as np
import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from fivefold.learners import DecisionStump, OneR

from .classic_cases import frame_of, golf, tables


def test_golf():
    X, y = golf()
    model = DecisionStump().fit(X, y)
    sunny = X.filter(pl.col("outlook") == "sunny")
    np.testing.assert_allclose(model.predict_proba(sunny), [[3 / 5, 2 / 5]] * 5)
    smooth = DecisionStump(leaf_alpha=2).fit(X, y)
    np.testing.assert_allclose(smooth.predict_proba(sunny), [[5 / 9, 4 / 9]] * 5)


@given(tables(), st.sampled_from([0.0, 1.0]))
def test_same_rule_as_one_r(table, alpha):
    train, y, test = table
    stump = DecisionStump(small=1, leaf_alpha=alpha).fit(frame_of(train), y)
    rule = OneR(small=1).fit(frame_of(train), y)
    assert stump.attribute_ == rule.attribute_
    assert stump.rules() == rule.rules()
    assert stump.predict(frame_of(test)).tolist() == rule.predict(frame_of(test)).tolist()


def test_text_gives_probabilities_from_the_likeliest_down():
    X, y = golf()
    assert DecisionStump().fit(X, y).to_text().splitlines() == [
        "outlook = overcast: yes 1",
        "outlook = rain: yes 0.6, no 0.4",
        "outlook = sunny: no 0.6, yes 0.4",
    ]
