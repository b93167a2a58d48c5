/* Lines of JSON: where the values at the wanted paths are, for a whole block of lines at once. */
#include "json.h"

static int column_make(Column *column, Py_ssize_t rows) {
    const Py_ssize_t widths[3] = {4, 4, 1};
    for (int i = 0; i < 3; i++)
        if ((column->held[i] = PyBytes_FromStringAndSize(NULL, rows * widths[i])) == NULL)
            return -1;
    column->starts = (uint32_t *)PyBytes_AS_STRING(column->held[0]);
    column->sizes = (uint32_t *)PyBytes_AS_STRING(column->held[1]);
    column->kinds = (unsigned char *)PyBytes_AS_STRING(column->held[2]);
    memset(column->starts, 0, 4 * rows);
    memset(column->sizes, 0, 4 * rows);
    memset(column->kinds, ABSENT, rows);
    return 0;
}

static PyObject *column_told(Column *column, Py_ssize_t rows) {
    if (_PyBytes_Resize(&column->held[0], 4 * rows) < 0 || _PyBytes_Resize(&column->held[1], 4 * rows) < 0 ||
        _PyBytes_Resize(&column->held[2], rows) < 0)
        return NULL;
    return PyTuple_Pack(3, column->held[0], column->held[1], column->held[2]);
}

/* The step of a key beneath another, made where it is new; -1 with an error set. */
static int step_beneath(Step *steps, int *count, int parent, PyObject *key) {
    if (!PyBytes_Check(key))
        return PyErr_SetString(PyExc_TypeError, "the steps of a path are bytes"), -1;
    for (int step = steps[parent].inner; step >= 0; step = steps[step].next)
        if (steps[step].size == PyBytes_GET_SIZE(key) &&
            memcmp(steps[step].key, PyBytes_AS_STRING(key), steps[step].size) == 0)
            return step;
    steps[*count] = (Step){PyBytes_AS_STRING(key), PyBytes_GET_SIZE(key), -1, -1, steps[parent].inner};
    steps[parent].inner = *count;
    return (*count)++;
}

/* The steps of all paths as a tree; the empty path is the record. NULL with an error set. */
static Step *steps_make(PyObject *paths) {
    Py_ssize_t most = 1;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(paths); i++) {
        PyObject *path = PyTuple_GET_ITEM(paths, i);
        if (!PyTuple_Check(path))
            return (Step *)PyErr_Format(PyExc_TypeError, "a path is a tuple");
        most += PyTuple_GET_SIZE(path);
    }
    Step *steps = PyMem_New(Step, most);
    if (steps == NULL)
        return (Step *)PyErr_NoMemory();
    steps[0] = (Step){"", 0, -1, -1, -1};
    int count = 1;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(paths); i++) {
        PyObject *path = PyTuple_GET_ITEM(paths, i);
        int step = 0;
        for (Py_ssize_t j = 0; j < PyTuple_GET_SIZE(path) && step >= 0; j++)
            step = step_beneath(steps, &count, step, PyTuple_GET_ITEM(path, j));
        if (step >= 0 && steps[step].column >= 0)
            PyErr_SetString(PyExc_ValueError, "a path stands twice");
        if (step < 0 || steps[step].column >= 0) {
            PyMem_Free(steps);
            return NULL;
        }
        steps[step].column = (int)i;
    }
    return steps;
}

/* Notes that a row is left to the strict reader, and where it is. */
static void odd(Json *json, Py_ssize_t columns, const unsigned char *start, const unsigned char *end) {
    for (Py_ssize_t i = 0; i < columns; i++) {
        json->columns[i].starts[json->row] = (uint32_t)(start - json->data);
        json->columns[i].sizes[json->row] = (uint32_t)(end - start);
        json->columns[i].kinds[json->row] = ODD;
    }
}

/* Reads one line as a row, from `p` to behind its end. */
static void line(Json *json, Py_ssize_t columns) {
    const unsigned char *start = json->p;
    json->keys = json->met = 0;
    json->alike = 1;
    json_blanks(json);
    if (json->p == json->end || *json->p == '\n') {
        json->p += json->p < json->end;
        return;
    }
    Kind kind = *json->p == '{' ? json_value(json, 0, 0) : ODD;
    json->before = json->met;
    if (kind != ODD) {
        json_blanks(json);
        if (json->p < json->end && *json->p != '\n')
            kind = ODD;
    }
    const unsigned char *end = json->p < json->end ? memchr(json->p, '\n', json->end - json->p) : NULL;
    json->p = end == NULL ? json->end : end + 1;
    if (kind == ODD)
        odd(json, columns, start, end == NULL ? json->end : end);
    json->row++;
}

