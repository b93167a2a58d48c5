/* Columns of texts: as a list, joined into one block, and their hashes. */
#include "json.h"

#define KNOWN 256 /* a power of two */

PyObject *kernel_texts(PyObject *Py_UNUSED(module), PyObject *args) {
    PyObject *data, *told;
    Held column;
    if (!PyArg_ParseTuple(args, "OO:texts", &data, &told) || held(&column, data, told) < 0)
        return NULL;
    Py_ssize_t known[KNOWN];
    memset(known, -1, sizeof known);
    PyObject *made = PyList_New(column.rows);
    for (Py_ssize_t i = 0; made != NULL && i < column.rows; i++) {
        const char *at = column.data + column.starts[i];
        PyObject *text = Py_None;
        if (column.kinds[i] == PLAIN) {
            Py_ssize_t *slot = &known[hashed(at, column.sizes[i], PLAIN) & (KNOWN - 1)];
            if (*slot >= 0 && same(&column, *slot, &column, i))
                text = PyList_GET_ITEM(made, *slot);
            else {
                text = PyUnicode_DecodeUTF8(at, column.sizes[i], NULL);
                *slot = i;
            }
            if (text != NULL && *slot == i) {
                PyList_SET_ITEM(made, i, text);
                continue;
            }
        }
        if (text == NULL)
            Py_CLEAR(made);
        else
            PyList_SET_ITEM(made, i, Py_NewRef(text));
    }
    return made;
}

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

static PyObject *hashes_joined(PyObject *joined) {
    const char *p = PyBytes_AS_STRING(joined), *end = p + PyBytes_GET_SIZE(joined);
    Py_ssize_t rows = 1;
    for (const char *at = p; at < end && (at = memchr(at, '\n', end - at)) != NULL; at++)
        rows++;
    PyObject *made = PyBytes_FromStringAndSize(NULL, 8 * rows);
    char *told = made == NULL ? NULL : PyBytes_AS_STRING(made);
    for (Py_ssize_t i = 0; made != NULL && i < rows; i++) {
        const char *stop = p < end ? memchr(p, '\n', end - p) : NULL;
        const uint64_t hash = hashed(p, (uint32_t)((stop == NULL ? end : stop) - p), PLAIN);
        memcpy(told + 8 * i, &hash, 8);
        p = stop == NULL ? end : stop + 1;
    }
    return made;
}

/* The hashes of texts, eight bytes each: of a list of str, or of bytes that hold them in UTF-8 between line ends. The same
   text has the same hash either way, in every process. */
PyObject *kernel_hashes(PyObject *Py_UNUSED(module), PyObject *texts) {
    if (PyBytes_Check(texts))
        return hashes_joined(texts);
    if (!PyList_Check(texts))
        return PyErr_Format(PyExc_TypeError, "expected bytes or a list of str");
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

#define DIGIT 11 /* bits that are sorted by at a time */

/* Sorts numbers by their lowest bits first, as many rounds as they have digits; where they are in the end. */
static uint64_t *sorted(uint64_t *numbers, uint64_t *spare, size_t count) {
    for (int shift = 0; shift < 64; shift += DIGIT) {
        size_t places[1 << DIGIT] = {0}, before = 0;
        for (size_t i = 0; i < count; i++)
            places[numbers[i] >> shift & ((1 << DIGIT) - 1)]++;
        for (size_t digit = 0; digit < 1 << DIGIT; digit++) {
            const size_t some = places[digit];
            places[digit] = before;
            before += some;
        }
        for (size_t i = 0; i < count; i++)
            spare[places[numbers[i] >> shift & ((1 << DIGIT) - 1)]++] = numbers[i];
        uint64_t *held = numbers;
        numbers = spare;
        spare = held;
    }
    return numbers;
}

static int of_hashes(PyObject *hashes, Py_buffer *held) {
    if (PyByteArray_Check(hashes) && PyByteArray_GET_SIZE(hashes) % 8 == 0)
        return PyObject_GetBuffer(hashes, held, PyBUF_SIMPLE);
    PyErr_SetString(PyExc_TypeError, "expected a bytearray of eight bytes for each text");
    return -1;
}

/* Whether any eight bytes of these are there twice. */
PyObject *kernel_repeated(PyObject *Py_UNUSED(module), PyObject *hashes) {
    Py_buffer held;
    if (of_hashes(hashes, &held) < 0)
        return NULL;
    const size_t count = held.len / 8;
    uint64_t *room = PyMem_RawMalloc(2 * held.len + 1);
    int twice = 0;
    if (room != NULL) {
        Py_BEGIN_ALLOW_THREADS
        const uint64_t *order = sorted(memcpy(room, held.buf, held.len), room + count, count);
        for (size_t i = 1; i < count && !twice; i++)
            twice = order[i] == order[i - 1];
        Py_END_ALLOW_THREADS
    }
    PyMem_RawFree(room);
    PyBuffer_Release(&held);
    return room == NULL ? PyErr_NoMemory() : PyBool_FromLong(twice);
}

#define PARTS 256

/* Puts numbers in the order of their parts; tells where in the bytes each part ends. */
static PyObject *part(const uint64_t *numbers, size_t count, uint64_t *parted) {
    size_t places[PARTS] = {0}, before = 0;
    PyObject *ends = PyTuple_New(PARTS);
    for (size_t i = 0; i < count; i++)
        places[numbers[i] >> 56]++;
    for (size_t n = 0; ends != NULL && n < PARTS; n++) {
        PyObject *end = PyLong_FromSize_t(8 * (before + places[n]));
        const size_t some = places[n];
        places[n] = before;
        before += some;
        if (end == NULL)
            Py_CLEAR(ends);
        else
            PyTuple_SET_ITEM(ends, n, end);
    }
    for (size_t i = 0; ends != NULL && i < count; i++)
        parted[places[numbers[i] >> 56]++] = numbers[i];
    return ends;
}

/* The same hashes by their highest eight bits, and where each of the 256 parts ends. */
PyObject *kernel_parted(PyObject *Py_UNUSED(module), PyObject *hashes) {
    Py_buffer held;
    if (of_hashes(hashes, &held) < 0)
        return NULL;
    PyObject *made = PyByteArray_FromStringAndSize(NULL, held.len), *ends = NULL;
    if (made != NULL)
        ends = part(held.buf, held.len / 8, (uint64_t *)PyByteArray_AS_STRING(made));
    PyBuffer_Release(&held);
    PyObject *told = ends == NULL ? NULL : PyTuple_Pack(2, made, ends);
    Py_XDECREF(made);
    Py_XDECREF(ends);
    return told;
}
