cimport cython
from libc.math cimport INFINITY as inf, NAN as nan, exp2, sqrt
from libc.stdint cimport int32_t, int64_t


cdef class Paint:
    cdef const int32_t[:, ::1] sides, edges
    cdef const double[:, ::1] ends
    cdef int64_t side, n_straight, straight, diagonal, n_triangles, n_touched, proposal
    cdef readonly int32_t[::1] kept, labels
    cdef int32_t[::1] border, place, triangles, touched, picked
    cdef int64_t[::1] stamp


cdef class LatticeCases:
    cdef const double[:, ::1] points
    cdef const int32_t[::1] classes, triangles, starts
    cdef int32_t[::1] nearest, trial_nearest
    cdef readonly double[::1] squares, distances
    cdef double[::1] trial_squares
    cdef unsigned char[::1] right


cdef class BoxPaint:
    cdef int64_t d
    cdef double low, step
    cdef readonly int32_t[:, ::1] boxes, trial
    cdef readonly int64_t n_boxes
    cdef public int64_t n_trial
    cdef const double[:, ::1] points
    cdef const int32_t[:, ::1] cells
    cdef const int32_t[::1] classes
    cdef readonly int32_t[::1] answers, trial_answers
    cdef readonly unsigned char[::1] right
    cdef readonly double[::1] distances


@cython.locals(case=Py_ssize_t)
cpdef double score(
    const unsigned char[::1] right, const double[::1] distances, double size, const double[::1] weights) noexcept nogil

cdef double best_score(int64_t n_right, int64_t n_cases, double size, const double[::1] weights) noexcept nogil

cdef void _mark(Paint paint, int64_t i, int64_t j, int64_t part, int32_t label) noexcept nogil

@cython.locals(tilted=bint, first=int64_t, second=int64_t, odd=int64_t, part=int64_t)
cdef void _pick_triangles(Paint paint, const int32_t[:, ::1] shapes, Py_ssize_t row) noexcept nogil

@cython.locals(divides=bint, size=int64_t, change=int64_t)
cdef void _settle_edge(Paint paint, int64_t edge) noexcept nogil

@cython.locals(index=int64_t, corner=Py_ssize_t)
cpdef bint paint_shape(Paint paint, const int32_t[:, ::1] shapes, Py_ssize_t row) noexcept nogil

@cython.locals(index=int64_t)
cpdef void drop_shape(Paint paint) noexcept nogil

cdef bint _splits(Paint paint, int64_t edge, int32_t label) noexcept nogil

cdef bint _did_split(Paint paint, int64_t edge, int32_t label) noexcept nogil

@cython.locals(index=int64_t, x=double, y=double, share=double)
cdef void _look(Paint paint, LatticeCases cases, int64_t case, int64_t n_picked) noexcept nogil

@cython.locals(index=int64_t, size=int64_t)
cdef int64_t _pick_new_edges(Paint paint, int32_t label) noexcept nogil

@cython.locals(index=int64_t, size=int64_t)
cdef int64_t _pick_all_edges(Paint paint, int32_t label) noexcept nogil

@cython.locals(index=int64_t, left=double, bottom=double, right=double, top=double)
cdef (double, double, double, double) _box(Paint paint, int64_t n_picked) noexcept nogil

@cython.locals(case=int64_t, lost=bint, x=double, y=double)
cdef void _reach_class(Paint paint, LatticeCases cases, int32_t label) noexcept nogil

@cython.locals(case=Py_ssize_t, label=int32_t)
cpdef void reach_border(Paint paint, LatticeCases cases) noexcept nogil

@cython.locals(case=Py_ssize_t, right=bint, total=int64_t)
cdef int64_t count_right(Paint paint, LatticeCases cases) noexcept nogil

cpdef double border_length(Paint paint, double step) noexcept nogil

cdef double _try_shape(
    Paint paint, LatticeCases cases, const int32_t[:, ::1] shapes, Py_ssize_t row, double step,
    const double[::1] weights, double least) noexcept nogil

