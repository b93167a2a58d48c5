/* The module auditfw.core.native._kernel. */
#include "json.h"

static PyObject *kernel_lower(PyObject *Py_UNUSED(module), PyObject *text) {
    if (!PyUnicode_Check(text) || PyUnicode_READY(text) < 0)
        return PyErr_Format(PyExc_TypeError, "expected str, not %s", Py_TYPE(text)->tp_name);
    return lower(text);
}

static PyMethodDef functions[] = {
    {"lower", kernel_lower, METH_O, "A text in lower case, as str.lower gives it."},
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
    {"ranked", kernel_ranked, METH_VARARGS, "Some rows of texts with their rank in a seeded draw."},
    {"facts", kernel_facts, METH_VARARGS, "What the label table holds of each text."},
    {"coded", kernel_coded, METH_VARARGS, "A code for each row's value."},
    {"crossed", kernel_crossed, METH_VARARGS, "One code for each row's codes, and the first row of each."},
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
