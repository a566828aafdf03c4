ctypedef double Real
include "_c45_types.pxi"