@cython.locals(index=int64_t, case=Py_ssize_t)
cpdef void keep_trial(Paint paint, LatticeCases cases) noexcept nogil

@cython.locals(row=Py_ssize_t, value=double)
cpdef void climb(
    Paint paint, LatticeCases cases, const int32_t[:, ::1] shapes, double step, const double[::1] weights,
    double best, double[::1] values)

@cython.locals(j=Py_ssize_t, d=Py_ssize_t)
cdef bint _apart(BoxPaint paint, Py_ssize_t box, const int32_t[:, ::1] shapes, Py_ssize_t row) noexcept nogil

@cython.locals(j=Py_ssize_t)
cdef void _copy_box(int32_t[:, ::1] to, Py_ssize_t place, const int32_t[:, ::1] boxes, Py_ssize_t box) noexcept nogil

cdef int64_t _cut_off(
    BoxPaint paint, int64_t rest, Py_ssize_t bound, Py_ssize_t opposite, int32_t value) noexcept nogil

@cython.locals(box=Py_ssize_t, j=Py_ssize_t, d=Py_ssize_t, size=int64_t, changes=bint)
cdef void _cut_out(BoxPaint paint, const int32_t[:, ::1] shapes, Py_ssize_t row) noexcept nogil

@cython.locals(j=Py_ssize_t, d=Py_ssize_t, along=Py_ssize_t)
cdef bint _join(int32_t[:, ::1] boxes, Py_ssize_t a, Py_ssize_t b) noexcept nogil

@cython.locals(size=int64_t, first=int64_t, second=int64_t, joined=bint)
cdef void _join_trial(BoxPaint paint) noexcept nogil

@cython.locals(a=Py_ssize_t, b=Py_ssize_t, j=Py_ssize_t, d=Py_ssize_t, area=double, touching=int64_t, overlap=int32_t)
cpdef double border_area(const int32_t[:, ::1] boxes, double step) noexcept nogil

@cython.locals(case=Py_ssize_t, box=Py_ssize_t, j=Py_ssize_t, d=Py_ssize_t, best=double, square=double)
cpdef void reach_boxes(BoxPaint paint, const int32_t[:, ::1] boxes) noexcept nogil

@cython.locals(j=Py_ssize_t, d=Py_ssize_t)
cdef bint _inside(
    const int32_t[:, ::1] boxes, Py_ssize_t box, const int32_t[:, ::1] cells, Py_ssize_t cell) noexcept nogil

@cython.locals(case=Py_ssize_t, d=Py_ssize_t, total=int64_t, inside=bint)
cdef int64_t _count_right(BoxPaint paint, const int32_t[:, ::1] shapes, Py_ssize_t row) noexcept nogil

cdef bint _put_on_trial(BoxPaint paint, const int32_t[:, ::1] shapes, Py_ssize_t row) noexcept nogil

@cython.locals(n_right=int64_t, n=int64_t, boxes="const int32_t[:, ::1]")
cdef double _try_box(
    BoxPaint paint, const int32_t[:, ::1] shapes, Py_ssize_t row, const double[::1] weights,
    double least) noexcept nogil

@cython.locals(changes=bint)
cpdef bint try_box(BoxPaint paint, const int32_t[:, ::1] shapes)

@cython.locals(box=Py_ssize_t, case=Py_ssize_t)
cpdef void keep_boxes(BoxPaint paint) noexcept nogil

@cython.locals(row=Py_ssize_t, value=double)
cpdef void climb_boxes(
    BoxPaint paint, const int32_t[:, ::1] shapes, const double[::1] weights, double best, double[::1] values)

@cython.locals(case=Py_ssize_t, box=Py_ssize_t, d=Py_ssize_t)
cdef void _label_cells(const int32_t[:, ::1] boxes, const int32_t[:, ::1] cells, int32_t[::1] labels)
