ctypedef float Real
include "_c45_types.pxi"
