"""Bets: what would a gambler win on a model's probabilities, and how well calibrated are they?"""

from fivefold.bets.calibration_error import debiased_calibration_error, expected_calibration_error
from fivefold.bets.decompositions import (
    Decomposition,
    brier_decomposition,
    corp_decomposition,
    log_score_decomposition,
)
from fivefold.bets.divergence import kl_distance
from fivefold.bets.noise import NoiseFloor
from fivefold.bets.priors import entropy_gain, entropy_gains, kononenko_bratko, kononenko_bratko_score
from fivefold.bets.ranking import LiftCurve, RocCurve, auc, lift, lift_curve, roc
from fivefold.bets.recalibration import Recalibrated, Recalibration, recalibrate
from fivefold.bets.reliability import Reliability, miscalibration, reliability, signed_confidence
from fivefold.bets.reward import Reward, information_reward, reward
from fivefold.bets.scores import brier, brier_score, log_score, surprise

__all__ = [
    "Decomposition",
    "LiftCurve",
    "NoiseFloor",
    "Recalibrated",
    "Recalibration",
    "Reliability",
    "Reward",
    "RocCurve",
    "auc",
    "brier",
    "brier_decomposition",
    "brier_score",
    "corp_decomposition",
    "debiased_calibration_error",
    "entropy_gain",
    "entropy_gains",
    "expected_calibration_error",
    "information_reward",
    "kl_distance",
    "kononenko_bratko",
    "kononenko_bratko_score",
    "lift",
    "lift_curve",
    "log_score",
    "log_score_decomposition",
    "miscalibration",
    "recalibrate",
    "reliability",
    "reward",
    "roc",
    "signed_confidence",
    "surprise",
]
