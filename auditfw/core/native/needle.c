/* A truth as tokens with runs of blanks between them; with boundaries no word character may stand beside them.
   `whole`: they are all there is to the text, but for blanks at its ends (1), or without any (2). */
#include "kernel.h"

typedef struct {
    PyObject_HEAD
    Py_ssize_t count, anchor;
    Literal *tokens;
    Set blanks;
    int boundaries, whole;
} Needle;

PyTypeObject *needle_type;

static inline int is_blank(const Needle *needle, Py_UCS4 c) {
    return Py_UNICODE_ISSPACE(c) || in_set(&needle->blanks, c);
}

static int stands(PyObject *text, const Literal *token, Py_ssize_t at) {
    const int width = WIDTH(text);
    const char *s = PyUnicode_DATA(text);
    return token->as[width] != NULL && at >= 0 && at + token->size <= PyUnicode_GET_LENGTH(text)
        && memcmp(s + ((size_t)at << width), token->as[width], (size_t)token->size << width) == 0;
}

/* Where a token ends that stands after a run of blanks at this place, or -1. */
static Py_ssize_t step_on(const Needle *needle, PyObject *text, Py_ssize_t at, const Literal *token) {
    Py_ssize_t start = at;
    while (start >= 0 && start < PyUnicode_GET_LENGTH(text) && is_blank(needle, PyUnicode_READ_CHAR(text, start)))
        start++;
    return start > at && stands(text, token, start) ? start + token->size : -1;
}

/* Where a token begins that stands before a run of blanks that ends at this place, or -1. */
static Py_ssize_t step_back(const Needle *needle, PyObject *text, Py_ssize_t at, const Literal *token) {
    Py_ssize_t end = at;
    while (end > 0 && is_blank(needle, PyUnicode_READ_CHAR(text, end - 1)))
        end--;
    return end >= 0 && end < at && stands(text, token, end - token->size) ? end - token->size : -1;
}

static int touches(const Needle *needle, PyObject *text, Py_ssize_t at) {
    if (at < 0 || at >= PyUnicode_GET_LENGTH(text))
        return 0;
    const Py_UCS4 c = PyUnicode_READ_CHAR(text, at);
    return is_word(c) && !in_set(&needle->blanks, c);
}

static Py_ssize_t past_blanks(const Needle *needle, PyObject *text, Py_ssize_t at) {
    while (needle->whole == 1 && at < PyUnicode_GET_LENGTH(text) && is_blank(needle, PyUnicode_READ_CHAR(text, at)))
        at++;
    return at;
}

static int fills(const Needle *needle, PyObject *text) {
    Py_ssize_t at = past_blanks(needle, text, 0);
    if (!stands(text, &needle->tokens[0], at))
        return 0;
    at += needle->tokens[0].size;
    for (Py_ssize_t i = 1; i < needle->count && at >= 0; i++)
        at = step_on(needle, text, at, &needle->tokens[i]);
    return at >= 0 && past_blanks(needle, text, at) == PyUnicode_GET_LENGTH(text);
}

int needle_found(PyObject *object, PyObject *text) {
    const Needle *needle = (Needle *)object;
    if (needle->whole)
        return fills(needle, text);
    const Literal *literal = &needle->tokens[needle->anchor];
    for (Py_ssize_t at = find(text, literal, 0); at >= 0; at = find(text, literal, at + 1)) {
        Py_ssize_t start = at, end = at + literal->size;
        for (Py_ssize_t i = needle->anchor - 1; i >= 0 && start >= 0; i--)
            start = step_back(needle, text, start, &needle->tokens[i]);
        for (Py_ssize_t i = needle->anchor + 1; i < needle->count && start >= 0 && end >= 0; i++)
            end = step_on(needle, text, end, &needle->tokens[i]);
        if (start >= 0 && end >= 0
            && !(needle->boundaries && (touches(needle, text, start - 1) || touches(needle, text, end))))
            return 1;
    }
    return 0;
}

static int fill(Needle *needle, PyObject *tokens) {
    needle->tokens = PyMem_Calloc(PyTuple_GET_SIZE(tokens), sizeof *needle->tokens);
    if (needle->tokens == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(tokens); i++) {
        needle->count++;
        if (literal_make(&needle->tokens[i], PyTuple_GET_ITEM(tokens, i)) < 0)
            return -1;
        if (needle->tokens[i].size > needle->tokens[needle->anchor].size)
            needle->anchor = i;
    }
    return 0;
}

static PyObject *needle_new(PyTypeObject *type, PyObject *args, PyObject *Py_UNUSED(named)) {
    PyObject *tokens, *blanks;
    int boundaries, whole = 0;
    if (!PyArg_ParseTuple(args, "O!Up|i:Needle", &PyTuple_Type, &tokens, &blanks, &boundaries, &whole))
        return NULL;
    if (PyTuple_GET_SIZE(tokens) == 0) {
        PyErr_SetString(PyExc_ValueError, "a needle has tokens");
        return NULL;
    }
    Needle *needle = (Needle *)type->tp_alloc(type, 0);
    if (needle == NULL)
        return NULL;
    needle->boundaries = boundaries;
    needle->whole = whole;
    if (set_make(&needle->blanks, blanks) < 0 || fill(needle, tokens) < 0) {
        Py_DECREF(needle);
        return NULL;
    }
    return (PyObject *)needle;
}

static void needle_dealloc(Needle *needle) {
    PyTypeObject *type = Py_TYPE(needle);
    for (Py_ssize_t i = 0; i < needle->count; i++)
        literal_free(&needle->tokens[i]);
    PyMem_Free(needle->tokens);
    set_free(&needle->blanks);
    type->tp_free(needle);
    Py_DECREF(type);
}

static PyObject *needle_call(PyObject *needle, PyObject *args, PyObject *Py_UNUSED(named)) {
    PyObject *text;
    if (!PyArg_ParseTuple(args, "U:Needle", &text))
        return NULL;
    return PyBool_FromLong(needle_found(needle, text));
}

static PyType_Slot slots[] = {
    {Py_tp_doc, "Looks for tokens with runs of blanks between them."},
    {Py_tp_new, needle_new},
    {Py_tp_dealloc, needle_dealloc},
    {Py_tp_call, needle_call},
    {0, NULL},
};
static PyType_Spec spec = {"auditfw.core.native._kernel.Needle", sizeof(Needle), 0, Py_TPFLAGS_DEFAULT, slots};

int needle_begin(PyObject *module) {
    needle_type = (PyTypeObject *)PyType_FromSpec(&spec);
    return needle_type == NULL ? -1 : PyModule_AddObjectRef(module, "Needle", (PyObject *)needle_type);
}
