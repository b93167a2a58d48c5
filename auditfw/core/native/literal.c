/* Texts, characters and markers to be looked for, and where they stand. */
#include "kernel.h"

#define FOR_EACH_WIDTH "scan.h"
#include "widths.h"

int literal_make(Literal *literal, PyObject *text) {
    if (!PyUnicode_Check(text)) {
        PyErr_Format(PyExc_TypeError, "a text to look for must be str, not %s", Py_TYPE(text)->tp_name);
        return -1;
    }
    const Py_ssize_t n = literal->size = PyUnicode_GET_LENGTH(text);
    literal->pivot = -1;
    for (Py_ssize_t i = 0; i < n && literal->pivot < 0; i++) {
        literal->sign = PyUnicode_READ_CHAR(text, i);
        if (!Py_UNICODE_ISALNUM(literal->sign) && literal->sign != ' ')
            literal->pivot = i;
    }
    for (int width = WIDTH(text); width < 3; width++) {
        void *made = literal->as[width] = PyMem_Calloc(n + 1, (size_t)1 << width);
        if (made == NULL) {
            PyErr_NoMemory();
            return -1;
        }
        for (Py_ssize_t i = 0; i < n; i++)
            PyUnicode_WRITE(1 << width, made, i, PyUnicode_READ_CHAR(text, i));
    }
    return 0;
}

void literal_free(Literal *literal) {
    for (int width = 0; width < 3; width++)
        PyMem_Free(literal->as[width]);
    memset(literal, 0, sizeof *literal);
}

int set_make(Set *set, PyObject *characters) {
    if (!PyUnicode_Check(characters)) {
        PyErr_Format(PyExc_TypeError, "characters must be str, not %s", Py_TYPE(characters)->tp_name);
        return -1;
    }
    for (Py_ssize_t i = 0; i < PyUnicode_GET_LENGTH(characters); i++)
        if (PyUnicode_READ_CHAR(characters, i) < 128)
            set->ascii[PyUnicode_READ_CHAR(characters, i)] = 1;
    set->rest = PyUnicode_IS_ASCII(characters) ? NULL : Py_NewRef(characters);
    return 0;
}

void set_free(Set *set) { Py_CLEAR(set->rest); }

/* Notes what stands beside a marker's sign. */
static void sign_note(Scan *scan, const Literal *marker, PyObject *text) {
    Sign *sign = scan->signs;
    while (sign < scan->signs + scan->n_signs && sign->sign != marker->sign)
        sign++;
    if (sign == scan->signs + scan->n_signs)
        scan->signs[scan->n_signs++].sign = marker->sign;
    if (marker->size == 1) {
        sign->alone = 1;
        return;
    }
    const Py_UCS4 beside = PyUnicode_READ_CHAR(text, marker->pivot ? marker->pivot - 1 : 1);
    if (beside >= 128)
        sign->foreign = 1;
    else
        (marker->pivot ? sign->before : sign->after)[beside] = 1;
}

int scan_make(Scan *scan, PyObject *markers) {
    PyObject *all = PySequence_Fast(markers, "markers must be a sequence");
    if (all == NULL)
        return -1;
    const Py_ssize_t count = PySequence_Fast_GET_SIZE(all);
    scan->markers = PyMem_Calloc(count + 1, sizeof *scan->markers);
    scan->signs = PyMem_Calloc(count + 1, sizeof *scan->signs);
    int failed = scan->markers == NULL || scan->signs == NULL;
    if (failed)
        PyErr_NoMemory();
    for (Py_ssize_t i = 0; i < count && !failed; i++) {
        Literal *marker = &scan->markers[scan->count++];
        failed = literal_make(marker, PySequence_Fast_GET_ITEM(all, i)) < 0;
        scan->longest = Py_MAX(scan->longest, marker->size);
        if (!failed && marker->pivot >= 0)
            sign_note(scan, marker, PySequence_Fast_GET_ITEM(all, i));
    }
    Py_DECREF(all);
    return failed ? -1 : 0;
}

void scan_free(Scan *scan) {
    for (Py_ssize_t i = 0; i < scan->count; i++)
        literal_free(&scan->markers[i]);
    PyMem_Free(scan->markers);
    PyMem_Free(scan->signs);
    memset(scan, 0, sizeof *scan);
}

Py_ssize_t find(PyObject *text, const Literal *literal, Py_ssize_t from) {
    const void *s = PyUnicode_DATA(text);
    const Py_ssize_t n = PyUnicode_GET_LENGTH(text);
    if (literal->as[WIDTH(text)] == NULL || n - from < literal->size)
        return -1;
    if (literal->size == 0)
        return from;
    return BY_WIDTH(text, find, s, n, literal, from);
}

Py_ssize_t find_last(PyObject *text, const Literal *literal) {
    const void *s = PyUnicode_DATA(text);
    const Py_ssize_t n = PyUnicode_GET_LENGTH(text);
    if (literal->as[WIDTH(text)] == NULL || n < literal->size)
        return -1;
    if (literal->size == 0)
        return n;
    return BY_WIDTH(text, find_last, s, n, literal);
}

static Py_ssize_t scanned(const Scan *scan, PyObject *low, int any) {
    return BY_WIDTH(low, scan, PyUnicode_DATA(low), PyUnicode_GET_LENGTH(low), scan, any);
}

/* The earliest of the markers' first occurrences, each counted only if it is past position 0; else -1. */
Py_ssize_t scan_first(const Scan *scan, PyObject *low) { return scanned(scan, low, 0); }

/* Is any marker anywhere in the text, position 0 included? */
int scan_present(const Scan *scan, PyObject *low) { return scanned(scan, low, 1) >= 0; }
