/* What columns of a block hold, row by row in one byte: equal values, equal rows, lists within others. */
#include "json.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define MOST_CODES 255
#define SLOTS 1024 /* a power of two */
#define MOST_COMPARED (1 << 20)

/* Takes a column apart, and makes sure that every value lies within the data. */
int held(Held *column, PyObject *data, PyObject *told) {
    PyObject *starts, *sizes, *kinds;
    if (!PyBytes_Check(data) || !PyTuple_Check(told))
        return PyErr_SetString(PyExc_TypeError, "expected bytes and a column of kernel.lines"), -1;
    if (!PyArg_ParseTuple(told, "SSS", &starts, &sizes, &kinds))
        return -1;
    column->data = PyBytes_AS_STRING(data);
    column->starts = (const uint32_t *)PyBytes_AS_STRING(starts);
    column->sizes = (const uint32_t *)PyBytes_AS_STRING(sizes);
    column->kinds = (const unsigned char *)PyBytes_AS_STRING(kinds);
    column->rows = PyBytes_GET_SIZE(kinds);
    int wrong = PyBytes_GET_SIZE(starts) != 4 * column->rows || PyBytes_GET_SIZE(sizes) != 4 * column->rows;
    for (Py_ssize_t i = 0; i < column->rows && !wrong; i++)
        wrong = (uint64_t)column->starts[i] + column->sizes[i] > (uint64_t)PyBytes_GET_SIZE(data);
    return wrong ? refuse("a column that is not of this data") : 0;
}

uint64_t hashed(const char *at, uint32_t size, unsigned char kind) {
    uint64_t hash = size * UINT64_C(0x9E3779B97F4A7C15) + kind, part = 0;
    for (; size >= 8; at += 8, size -= 8) {
        memcpy(&part, at, 8);
        hash = (hash ^ part) * UINT64_C(0xFF51AFD7ED558CCD);
        hash ^= hash >> 32;
    }
    part = 0;
    memcpy(&part, at, size);
    hash = (hash ^ part) * UINT64_C(0xFF51AFD7ED558CCD);
    return hash ^ (hash >> 29);
}

static inline int alike(const Held *column, Py_ssize_t i, Py_ssize_t j) {
    return column->kinds[i] == column->kinds[j] && (column->kinds[i] == ODD || same(column, i, column, j));
}

/* The code of a row's value: that of the first row with the same, or a new one; -1 where there are too many. `last` is the
   code of the row before, the likeliest one. */
static int code_of(const Held *column, Py_ssize_t row, short *slots, Py_ssize_t *firsts, int *count, int last) {
    const unsigned char kind = column->kinds[row];
    if (last >= 0 && alike(column, firsts[last], row))
        return last;
    uint64_t slot = kind == ODD ? 0 : hashed(column->data + column->starts[row], column->sizes[row], kind);
    for (;; slot++) {
        const int code = slots[slot & (SLOTS - 1)];
        if (code < 0) {
            if (*count == MOST_CODES)
                return -1;
            slots[slot & (SLOTS - 1)] = (short)*count;
            firsts[*count] = row;
            return (*count)++;
        }
        if (alike(column, firsts[code], row))
            return code;
    }
}

PyObject *kernel_coded(PyObject *Py_UNUSED(module), PyObject *args) {
    PyObject *data, *told;
    Held column;
    int count = 0;
    if (!PyArg_ParseTuple(args, "OO:coded", &data, &told) || held(&column, data, told) < 0)
        return NULL;
    short slots[SLOTS];
    Py_ssize_t firsts[MOST_CODES];
    memset(slots, -1, sizeof slots);
    PyObject *codes = PyBytes_FromStringAndSize(NULL, column.rows);
    int code = -1, several = 0;
    char *told_codes = codes == NULL ? NULL : PyBytes_AS_STRING(codes);
    Py_BEGIN_ALLOW_THREADS
    for (Py_ssize_t i = 0; told_codes != NULL && i < column.rows && !several; i++) {
        code = code_of(&column, i, slots, firsts, &count, code);
        several = code < 0;
        told_codes[i] = (char)code;
    }
    Py_END_ALLOW_THREADS
    if (several) {
        Py_DECREF(codes);
        Py_RETURN_NONE;
    }
    return codes;
}

/* Crosses codes with further ones; -1 where more than MOST_CODES pairs are. */
static int cross(unsigned char *codes, const unsigned char *other, Py_ssize_t rows, Py_ssize_t *firsts, short *table) {
    int count = 0;
    memset(table, -1, 65536 * sizeof(short));
    for (Py_ssize_t i = 0; i < rows; i++) {
        short *code = &table[codes[i] << 8 | other[i]];
        if (*code < 0) {
            if (count == MOST_CODES)
                return -1;
            firsts[count] = i;
            *code = (short)count++;
        }
        codes[i] = (unsigned char)*code;
    }
    return count;
}

static PyObject *with_firsts(PyObject *codes, const Py_ssize_t *firsts, int count) {
    PyObject *told = codes == NULL ? NULL : list_of(firsts, count);
    PyObject *made = told == NULL ? NULL : PyTuple_Pack(2, codes, told);
    Py_XDECREF(codes);
    Py_XDECREF(told);
    return made;
}

