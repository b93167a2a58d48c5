/* Steps as they are described from Python: a tuple of a name and what belongs to it. */
#include "kernel.h"

static const char *const names[CODES] = {
    [STRIP] = "strip", [LOWER] = "lower", [CASEFOLD] = "casefold", [COLLAPSE] = "collapse", [DIGITS] = "digits",
    [UNDOT] = "undot", [REPLACE] = "replace", [REMOVE] = "remove", [WORDS] = "words", [AFTER_LAST] = "after_last",
    [BEFORE_LAST] = "before_last", [BEFORE_FIRST] = "before_first", [FIRST_LINE] = "first_line",
    [LAST_LINE] = "last_line", [FIRST_OF] = "first_of", [FOREIGN] = "foreign", [CALL] = "call",
};

static int take_replacement(Op *op, PyObject *characters, PyObject *by) {
    if (!PyUnicode_Check(by) || PyUnicode_GET_LENGTH(by) != 1 || PyUnicode_READ_CHAR(by, 0) >= 128)
        return refuse("replace: one ASCII character is wanted");
    op->by = PyUnicode_READ_CHAR(by, 0);
    return set_make(&op->set, characters);
}

static int take_words(Op *op, PyObject *words) {
    if (!PyTuple_Check(words))
        return refuse("words: a tuple is wanted");
    PyObject *starts = PyUnicode_FromString("");
    op->words = PyMem_Calloc(PyTuple_GET_SIZE(words) + 1, sizeof *op->words);
    int failed = starts == NULL || op->words == NULL;
    if (op->words == NULL)
        PyErr_NoMemory();
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(words) && !failed; i++) {
        PyObject *word = PyTuple_GET_ITEM(words, i);
        failed = literal_make(&op->words[op->count++], word) < 0;
        if (!failed && PyUnicode_GET_LENGTH(word) == 0)
            failed = refuse("words: an empty one") < 0;
        PyObject *start = failed ? NULL : PyUnicode_Substring(word, 0, 1);
        failed = start == NULL;
        if (!failed)
            PyUnicode_AppendAndDel(&starts, start);
        failed |= starts == NULL;
    }
    failed = failed || set_make(&op->set, starts) < 0;
    Py_XDECREF(starts);
    return failed ? -1 : 0;
}

/* Numbers as a list of Python's. */
PyObject *list_of(const Py_ssize_t *values, Py_ssize_t count) {
    PyObject *made = PyList_New(count);
    for (Py_ssize_t i = 0; made != NULL && i < count; i++) {
        PyObject *number = PyLong_FromSsize_t(values[i]);
        if (number == NULL)
            Py_CLEAR(made);
        else
            PyList_SET_ITEM(made, i, number);
    }
    return made;
}

/* A tuple of numbers below a bound as a list that -1 ends; NULL with an error set. */
int *numbers(PyObject *tuple, Py_ssize_t below) {
    if (!PyTuple_Check(tuple))
        return (int *)PyErr_Format(PyExc_TypeError, "a tuple of numbers is wanted");
    const Py_ssize_t n = PyTuple_GET_SIZE(tuple);
    int *made = PyMem_Calloc(n + 1, sizeof *made);
    if (made == NULL)
        return (int *)PyErr_NoMemory();
    made[n] = -1;
    for (Py_ssize_t i = 0; i < n; i++) {
        const long number = PyLong_AsLong(PyTuple_GET_ITEM(tuple, i));
        if (number < 0 || number >= below) {
            if (!PyErr_Occurred())
                PyErr_SetString(PyExc_ValueError, "no step, parser or normalizer has this number");
            PyMem_Free(made);
            return NULL;
        }
        made[i] = (int)number;
    }
    return made;
}

static int take_choices(Op *op, PyObject *choices, Py_ssize_t steps) {
    if (!PyTuple_Check(choices))
        return refuse("first_of: a tuple is wanted");
    op->choices = PyMem_Calloc(PyTuple_GET_SIZE(choices) + 1, sizeof *op->choices);
    if (op->choices == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(choices); i++)
        if ((op->choices[op->count++] = numbers(PyTuple_GET_ITEM(choices, i), steps)) == NULL)
            return -1;
    return 0;
}

static int take_call(Op *op, PyObject *call) {
    if (!PyCallable_Check(call))
        return refuse("call: a callable is wanted");
    op->call = Py_NewRef(call);
    op->known = PyDict_New();
    op->known_of_long = PyDict_New();
    return op->known == NULL || op->known_of_long == NULL ? -1 : 0;
}

static int take(Op *op, PyObject *first, PyObject *second, Py_ssize_t steps) {
    switch (op->code) {
    case REPLACE: return take_replacement(op, first, second);
    case REMOVE: return set_make(&op->set, first);
    case WORDS: return take_words(op, first);
    case AFTER_LAST:
    case BEFORE_LAST: op->ignore_case = second == Py_True; return literal_make(&op->literal, first);
    case BEFORE_FIRST: op->ignore_case = second == Py_True; return scan_make(&op->scan, first);
    case FIRST_OF: return take_choices(op, first, steps);
    case FOREIGN:
    case CALL: return take_call(op, first);
    default: return 0;
    }
}

/* `steps` is how many steps there are before this one: only those may be its choices. */
int op_make(Op *op, PyObject *described, Py_ssize_t steps) {
    const char *name;
    PyObject *first = Py_None, *second = Py_None;
    if (!PyTuple_Check(described) || !PyArg_ParseTuple(described, "s|OO:step", &name, &first, &second))
        return PyErr_Occurred() ? -1 : refuse("a step is described by a tuple");
    for (op->code = 0; op->code < CODES; op->code++)
        if (strcmp(names[op->code], name) == 0)
            return take(op, first, second, steps);
    return refuse("no such step");
}

void op_free(Op *op) {
    literal_free(&op->literal);
    set_free(&op->set);
    scan_free(&op->scan);
    for (Py_ssize_t i = 0; i < op->count; i++) {
        if (op->words != NULL)
            literal_free(&op->words[i]);
        if (op->choices != NULL)
            PyMem_Free(op->choices[i]);
    }
    PyMem_Free(op->words);
    PyMem_Free(op->choices);
    op->words = NULL;
    op->choices = NULL;
    op->count = 0;
    Py_CLEAR(op->call);
    Py_CLEAR(op->known);
    Py_CLEAR(op->known_of_long);
}

int op_visit(Op *op, visitproc visit, void *arg) {
    Py_VISIT(op->call);
    Py_VISIT(op->known);
    Py_VISIT(op->known_of_long);
    return 0;
}
