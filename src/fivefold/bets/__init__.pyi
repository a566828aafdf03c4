from .calibration_error import debiased_calibration_error, expected_calibration_error
from .decompositions import Decomposition, brier_decomposition, corp_decomposition, log_score_decomposition
from .divergence import kl_distance
from .noise import NoiseFloor
from .priors import entropy_gain, entropy_gains, kononenko_bratko, kononenko_bratko_score
from .ranking import LiftCurve, RocCurve, auc, lift, lift_curve, roc
from .recalibration import Recalibrated, Recalibration, recalibrate
from .reliability import Reliability, miscalibration, reliability, signed_confidence
from .reward import Reward, information_reward, reward
from .scores import brier, brier_score, log_score, surprise

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
