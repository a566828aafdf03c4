from .bayes.naive_bayes import NaiveBayes
from .bayes.one_r import DecisionStump, OneR
from .bayes.super_parent import SuperParent
from .foil.estimator import Foil
from .mml.graph import MMLGraph
from .mml.tree import MMLTree
from .relational_foil.estimator import RelationalFoil
from .rules.c5_rules import C5Rules
from .rules.c45_rules import C45Rules
from .rules.chance import chance_of_rule
from .rules.discrimination import ParsimoniousDiscrimination
from .rules.induct import Induct
from .rules.prism import Prism
from .theories import (
    DecisionTree,
    HasTheory,
    Leaf,
    NominalCells,
    NominalEquals,
    NominalMultiway,
    NominalSubset,
    NumericCells,
    NumericSplit,
    RippleDownNode,
    RippleDownTree,
    RuleList,
    RuleSet,
    SingleAttributeRule,
)
from .trees.c45 import C45Tree
from .trees.id3 import ID3

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
    "chance_of_rule",
]
