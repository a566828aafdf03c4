cimport cython
from libc.math cimport INFINITY as inf, rint, sqrt
from libc.stdint cimport int32_t, int64_t

cdef double _TINY, _START, _END


cdef class Smallest:
    cdef int64_t k, size
    cdef double[::1] numbers
    cdef int64_t[::1] owners


cdef class Functions:
    cdef const double[:, ::1] gradients
    cdef const double[::1] heights
    cdef const int64_t[::1] starts
    cdef const int32_t[::1] members
    cdef int64_t k, n_always
    cdef bint highest
    cdef double px, py, dx, dy, t0, t1
    cdef int64_t[::1] always, votes
    cdef double[:, ::1] stretches


@cython.locals(k=int64_t, place=int64_t)
cdef void keep_smallest(Smallest smallest, double number, int64_t owner) noexcept nogil

@cython.locals(best=int64_t, c=int64_t)
cdef int64_t winner(const int64_t[::1] votes, bint highest) noexcept nogil

@cython.locals(i=Py_ssize_t, j=Py_ssize_t, c=Py_ssize_t, place=int64_t)
cdef void _vote(
    const double[:, ::1] points, const double[:, ::1] cases, const int32_t[::1] labels, double grain,
    Smallest nearest, int64_t[::1] votes, bint highest, int32_t[::1] out)

@cython.locals(i=Py_ssize_t, best=double)
cdef void _nearest_box(
    const double[:, ::1] points, const double[:, ::1] low, const double[:, ::1] high, const int64_t[::1] first,
    const int64_t[::1] last, const unsigned char[::1] others, double[::1] out)

@cython.locals(j=Py_ssize_t, k=Py_ssize_t, squared=double)
cdef double _nearer_box(
    const double[:, ::1] points, Py_ssize_t i, const double[:, ::1] low, const double[:, ::1] high,
    Py_ssize_t first, Py_ssize_t last, double best) noexcept nogil

cdef bint _overlap(
    const double[:, ::1] low, const double[:, ::1] high, Py_ssize_t a, Py_ssize_t b, Py_ssize_t axis) noexcept nogil

@cython.locals(m=int64_t, a=Py_ssize_t, b=Py_ssize_t, k=Py_ssize_t)
cpdef int64_t shared_facets(
    const double[:, ::1] low, const double[:, ::1] high, const int32_t[::1] labels, int64_t[:, ::1] out)

@cython.locals(i=Py_ssize_t, j=Py_ssize_t, best=double, t=double)
cdef void _nearest_segment(
    const double[:, ::1] points, const double[:, :, ::1] ends, const int32_t[:, ::1] sides,
    const int32_t[::1] wanted, double[::1] out)

cdef bint clip_line(Functions functions) noexcept nogil

cdef bint place_line(Functions functions, Py_ssize_t g, Py_ssize_t h) noexcept nogil

@cython.locals(place=int64_t)
cdef bint one_class(Functions functions, Py_ssize_t q, int32_t label) noexcept nogil

@cython.locals(k=int64_t, below=int64_t, q=int64_t, place=Py_ssize_t, through=bint)
cdef bint nearer_along(
    Functions functions, int64_t g, int64_t h, const int64_t[::1] order, Smallest rises, Smallest falls) noexcept nogil

cdef int64_t count_voters(Functions functions, Py_ssize_t q, int64_t step) noexcept nogil

@cython.locals(place=int64_t)
cdef void add_votes(Functions functions, Py_ssize_t q, int64_t number, int64_t step) noexcept nogil

@cython.locals(m=int64_t, rest=int64_t)
cdef int64_t side_winner(Functions functions, Py_ssize_t first, Py_ssize_t second, int64_t places) noexcept nogil

@cython.locals(k=int64_t, below=int64_t, i=int64_t, j=int64_t, m=int64_t, place=int64_t)
cdef int64_t stretches(
    Functions functions, Py_ssize_t g, Py_ssize_t h, Smallest rises, Smallest falls) noexcept nogil

@cython.locals(m=int64_t, new=int64_t, s=int64_t, h=Py_ssize_t, end=Py_ssize_t)
cpdef int64_t borders_of_group(
    Functions functions, Py_ssize_t g, const int64_t[::1] order, Smallest rises, Smallest falls, double[:, ::1] out)
