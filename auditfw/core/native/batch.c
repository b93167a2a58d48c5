/* A batch of rows: every reading's label codes, and how many texts hold which signs. */
#include "reader.h"

#define KEPT 100000 /* truths whose tests are kept */
#define SAID_KEPT 20000 /* short texts of which it is kept what one step, or all tests, said */

/* The tests of a truth: a tuple for each normalizer; made once, borrowed. */
static PyObject *tests_of(Reader *r, PyObject *truth) {
    PyObject *tests = PyDict_GetItemWithError(r->tests, truth);
    if (tests != NULL || PyErr_Occurred())
        return tests;
    if (PyDict_GET_SIZE(r->tests) >= KEPT)
        PyDict_Clear(r->tests);
    tests = PyObject_CallOneArg(r->make_tests, truth);
    int sound = tests != NULL && PyTuple_Check(tests) && PyTuple_GET_SIZE(tests) == r->n_heads;
    for (Py_ssize_t i = 0; sound && i < r->n_heads; i++)
        sound = PyTuple_Check(PyTuple_GET_ITEM(tests, i));
    if (tests != NULL && !sound)
        PyErr_SetString(PyExc_TypeError, "tests must be a tuple of a tuple for each normalizer");
    const int kept = sound && PyDict_SetItem(r->tests, truth, tests) == 0;
    Py_XDECREF(tests);
    return kept ? tests : NULL;
}

/* The number of a row's text, or -1 for None where that means nothing to read, 0 where it means empty; -2: failed. */
static int text_of(Reader *r, PyObject *column, Py_ssize_t row, int none) {
    PyObject *text = column == Py_None ? NULL : PyList_GET_ITEM(column, row);
    if (text == NULL)
        return -1;
    if (text == Py_None)
        return none;
    if (!PyUnicode_CheckExact(text) || PyUnicode_READY(text) < 0) {
        if (!PyErr_Occurred())
            PyErr_SetString(PyExc_TypeError, "a text must be str");
        return -2;
    }
    const int number = row_add(r, Py_NewRef(text));
    return number < 0 ? -2 : number;
}

typedef struct {
    PyObject *raw, *parsed, *truths;
    char **labels;
    Py_ssize_t *signs; /* of the raw texts, then of the stored parses */
    Py_ssize_t differing;
} Batch;

static int count_signs(Reader *r, int number, signed char *held) {
    const int low = number < 0 ? number : row_low(r, number);
    if (number >= 0 && low < 0)
        return -1;
    for (Py_ssize_t k = 0; k < r->n_scans; k++)
        held[k] = number >= 0 && scan_present(&r->scans[k], r->held[low].text);
    return 0;
}

static int label_row(Reader *r, Batch *b, Py_ssize_t row, int raw, int parsed, int *answers) {
    PyObject *tests = NULL;
    for (Py_ssize_t p = 0; p < r->n_ways; p++)
        if ((answers[p] = row_answer(r, &r->ways[p], raw, parsed)) == -2)
            return -1;
    for (Py_ssize_t k = 0; k < r->n_readings; k++) {
        const int answer = answers[r->readings[2 * k]];
        int label = answer < 0 ? MISSING : BLANK;
        if (answer > 0) {
            if (tests == NULL && (tests = Py_XNewRef(tests_of(r, PyList_GET_ITEM(b->truths, row)))) == NULL)
                return -1;
            if ((label = row_label(r, answer, r->readings[2 * k + 1], tests)) < 0)
                break;
        }
        b->labels[k][row] = (char)label;
    }
    Py_XDECREF(tests);
    return PyErr_Occurred() ? -1 : 0;
}

/* `spare` has room for the answers' numbers and the signs of both texts. */
static int score_row(Reader *r, Batch *b, Py_ssize_t row, int *spare) {
    signed char *held = (signed char *)(spare + r->n_ways + 1);
    if (row_begin(r) < 0)
        return -1;
    const int raw = text_of(r, b->raw, row, -1);
    const int parsed = raw == -2 ? -2 : text_of(r, b->parsed, row, 0);
    if (parsed == -2 || label_row(r, b, row, raw, parsed, spare) < 0 || count_signs(r, raw, held) < 0)
        return -1;
    if (parsed == raw)
        memcpy(held + r->n_scans, held, r->n_scans);
    else if (count_signs(r, parsed, held + r->n_scans) < 0)
        return -1;
    for (Py_ssize_t k = 0; k < 2 * r->n_scans; k++)
        b->signs[k] += held[k];
    b->differing += raw >= 0 && parsed >= 0 && raw != parsed;
    return 0;
}

