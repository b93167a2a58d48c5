/* Columns of values: texts, numbers and words of JSON as Python has them. */
#include "json.h"

#define KNOWN 256 /* a power of two */
#define LONGEST_NUMBER 64

static unsigned unit(const char *p) {
    unsigned made = 0;
    for (int i = 0; i < 4; i++) {
        const char c = p[i];
        made = made << 4 | (unsigned)(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
    }
    return made;
}

static char *encoded(char *to, unsigned code) {
    if (code < 0x80)
        *to++ = (char)code;
    else if (code < 0x800) {
        *to++ = (char)(0xC0 | code >> 6);
        *to++ = (char)(0x80 | (code & 0x3F));
    } else {
        if (code < 0x10000)
            *to++ = (char)(0xE0 | code >> 12);
        else {
            *to++ = (char)(0xF0 | code >> 18);
            *to++ = (char)(0x80 | (code >> 12 & 0x3F));
        }
        *to++ = (char)(0x80 | (code >> 6 & 0x3F));
        *to++ = (char)(0x80 | (code & 0x3F));
    }
    return to;
}

static char simple(char c) {
    switch (c) {
    case 'n': return '\n';
    case 't': return '\t';
    case 'r': return '\r';
    case 'b': return '\b';
    case 'f': return '\f';
    default: return c;
    }
}

/* What stands behind the escapes of a text that the scanner took, which may become no longer by it; how long it is. */
static Py_ssize_t unescaped(const char *p, Py_ssize_t size, char *room) {
    const char *end = p + size;
    char *to = room;
    while (p < end) {
        const char *slash = memchr(p, '\\', end - p);
        const Py_ssize_t plain = (slash == NULL ? end : slash) - p;
        memcpy(to, p, plain);
        to += plain;
        if (slash == NULL)
            break;
        if (end - slash < (slash[1] == 'u' ? 6 : 2))
            break; /* no escape that the scanner takes */
        if (slash[1] != 'u') {
            *to++ = simple(slash[1]);
            p = slash + 2;
            continue;
        }
        unsigned code = unit(slash + 2);
        p = slash + 6;
        if (code >= 0xD800 && code < 0xDC00 && end - p >= 6) { /* the scanner takes both halves or none */
            code = 0x10000 + ((code - 0xD800) << 10) + (unit(p + 2) - 0xDC00);
            p += 6;
        }
        to = encoded(to, code);
    }
    return to - room;
}

static PyObject *of_escaped(const char *at, Py_ssize_t size, char **room, Py_ssize_t *most) {
    if (size > *most) {
        char *wider = PyMem_Realloc(*room, size);
        if (wider == NULL)
            return PyErr_NoMemory();
        *room = wider;
        *most = size;
    }
    return PyUnicode_DecodeUTF8(*room, unescaped(at, size, *room), NULL);
}

static PyObject *of_number(const char *at, Py_ssize_t size, unsigned char kind) {
    char text[LONGEST_NUMBER];
    if (size >= LONGEST_NUMBER)
        return PyErr_Format(PyExc_ValueError, "a number of more than %d bytes", LONGEST_NUMBER);
    memcpy(text, at, size);
    text[size] = 0;
    if (kind == WHOLE)
        return PyLong_FromString(text, NULL, 10);
    const double number = PyOS_string_to_double(text, NULL, NULL);
    return number == -1.0 && PyErr_Occurred() ? NULL : PyFloat_FromDouble(number);
}

/* The values of a column, None for what is none: its texts without escapes, of which equal ones are one object; or all but
   lists and objects, of which equal short texts are one. */
static PyObject *values_of(PyObject *args, int plain) {
    PyObject *data, *told;
    Held column;
    if (!PyArg_ParseTuple(args, plain ? "OO:texts" : "OO:values", &data, &told) || held(&column, data, told) < 0)
        return NULL;
    Py_ssize_t known[KNOWN], most = 0;
    char *room = NULL;
    memset(known, -1, sizeof known);
    PyObject *made = PyList_New(column.rows);
    for (Py_ssize_t i = 0; made != NULL && i < column.rows; i++) {
        const char *at = column.data + column.starts[i];
        const Py_ssize_t size = column.sizes[i];
        PyObject *value = NULL;
        Py_ssize_t *slot = NULL;
        switch (plain && column.kinds[i] != PLAIN ? ABSENT : column.kinds[i]) {
        case PLAIN:
            slot = plain || size <= KNOWN ? &known[hashed(at, (uint32_t)size, PLAIN) & (KNOWN - 1)] : NULL;
            if (slot != NULL && *slot >= 0 && same(&column, *slot, &column, i)) {
                value = Py_NewRef(PyList_GET_ITEM(made, *slot));
                break;
            }
            value = PyUnicode_DecodeUTF8(at, size, NULL);
            if (slot != NULL)
                *slot = i;
            break;
        case ESCAPED: value = of_escaped(at, size, &room, &most); break;
        case WHOLE:
        case DECIMAL: value = of_number(at, size, column.kinds[i]); break;
        case TRUE_: value = Py_NewRef(Py_True); break;
        case FALSE_: value = Py_NewRef(Py_False); break;
        default: value = Py_NewRef(Py_None);
        }
        if (value == NULL)
            Py_CLEAR(made);
        else
            PyList_SET_ITEM(made, i, value);
    }
    PyMem_Free(room);
    return made;
}

PyObject *kernel_texts(PyObject *Py_UNUSED(module), PyObject *args) { return values_of(args, 1); }

PyObject *kernel_values(PyObject *Py_UNUSED(module), PyObject *args) { return values_of(args, 0); }
