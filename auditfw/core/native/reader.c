/* The type Reader: batches of rows in, label codes and counts out. */
#include "reader.h"

static int take_way(Way *way, PyObject *described, Py_ssize_t ops) {
    PyObject *sign, *chain;
    if (!PyArg_ParseTuple(described, "pOpO:parser", &way->column, &sign, &way->by_steps, &chain))
        return -1;
    way->signed_ = sign != Py_None;
    if (way->signed_ && literal_make(&way->sign, sign) < 0)
        return -1;
    return (way->chain = numbers(chain, ops)) == NULL ? -1 : 0;
}

static int take_reading(Reader *r, PyObject *pair) {
    int *both = numbers(pair, Py_MAX(r->n_ways, r->n_heads));
    if (both == NULL)
        return -1;
    const int fits = PyTuple_GET_SIZE(pair) == 2 && both[0] < r->n_ways && both[1] < r->n_heads;
    if (fits)
        memcpy(&r->readings[2 * r->n_readings++], both, 2 * sizeof *both);
    else
        PyErr_SetString(PyExc_ValueError, "a reading is a pair of a parser's number and a normalizer's");
    PyMem_Free(both);
    return fits ? 0 : -1;
}

/* Makes room for `n` things of each sort; the counts go up as they are filled in. */
static int make_room(Reader *r, Py_ssize_t ops, Py_ssize_t ways, Py_ssize_t heads, Py_ssize_t readings, Py_ssize_t scans) {
    r->ops = PyMem_Calloc(ops + 1, sizeof *r->ops);
    r->ways = PyMem_Calloc(ways + 1, sizeof *r->ways);
    r->heads = PyMem_Calloc(heads + 1, sizeof *r->heads);
    r->readings = PyMem_Calloc(2 * readings + 1, sizeof *r->readings);
    r->scans = PyMem_Calloc(scans + 1, sizeof *r->scans);
    r->tests = PyDict_New();
    r->said = PyDict_New();
    r->said_of_long = PyDict_New();
    if (r->ops && r->ways && r->heads && r->readings && r->scans && r->tests && r->said &&
        r->said_of_long)
        return 0;
    PyErr_NoMemory();
    return -1;
}

static int fill(Reader *r, PyObject *ops, PyObject *ways, PyObject *heads, PyObject *readings, PyObject *scans) {
    if (make_room(r, PyTuple_GET_SIZE(ops), PyTuple_GET_SIZE(ways), PyTuple_GET_SIZE(heads),
            PyTuple_GET_SIZE(readings), PyTuple_GET_SIZE(scans)) < 0)
        return -1;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(ops); i++)
        if (op_make(&r->ops[r->n_ops++], PyTuple_GET_ITEM(ops, i), i) < 0)
            return -1;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(ways); i++)
        if (take_way(&r->ways[r->n_ways++], PyTuple_GET_ITEM(ways, i), r->n_ops) < 0)
            return -1;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(heads); i++)
        if ((r->heads[r->n_heads++] = numbers(PyTuple_GET_ITEM(heads, i), r->n_ops)) == NULL)
            return -1;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(readings); i++)
        if (take_reading(r, PyTuple_GET_ITEM(readings, i)) < 0)
            return -1;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(scans); i++)
        if (scan_make(&r->scans[r->n_scans++], PyTuple_GET_ITEM(scans, i)) < 0)
            return -1;
    return 0;
}

static PyObject *reader_new(PyTypeObject *type, PyObject *args, PyObject *Py_UNUSED(named)) {
    PyObject *ops, *ways, *heads, *readings, *scans, *make_tests;
    if (!PyArg_ParseTuple(args, "O!O!O!O!O!O:Reader", &PyTuple_Type, &ops, &PyTuple_Type, &ways, &PyTuple_Type, &heads,
            &PyTuple_Type, &readings, &PyTuple_Type, &scans, &make_tests))
        return NULL;
    Reader *r = (Reader *)type->tp_alloc(type, 0);
    if (r == NULL)
        return NULL;
    r->make_tests = Py_NewRef(make_tests);
    if (fill(r, ops, ways, heads, readings, scans) < 0)
        Py_CLEAR(r);
    return (PyObject *)r;
}

static int reader_traverse(Reader *r, visitproc visit, void *arg) {
    Py_VISIT(Py_TYPE(r));
    Py_VISIT(r->make_tests);
    Py_VISIT(r->tests);
    Py_VISIT(r->said);
    Py_VISIT(r->said_of_long);
    for (Py_ssize_t i = 0; i < r->n_ops; i++) {
        const int stopped = op_visit(&r->ops[i], visit, arg);
        if (stopped)
            return stopped;
    }
    return 0;
}

static int reader_clear(Reader *r) {
    Py_CLEAR(r->make_tests);
    Py_CLEAR(r->tests);
    Py_CLEAR(r->said);
    Py_CLEAR(r->said_of_long);
    for (Py_ssize_t i = 0; i < r->n_ops; i++) {
        Py_CLEAR(r->ops[i].call);
        Py_CLEAR(r->ops[i].known);
        Py_CLEAR(r->ops[i].known_of_long);
    }
    return 0;
}

static void reader_dealloc(Reader *r) {
    PyTypeObject *type = Py_TYPE(r);
    PyObject_GC_UnTrack(r);
    reader_clear(r);
    row_end(r);
    for (Py_ssize_t i = 0; i < r->n_ops; i++)
        op_free(&r->ops[i]);
    for (Py_ssize_t i = 0; i < r->n_ways; i++) {
        literal_free(&r->ways[i].sign);
        PyMem_Free(r->ways[i].chain);
    }
    for (Py_ssize_t i = 0; i < r->n_heads; i++)
        PyMem_Free(r->heads[i]);
    for (Py_ssize_t i = 0; i < r->n_scans; i++)
        scan_free(&r->scans[i]);
    void *const blocks[] = {r->ops, r->ways, r->heads, r->readings, r->scans, r->held, r->memo, r->labels};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        PyMem_Free(blocks[i]);
    type->tp_free(r);
    Py_DECREF(type);
}

PyObject *reader_score(PyObject *, PyObject *);
PyObject *reader_answers(PyObject *, PyObject *);

static PyMethodDef methods[] = {
    {"score", reader_score, METH_VARARGS, "Labels of a batch."},
    {"answers", reader_answers, METH_VARARGS, "Each parser's answer to one row."},
    {NULL, NULL, 0, NULL},
};
static PyType_Slot slots[] = {
    {Py_tp_doc, "Reads rows by a plan."},
    {Py_tp_new, reader_new},
    {Py_tp_dealloc, reader_dealloc},
    {Py_tp_traverse, reader_traverse},
    {Py_tp_clear, reader_clear},
    {Py_tp_methods, methods},
    {0, NULL},
};
static PyType_Spec spec = {
    "auditfw.core.native._kernel.Reader", sizeof(Reader), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, slots};

int reader_begin(PyObject *module) {
    PyObject *type = PyType_FromSpec(&spec);
    const int failed = type == NULL ? -1 : PyModule_AddObjectRef(module, "Reader", type);
    Py_XDECREF(type);
    return failed;
}