/* Rows that fail are left to the plain way: theirs to tell what went wrong. */
static int score_rows(Reader *r, Batch *b, PyObject *failed) {
    const Py_ssize_t rows = PyList_GET_SIZE(b->truths);
    int *spare = PyMem_Malloc((r->n_ways + 1) * sizeof *spare + 2 * r->n_scans + 1);
    if (spare == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    int stopped = 0;
    for (Py_ssize_t row = 0; row < rows && !stopped; row++) {
        if (score_row(r, b, row, spare) == 0)
            continue;
        if (!PyErr_ExceptionMatches(PyExc_Exception)) {
            stopped = 1;
            continue;
        }
        PyErr_Clear();
        PyObject *number = PyLong_FromSsize_t(row);
        stopped = number == NULL || PyList_Append(failed, number) < 0;
        Py_XDECREF(number);
    }
    row_end(r);
    PyMem_Free(spare);
    return stopped ? -1 : 0;
}

static PyObject *told(Reader *r, Batch *b, PyObject *labels, PyObject *failed) {
    PyObject *signs = list_of(b->signs, 2 * r->n_scans);
    PyObject *given = signs == NULL ? NULL : Py_BuildValue("OOnO", labels, signs, b->differing, failed);
    Py_XDECREF(signs);
    return given;
}

static int label_rooms(Reader *r, Batch *b, PyObject *labels) {
    const Py_ssize_t rows = PyList_GET_SIZE(b->truths);
    for (Py_ssize_t k = 0; k < r->n_readings; k++) {
        PyObject *codes = PyByteArray_FromStringAndSize(NULL, rows);
        if (codes == NULL)
            return -1;
        b->labels[k] = memset(PyByteArray_AS_STRING(codes), MISSING, rows);
        PyList_SET_ITEM(labels, k, codes);
    }
    return 0;
}

static PyObject *score(Reader *r, Batch *b) {
    PyObject *labels = PyList_New(r->n_readings), *failed = PyList_New(0), *given = NULL;
    b->labels = PyMem_Calloc(r->n_readings + 1, sizeof *b->labels);
    b->signs = PyMem_Calloc(2 * r->n_scans + 1, sizeof *b->signs);
    if (b->labels == NULL || b->signs == NULL)
        PyErr_NoMemory();
    else if (labels != NULL && failed != NULL && label_rooms(r, b, labels) == 0 && score_rows(r, b, failed) == 0)
        given = told(r, b, labels, failed);
    PyMem_Free(b->labels);
    PyMem_Free(b->signs);
    Py_XDECREF(labels);
    Py_XDECREF(failed);
    return given;
}

/* What steps and tests of Python's say of long texts is kept for a batch, that of short ones until it is too much. */
static void forget(PyObject *of_short, PyObject *of_long) {
    if (of_long != NULL)
        PyDict_Clear(of_long);
    if (of_short != NULL && PyDict_GET_SIZE(of_short) > SAID_KEPT)
        PyDict_Clear(of_short);
}

static void forget_all(Reader *r) {
    forget(r->said, r->said_of_long);
    for (Py_ssize_t i = 0; i < r->n_ops; i++)
        forget(r->ops[i].known, r->ops[i].known_of_long);
}

static int column(PyObject *values, Py_ssize_t rows) {
    if (values == Py_None || (PyList_CheckExact(values) && PyList_GET_SIZE(values) == rows))
        return 0;
    return refuse("a column is None or a list as long as the truths");
}

PyObject *reader_score(PyObject *self, PyObject *args) {
    Reader *r = (Reader *)self;
    Batch b = {0};
    if (!PyArg_ParseTuple(args, "OOO!:score", &b.raw, &b.parsed, &PyList_Type, &b.truths))
        return NULL;
    const Py_ssize_t rows = PyList_GET_SIZE(b.truths);
    if (column(b.raw, rows) < 0 || column(b.parsed, rows) < 0)
        return NULL;
    if (r->busy)
        return PyErr_Format(PyExc_RuntimeError, "a reader cannot be used from within a step");
    r->busy = 1;
    PyObject *given = score(r, &b);
    forget_all(r);
    r->busy = 0;
    return given;
}

static PyObject *answers(Reader *r, PyObject *raw, PyObject *parsed) {
    PyObject *given = PyList_New(r->n_ways);
    int failed = given == NULL || row_begin(r) < 0;
    const int first = failed ? -2 : text_of(r, raw, 0, -1);
    const int second = first == -2 ? -2 : text_of(r, parsed, 0, 0);
    failed = failed || second == -2;
    for (Py_ssize_t p = 0; p < r->n_ways && !failed; p++) {
        const int answer = row_answer(r, &r->ways[p], first, second);
        failed = answer == -2;
        if (!failed)
            PyList_SET_ITEM(given, p, Py_NewRef(answer < 0 ? Py_None : r->held[answer].text));
    }
    row_end(r);
    if (failed)
        Py_CLEAR(given);
    return given;
}

/* Columns of one row each: each parser's answer, None where it has nothing to read. */
PyObject *reader_answers(PyObject *self, PyObject *args) {
    Reader *r = (Reader *)self;
    PyObject *raw, *parsed;
    if (!PyArg_ParseTuple(args, "OO:answers", &raw, &parsed) || column(raw, 1) < 0 || column(parsed, 1) < 0)
        return NULL;
    if (r->busy)
        return PyErr_Format(PyExc_RuntimeError, "a reader cannot be used from within a step");
    r->busy = 1;
    PyObject *given = answers(r, raw, parsed);
    forget_all(r);
    r->busy = 0;
    return given;
}
