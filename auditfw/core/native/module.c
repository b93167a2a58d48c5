/* The module auditfw.core.native._kernel. */
#include "json.h"

static PyObject *kernel_lower(PyObject *Py_UNUSED(module), PyObject *text) {
    if (!PyUnicode_Check(text) || PyUnicode_READY(text) < 0)
        return PyErr_Format(PyExc_TypeError, "expected str, not %s", Py_TYPE(text)->tp_name);
    return lower(text);
}

/* A list of `rows` values: each code's at its place, None elsewhere. */
static int spread(PyObject *made, const Py_buffer *codes, PyObject *values, PyObject *places) {
    const Py_ssize_t rows = PyList_GET_SIZE(made);
    for (Py_ssize_t i = 0; i < rows; i++)
        PyList_SET_ITEM(made, i, Py_NewRef(Py_None));
    for (Py_ssize_t i = 0; i < codes->len; i++) {
        const Py_ssize_t code = ((const unsigned char *)codes->buf)[i];
        const Py_ssize_t place = PyLong_AsSsize_t(PyList_GET_ITEM(places, i));
        if (place < 0 || place >= rows || code >= PyTuple_GET_SIZE(values)) {
            if (!PyErr_Occurred())
                PyErr_SetString(PyExc_IndexError, "a place beyond the rows, or a code without a value");
            return -1;
        }
        if (PyList_SetItem(made, place, Py_NewRef(PyTuple_GET_ITEM(values, code))) < 0)
            return -1;
    }
    return 0;
}

static PyObject *kernel_spread(PyObject *Py_UNUSED(module), PyObject *args) {
    Py_buffer codes;
    PyObject *values, *places, *made = NULL;
    Py_ssize_t rows;
    if (!PyArg_ParseTuple(args, "y*O!O!n:spread", &codes, &PyTuple_Type, &values, &PyList_Type, &places, &rows))
        return NULL;
    if (rows < 0 || PyList_GET_SIZE(places) != codes.len)
        PyErr_SetString(PyExc_ValueError, "as many places as codes are wanted");
    else if ((made = PyList_New(rows)) != NULL && spread(made, &codes, values, places) < 0)
        Py_CLEAR(made);
    PyBuffer_Release(&codes);
    return made;
}

static PyMethodDef functions[] = {
    {"lower", kernel_lower, METH_O, "A text in lower case, as str.lower gives it."},
    {"spread", kernel_spread, METH_VARARGS, "A list of values, each code's at its place."},
    {"ends", kernel_ends, METH_O, "How many line ends there are."},
    {"lines", kernel_lines, METH_VARARGS, "Where the values at the wanted paths are, in a block of lines of JSON."},
    {"elements", kernel_elements, METH_VARARGS, "The same of the elements of an array of JSON."},
    {"objects", kernel_objects, METH_VARARGS, "How many objects of an array there are, where they end, and what follows."},
    {"rows", kernel_rows, METH_VARARGS, "How many rows of delimited text there are, and where they end."},
    {"cells", kernel_cells, METH_VARARGS, "The cells of wanted columns of rows of delimited text, and their lines."},
    {"texts", kernel_texts, METH_VARARGS, "The texts of a column without escapes, None for what is none."},
    {"values", kernel_values, METH_VARARGS, "The values of a column, None for lists, objects and what is none."},
    {"joined", kernel_joined, METH_VARARGS, "The texts of a column in UTF-8 between line ends, None if not all are plain."},
    {"hashes", kernel_hashes, METH_O, "The hashes of texts, eight bytes each."},
    {"repeated", kernel_repeated, METH_O, "Whether any eight bytes are there twice."},
    {"parted", kernel_parted, METH_O, "Eight bytes each by their highest bits, and where each of 256 parts ends."},
    {"ranked", kernel_ranked, METH_VARARGS, "Some rows of texts with their rank in a seeded draw."},
    {"drawn", kernel_drawn, METH_VARARGS, "The marked rows by their rank in a seeded draw."},
    {"counted", kernel_counted, METH_O, "How often each code is there."},
    {"coded", kernel_coded, METH_VARARGS, "A code for each row's value, and the first row of each code."},
    {"crossed", kernel_crossed, METH_VARARGS, "One code for each row's codes, and the first row of each."},
    {"marked", kernel_marked, METH_VARARGS, "The places of the codes that are marked."},
    {"within", kernel_within, METH_VARARGS, "Whether lists of texts are within others, row by row."},
    {"guard", kernel_guard, METH_VARARGS, "Watches for signals, and ends the process some time after one."},
    {"last_words", kernel_last_words, METH_VARARGS, "What the guard writes after SIGINT, SIGTERM, SIGHUP."},
    {"equal", kernel_equal, METH_VARARGS, "Whether texts are equal, row by row."},
    {NULL, NULL, 0, NULL},
};

static int begin(PyObject *module) {
    rewrite_begin();
    if (needle_begin(module) < 0 || reader_begin(module) < 0 || finder_begin(module) < 0)
        return -1;
    return PyModule_AddStringConstant(module, "digest", DIGEST);
}

static PyModuleDef_Slot slots[] = {{Py_mod_exec, begin}, {0, NULL}};
static PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "_kernel", "The text kernel: the rules of the parsing audit in C.", 0, functions, slots,
    NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__kernel(void) { return PyModuleDef_Init(&definition); }
