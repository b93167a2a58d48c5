/* Seeded draws: rows ranked by BLAKE2b of their texts, eight bytes, as auditfw/core/sampling.py ranks them. */
#include "json.h"

#define RANK_SIZE 8

/* Adds a row's text behind the draw's words to what is hashed, half a character as a question mark; -1 with an error set. */
static int add_row(Jobs *jobs, PyObject *words, PyObject *texts, PyObject *row, uint64_t *rank) {
    const Py_ssize_t begun = PyBytes_GET_SIZE(words), place = PyLong_AsSsize_t(row);
    if (place < 0 || place >= PyList_GET_SIZE(texts))
        return PyErr_Occurred() ? -1 : (PyErr_SetString(PyExc_IndexError, "no such row"), -1);
    PyObject *text = PyList_GET_ITEM(texts, place), *held = NULL;
    if (!PyUnicode_Check(text))
        return PyErr_SetString(PyExc_TypeError, "expected texts"), -1;
    Py_ssize_t size = 0;
    const char *bytes = PyUnicode_AsUTF8AndSize(text, &size);
    if (bytes == NULL && PyErr_ExceptionMatches(PyExc_UnicodeEncodeError)) {
        PyErr_Clear();
        held = PyUnicode_AsEncodedString(text, "utf-8", "replace");
        bytes = held == NULL ? NULL : PyBytes_AS_STRING(held);
        size = held == NULL ? 0 : PyBytes_GET_SIZE(held);
    }
    unsigned char *room = bytes == NULL ? NULL : jobs_room(jobs, begun + size);
    if (room != NULL) {
        memcpy(room, PyBytes_AS_STRING(words), begun);
        memcpy(room + begun, bytes, size);
        jobs_add(jobs, begun + size, (char *)rank);
    }
    Py_XDECREF(held);
    return room == NULL ? -1 : 0;
}

/* Some rows of texts as (rank, row), those whose rank is not above the bar, in the order of the rows. */
PyObject *kernel_ranked(PyObject *Py_UNUSED(module), PyObject *args) {
    PyObject *words, *texts, *rows, *bar;
    if (!PyArg_ParseTuple(args, "SO!O!O:ranked", &words, &PyList_Type, &texts, &PyList_Type, &rows, &bar))
        return NULL;
    if (bar != Py_None && (!PyBytes_Check(bar) || PyBytes_GET_SIZE(bar) != RANK_SIZE))
        return PyErr_Format(PyExc_ValueError, "expected a rank or None");
    const Py_ssize_t count = PyList_GET_SIZE(rows);
    uint64_t *ranks = PyMem_New(uint64_t, count + 1);
    if (ranks == NULL)
        return PyErr_NoMemory();
    Jobs jobs = {0};
    int failed = 0;
    for (Py_ssize_t i = 0; i < count && !failed; i++)
        failed = add_row(&jobs, words, texts, PyList_GET_ITEM(rows, i), &ranks[i]) < 0;
    jobs_end(&jobs);
    jobs_free(&jobs);
    PyObject *made = failed ? NULL : PyList_New(0);
    for (Py_ssize_t i = 0; made != NULL && i < count; i++) {
        unsigned char rank[RANK_SIZE]; /* the most significant byte first */
        for (int k = 0; k < RANK_SIZE; k++)
            rank[k] = (unsigned char)(ranks[i] >> 8 * (RANK_SIZE - 1 - k));
        if (bar != Py_None && memcmp(rank, PyBytes_AS_STRING(bar), RANK_SIZE) > 0)
            continue;
        PyObject *one = Py_BuildValue("y#O", rank, (Py_ssize_t)RANK_SIZE, PyList_GET_ITEM(rows, i));
        if (one == NULL || PyList_Append(made, one) < 0)
            Py_CLEAR(made);
        Py_XDECREF(one);
    }
    PyMem_Free(ranks);
    return made;
}
