/* Steps that change characters wherever they stand. */
#include "kernel.h"

#define UNCHANGED (-1)
#define OTHERWISE (-2) /* what only the method of str does */
#define NOT_ONE 0xFFFFFFFFu
#define DOTTED_I 0x130 /* lowers to two characters */
#define SIGMA 0x3A3 /* lowers by what stands around it */
#define PLANE 0x10000

unsigned char word_table[128];

/* What is known of a character's case folding: 0 nothing yet, 1 that it stays, 2 that it changes. */
static unsigned char folding[PLANE];

static int folds_to_itself(Py_UCS4 c) {
    if (c >= PLANE)
        return 0;
    if (folding[c] == 0) {
        PyObject *one = PyUnicode_FromOrdinal((int)c);
        PyObject *folded = one == NULL ? NULL : PyObject_CallMethod(one, "casefold", NULL);
        if (folded == NULL)
            PyErr_Clear();
        folding[c] = folded != NULL && PyUnicode_Compare(one, folded) == 0 ? 1 : 2;
        Py_XDECREF(one);
        Py_XDECREF(folded);
    }
    return folding[c] == 1;
}

static inline Py_UCS4 plain_digit(Py_UCS4 c) {
    if (c >= 0x2080 && c <= 0x2089)
        return '0' + (c - 0x2080);
    if (c == 0x2070 || (c >= 0x2074 && c <= 0x2079))
        return '0' + (c - 0x2070);
    return c == 0xB9 ? '1' : c == 0xB2 ? '2' : c == 0xB3 ? '3' : c;
}

#define FOR_EACH_WIDTH "rewrite.h"
#include "widths.h"

static PyObject *by_method(const Op *op, PyObject *text) {
    return PyObject_CallMethod(text, op->code == LOWER ? "lower" : "casefold", NULL);
}

/* The ASCII text stays ASCII: it is written straight into its result. */
static PyObject *rewrite_ascii(const Op *op, PyObject *text) {
    const Py_ssize_t n = PyUnicode_GET_LENGTH(text);
    PyObject *made = PyUnicode_New(n, 127);
    if (made == NULL)
        return NULL;
    const Py_ssize_t size = rewrite_one(op, PyUnicode_1BYTE_DATA(text), n, PyUnicode_1BYTE_DATA(made));
    if (size == n)
        return made;
    PyObject *given = size == UNCHANGED ? Py_NewRef(text) : PyUnicode_FromKindAndData(1, PyUnicode_DATA(made), size);
    Py_DECREF(made);
    return given;
}

PyObject *rewrite(const Op *op, PyObject *text) {
    const Py_ssize_t n = PyUnicode_GET_LENGTH(text);
    if (n == 0 || (op->code == DIGITS && PyUnicode_IS_ASCII(text)))
        return Py_NewRef(text);
    if (PyUnicode_IS_ASCII(text) && (op->code != REPLACE || op->by < 128))
        return rewrite_ascii(op, text);
    const int width = WIDTH(text);
    void *out = PyMem_Malloc((size_t)n << width);
    if (out == NULL)
        return PyErr_NoMemory();
    const void *s = PyUnicode_DATA(text);
    const Py_ssize_t size = BY_WIDTH(text, rewrite, op, s, n, out);
    PyObject *given = size == OTHERWISE ? by_method(op, text)
        : size == UNCHANGED             ? Py_NewRef(text)
                                        : PyUnicode_FromKindAndData(1 << width, out, size);
    PyMem_Free(out);
    return given;
}

PyObject *lower(PyObject *text) {
    static const Op op = {.code = LOWER};
    return rewrite(&op, text);
}

void rewrite_begin(void) {
    for (Py_UCS4 c = 0; c < 128; c++)
        word_table[c] = c == '_' || Py_UNICODE_ISALNUM(c);
}
