"""A learner that writes down when it is trained, for the tests."""

from sklearn.naive_bayes import GaussianNB


class LoggedNB(GaussianNB):
    def fit(self, X, y, sample_weight=None):
        from study_tasks import write_down

        write_down("fit")
        return super().fit(X, y, sample_weight)
