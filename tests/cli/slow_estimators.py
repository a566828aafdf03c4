"""Estimators to interrupt: one waits, one is busy in compiled code that hears no signal."""

import hashlib
import time

from sklearn.dummy import DummyClassifier


class Waits(DummyClassifier):
    def fit(self, X, y):
        time.sleep(0.25)
        return super().fit(X, y)


class Busy(DummyClassifier):
    def fit(self, X, y):
        hashlib.pbkdf2_hmac("sha256", b"a", b"b", 2**31 - 1)  # about half an hour, without the lock of Python
        return super().fit(X, y)
