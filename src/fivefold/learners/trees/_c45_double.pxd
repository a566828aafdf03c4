ctypedef double Real
include "_c45_loops.pxi"