PyObject *kernel_crossed(PyObject *Py_UNUSED(module), PyObject *args) {
    PyObject *columns;
    if (!PyArg_ParseTuple(args, "O!:crossed", &PyTuple_Type, &columns))
        return NULL;
    const Py_ssize_t n = PyTuple_GET_SIZE(columns);
    Py_ssize_t rows = -1, firsts[MOST_CODES];
    for (Py_ssize_t i = 0; i < n; i++) {
        PyObject *column = PyTuple_GET_ITEM(columns, i);
        if (!PyBytes_Check(column) || (i > 0 && PyBytes_GET_SIZE(column) != rows))
            return PyErr_Format(PyExc_ValueError, "expected bytes of one length");
        rows = PyBytes_GET_SIZE(column);
    }
    if (n == 0)
        return PyErr_Format(PyExc_ValueError, "expected a column or more");
    short *table = PyMem_New(short, 65536);
    PyObject *codes = PyBytes_FromStringAndSize(NULL, rows);
    if (table == NULL || codes == NULL) {
        PyMem_Free(table);
        Py_XDECREF(codes);
        return PyErr_NoMemory();
    }
    unsigned char *made = (unsigned char *)PyBytes_AS_STRING(codes);
    memset(made, 0, rows);
    int count = 0;
    for (Py_ssize_t i = 0; i < n && count >= 0; i++)
        count = cross(made, (unsigned char *)PyBytes_AS_STRING(PyTuple_GET_ITEM(columns, i)), rows, firsts, table);
    PyMem_Free(table);
    if (count < 0) {
        Py_DECREF(codes);
        Py_RETURN_NONE;
    }
    return with_firsts(codes, firsts, count);
}

/* The next quote between `at` and `end`, NULL where there is none. */
static inline const char *next_quote(const char *at, const char *end) {
#ifdef __SSE2__
    for (; end - at >= 16; at += 16) {
        const __m128i held = _mm_loadu_si128((const __m128i *)at);
        const unsigned found = _mm_movemask_epi8(_mm_cmpeq_epi8(held, _mm_set1_epi8('"')));
        if (found != 0)
            return at + __builtin_ctz(found);
    }
#endif
    while (at < end && *at != '"')
        at++;
    return at < end ? at : NULL;
}

/* The next text of a list of texts without escapes, between `at` and `end`; its size is -1 at the end. */
static inline Key next_text(const char *at, const char *end) {
    const char *start = next_quote(at, end), *stop = start == NULL ? NULL : next_quote(start + 1, end);
    return stop == NULL ? (Key){end, -1} : (Key){start + 1, stop - start - 1};
}

/* 0: must be looked at; 1: the first list is empty; 2: all its texts are in the second; 3: some are not. */
static int within(const Held *inner, const Held *outer, Py_ssize_t row) {
    if (inner->kinds[row] != TEXTS)
        return 0;
    const char *at = inner->data + inner->starts[row], *end = at + inner->sizes[row];
    const char *first = outer->data + outer->starts[row], *last = first + outer->sizes[row];
    Key wanted = next_text(at, end);
    if (wanted.size < 0)
        return 1;
    if (outer->kinds[row] != TEXTS || (uint64_t)inner->sizes[row] * outer->sizes[row] > MOST_COMPARED)
        return 0;
    for (; wanted.size >= 0; wanted = next_text(wanted.at + wanted.size + 1, end)) {
        Key found = next_text(first, last);
        while (found.size >= 0 && (found.size != wanted.size || !same_text(found.at, wanted.at, found.size)))
            found = next_text(found.at + found.size + 1, last);
        if (found.size < 0)
            return 3;
    }
    return 2;
}

static int is_nothing(unsigned char kind) { return kind == ABSENT || kind == BENEATH || kind == NOTHING; }

/* 0: must be looked at; 1: a text is missing or empty; 2: both are there and equal; 3: they differ. */
static int equal(const Held *one, const Held *other, Py_ssize_t row) {
    const unsigned char a = one->kinds[row], b = other->kinds[row];
    const int texts = (a == PLAIN || a == ESCAPED) + (b == PLAIN || b == ESCAPED);
    if (texts + is_nothing(a) + is_nothing(b) < 2)
        return 0;
    if (texts < 2 || one->sizes[row] == 0 || other->sizes[row] == 0)
        return 1;
    if (same(one, row, other, row) && a == b)
        return 2;
    return a == PLAIN && b == PLAIN ? 3 : 0;
}

static PyObject *compared(PyObject *args, const char *form, int (*compare)(const Held *, const Held *, Py_ssize_t)) {
    PyObject *data, *told[2];
    Held one, other;
    if (!PyArg_ParseTuple(args, form, &data, &told[0], &told[1]) || held(&one, data, told[0]) < 0 ||
        held(&other, data, told[1]) < 0)
        return NULL;
    if (one.rows != other.rows)
        return PyErr_Format(PyExc_ValueError, "expected columns of one length");
    PyObject *made = PyBytes_FromStringAndSize(NULL, one.rows);
    char *codes = made == NULL ? NULL : PyBytes_AS_STRING(made);
    Py_BEGIN_ALLOW_THREADS
    for (Py_ssize_t i = 0; codes != NULL && i < one.rows; i++)
        codes[i] = (char)compare(&one, &other, i);
    Py_END_ALLOW_THREADS
    return made;
}

PyObject *kernel_within(PyObject *Py_UNUSED(module), PyObject *args) { return compared(args, "OOO:within", within); }

PyObject *kernel_equal(PyObject *Py_UNUSED(module), PyObject *args) { return compared(args, "OOO:equal", equal); }
