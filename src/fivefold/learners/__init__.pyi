from ._nodes import Leaf, NominalEquals, NominalMultiway, NominalSubset, NumericSplit
from .c5.rules import C5Rules
from .c45.rules import C45Rules
from .c45.tree import C45Tree
from .decision_stump import DecisionStump
from .discrimination.estimator import ParsimoniousDiscrimination
from .foil.estimator import Foil
from .foil.relational.estimator import RelationalFoil
from .id3.estimator import ID3
from .induct.estimator import Induct
from .mml.graph import MMLGraph
from .mml.tree import MMLTree
from .naive_bayes import NaiveBayes
from .one_r.estimator import OneR
from .prism.estimator import Prism
from .super_parent.estimator import SuperParent
from .theories import (
    DecisionTree,
    HasTheory,
    NominalCells,
    NumericCells,
    RippleDownNode,
    RippleDownTree,
    RuleList,
    RuleSet,
    SingleAttributeRule,
)

__all__ = [
    "ID3",
    "C5Rules",
    "C45Rules",
    "C45Tree",
    "DecisionStump",
    "DecisionTree",
    "Foil",
    "HasTheory",
    "Induct",
    "Leaf",
    "MMLGraph",
    "MMLTree",
    "NaiveBayes",
    "NominalCells",
    "NominalEquals",
    "NominalMultiway",
    "NominalSubset",
    "NumericCells",
    "NumericSplit",
    "OneR",
    "ParsimoniousDiscrimination",
    "Prism",
    "RelationalFoil",
    "RippleDownNode",
    "RippleDownTree",
    "RuleList",
    "RuleSet",
    "SingleAttributeRule",
    "SuperParent",
]
