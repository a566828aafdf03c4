cimport cython
from libc.stdint cimport int32_t, int64_t, uint64_t

from fivefold.data.bitsets cimport count_common_words, lowest_member, turn
from fivefold.learners.foil.kernels.literals cimport Literals, Logs

cdef uint64_t ONE
cdef uint64_t ALL

cdef class Sets:
    cdef uint64_t[:, ::1] rows

cdef class FoilTable:
    cdef Sets tests, known
    cdef int64_t[::1] starts
    cdef const unsigned char[::1] whole
    cdef const float[:, ::1] numbers
    cdef const int32_t[:, ::1] sorted_rows
    cdef const int64_t[::1] n_known
    cdef readonly Logs logs
    cdef readonly int64_t n_cases, n_words, n_attributes, n_tests
    cdef readonly bint in_order

cdef class Resampled:
    cdef const uint64_t[:, ::1] rows
    cdef int64_t[::1] constants
    cdef uint64_t[::1] block
    cdef uint64_t[:, ::1] turned

@cython.locals(total=int64_t)
cdef int64_t count_common(Sets a, int64_t i, Sets b, int64_t j) noexcept nogil
cdef int64_t count(Sets sets, int64_t i) noexcept nogil
cdef bint has(Sets sets, int64_t i, int64_t case) noexcept nogil
cdef int64_t first_of(Sets sets, int64_t i) noexcept nogil
@cython.locals(outside=uint64_t)
cdef bint all_in(Sets a, int64_t i, Sets b, int64_t j) noexcept nogil
cdef void remove(Sets a, int64_t i, Sets b, int64_t j) noexcept nogil
cdef void copy(Sets a, int64_t i, Sets b, int64_t j) noexcept nogil

@cython.locals(low=int64_t, high=int64_t, middle=int64_t)
cdef int64_t attribute_of(FoilTable cases, int64_t literal) noexcept nogil
@cython.locals(left=uint64_t, value=float, a=int64_t, w=Py_ssize_t, literal=int64_t, sign=bint)
cdef void restrict(FoilTable cases, Literals literals, int64_t k, Sets sets, int64_t i) noexcept nogil
@cython.locals(side=int64_t, i=Py_ssize_t, place=int64_t, n_order=int64_t)
cdef int64_t members(
    const int32_t[::1] classes, int64_t wanted, const int64_t[:, ::1] copies, int64_t r, Sets sets,
    int64_t[::1] order) noexcept nogil

@cython.locals(a=Py_ssize_t, i=Py_ssize_t, code=int32_t, n=int64_t)
cdef int64_t _number_constants(
    const int32_t[:, ::1] codes, int32_t[:, ::1] places, int64_t[::1] starts, int64_t[::1] constants)
@cython.locals(a=Py_ssize_t, i=Py_ssize_t)
cdef void _pack_codes(
    const int32_t[:, ::1] codes, const int32_t[:, ::1] places, uint64_t[:, ::1] tests, uint64_t[:, ::1] known,
    unsigned char[::1] whole)
@cython.locals(
    case=int64_t, used=int64_t, filled=int64_t, j=int64_t, a=int64_t, w=int64_t, part=int64_t, full=uint64_t,
    word=uint64_t)
cdef void pack_copies(
    Resampled table, FoilTable cases, const int64_t[:, ::1] copies, int64_t r) noexcept nogil
@cython.locals(k=int64_t, kept=int64_t)
cdef void _keep_occurring(FoilTable cases, int64_t[::1] constants) noexcept nogil
