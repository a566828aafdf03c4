ctypedef float Real
include "_c45_loops.pxi"
