/* Columns of texts: joined into one block, and their hashes. */
#include "json.h"

/* Whether all rows are texts without escapes, none empty; their bytes together go to `size`. */
static int all_plain(const Held *column, Py_ssize_t *size) {
    *size = 0;
    for (Py_ssize_t i = 0; i < column->rows; i++) {
        if (column->kinds[i] != PLAIN || column->sizes[i] == 0)
            return 0;
        *size += column->sizes[i];
    }
    return column->rows > 0;
}

PyObject *kernel_joined(PyObject *Py_UNUSED(module), PyObject *args) {
    PyObject *data, *told;
    Held column;
    Py_ssize_t size;
    if (!PyArg_ParseTuple(args, "OO:joined", &data, &told) || held(&column, data, told) < 0)
        return NULL;
    if (!all_plain(&column, &size))
        Py_RETURN_NONE;
    PyObject *made = PyBytes_FromStringAndSize(NULL, size + column.rows - 1);
    if (made == NULL)
        return NULL;
    char *p = PyBytes_AS_STRING(made);
    Py_BEGIN_ALLOW_THREADS
    for (Py_ssize_t i = 0; i < column.rows; i++) {
        if (i > 0)
            *p++ = '\n'; /* which no text without escapes holds */
        memcpy(p, column.data + column.starts[i], column.sizes[i]);
        p += column.sizes[i];
    }
    Py_END_ALLOW_THREADS
    return made;
}

/* The hashes of a list of str, eight bytes each: the same text has the same hash in every process. */
PyObject *kernel_hashes(PyObject *Py_UNUSED(module), PyObject *texts) {
    if (!PyList_Check(texts))
        return PyErr_Format(PyExc_TypeError, "expected a list of str");
    const Py_ssize_t rows = PyList_GET_SIZE(texts);
    PyObject *made = PyBytes_FromStringAndSize(NULL, 8 * rows);
    for (Py_ssize_t i = 0; made != NULL && i < rows; i++) {
        PyObject *text = PyList_GET_ITEM(texts, i);
        PyObject *bytes = PyUnicode_Check(text) ? PyUnicode_AsEncodedString(text, "utf-8", "surrogatepass")
                                                : PyErr_Format(PyExc_TypeError, "expected str");
        if (bytes == NULL) {
            Py_CLEAR(made);
            break;
        }
        const uint64_t hash = hashed(PyBytes_AS_STRING(bytes), (uint32_t)PyBytes_GET_SIZE(bytes), PLAIN);
        memcpy(PyBytes_AS_STRING(made) + 8 * i, &hash, 8);
        Py_DECREF(bytes);
    }
    return made;
}