/* Reads one element of an array as a row, from `p` to behind the comma or bracket after it; `p` is at the end where there
   is no further one. */
static void element(Json *json, Py_ssize_t columns) {
    json->keys = json->met = 0;
    json->alike = 1;
    json_blanks(json);
    if (json->p >= json->end)
        return;
    const unsigned char *start = json->p;
    Kind kind = *json->p == '{' ? json_value(json, 0, 0) : ODD;
    json->before = json->met;
    const unsigned char *end = kind == ODD ? json_end(start, json->end) : json->p;
    json->p = end == NULL ? json->end : end;
    if (kind == ODD)
        odd(json, columns, start, json->p);
    json_blanks(json);
    json->p += json->p < json->end;
    json->row++;
}

static PyObject *told(Json *json, Py_ssize_t columns) {
    PyObject *made = PyTuple_New(columns);
    for (Py_ssize_t i = 0; i < columns && made != NULL; i++) {
        PyObject *column = column_told(&json->columns[i], json->row);
        if (column == NULL)
            Py_CLEAR(made);
        else
            PyTuple_SET_ITEM(made, i, column);
    }
    return made;
}

PyObject *kernel_ends(PyObject *Py_UNUSED(module), PyObject *data) {
    if (!PyBytes_Check(data))
        return PyErr_Format(PyExc_TypeError, "expected bytes");
    const unsigned char *p = (const unsigned char *)PyBytes_AS_STRING(data);
    Py_ssize_t left = PyBytes_GET_SIZE(data), count = 0;
    Py_BEGIN_ALLOW_THREADS
    while (left > 0) { /* few at a time, so that a byte can count them: compilers make that wide */
        const Py_ssize_t size = left < 192 ? left : 192;
        unsigned char some = 0;
        for (Py_ssize_t i = 0; i < size; i++)
            some += p[i] == '\n';
        count += some;
        p += size;
        left -= size;
    }
    Py_END_ALLOW_THREADS
    return PyLong_FromSsize_t(count);
}

static PyObject *scanned(PyObject *args, int lined) {
    PyObject *data, *paths, *made = NULL;
    Py_ssize_t rows;
    if (!PyArg_ParseTuple(args, lined ? "SO!n:lines" : "SO!n:elements", &data, &PyTuple_Type, &paths, &rows))
        return NULL;
    const Py_ssize_t columns = PyTuple_GET_SIZE(paths), size = PyBytes_GET_SIZE(data);
    if (size > (Py_ssize_t)UINT32_MAX || rows < 0 || rows > size + 1)
        return PyErr_Format(PyExc_ValueError, "a block of more than 4 GiB, or a number of rows that cannot be");
    Json *json = PyMem_Calloc(1, sizeof(Json));
    Column *made_columns = PyMem_Calloc(columns + 1, sizeof(Column));
    Step *steps = steps_make(paths);
    if (json == NULL || made_columns == NULL || steps == NULL) {
        if (!PyErr_Occurred())
            PyErr_NoMemory();
        goto done;
    }
    json->data = json->p = (const unsigned char *)PyBytes_AS_STRING(data);
    json->end = json->data + size;
    json->steps = steps;
    json->columns = made_columns;
    json->line_end = lined ? ' ' : '\n';
    for (Py_ssize_t i = 0; i < columns; i++)
        if (column_make(&made_columns[i], rows) < 0)
            goto done;
    Py_BEGIN_ALLOW_THREADS
    while (json->p < json->end && json->row < rows)
        lined ? line(json, columns) : element(json, columns);
    Py_END_ALLOW_THREADS
    if (json->p < json->end)
        PyErr_SetString(PyExc_ValueError, "more lines than rows");
    else
        made = told(json, columns);
done:
    for (Py_ssize_t i = 0; made_columns != NULL && i < columns; i++)
        for (int j = 0; j < 3; j++)
            Py_XDECREF(made_columns[i].held[j]);
    PyMem_Free(steps);
    PyMem_Free(made_columns);
    PyMem_Free(json);
    return made;
}

PyObject *kernel_lines(PyObject *Py_UNUSED(module), PyObject *args) { return scanned(args, 1); }

PyObject *kernel_elements(PyObject *Py_UNUSED(module), PyObject *args) { return scanned(args, 0); }
