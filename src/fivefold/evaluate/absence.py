"""Why a view cannot judge a model."""

ANSWERS_ONLY = "only answers are known, not the model itself"
CAME_FITTED = "a model that comes fitted does not tell on which cases it was trained"
NOT_ASKED = "it was not asked for"
