/* Steps that cut: what they give is a stretch of the text. */
#include "kernel.h"

#define SPACE(text, i) Py_UNICODE_ISSPACE(PyUnicode_READ_CHAR(text, i))
#define BREAK(text, i) Py_UNICODE_ISLINEBREAK(PyUnicode_READ_CHAR(text, i))

/* text[start:end], clamped as in Python, for places that are not negative. */
PyObject *slice(PyObject *text, Py_ssize_t start, Py_ssize_t end) {
    const Py_ssize_t n = PyUnicode_GET_LENGTH(text);
    end = Py_MIN(end, n);
    if (start <= 0 && end == n)
        return Py_NewRef(text);
    return PyUnicode_Substring(text, Py_MIN(start, end), end);
}

static Py_ssize_t skip(PyObject *text, Py_ssize_t start, Py_ssize_t end) {
    while (start < end && SPACE(text, start))
        start++;
    return start;
}

static Py_ssize_t skip_back(PyObject *text, Py_ssize_t start, Py_ssize_t end) {
    while (end > start && SPACE(text, end - 1))
        end--;
    return end;
}

PyObject *strip(PyObject *text) {
    const Py_ssize_t start = skip(text, 0, PyUnicode_GET_LENGTH(text));
    return slice(text, start, skip_back(text, start, PyUnicode_GET_LENGTH(text)));
}

int blank(PyObject *text) { return skip(text, 0, PyUnicode_GET_LENGTH(text)) == PyUnicode_GET_LENGTH(text); }

/* Every line break is white space: so the first line that is not blank begins where white space ends. */
static PyObject *first_line(PyObject *text) {
    const Py_ssize_t n = PyUnicode_GET_LENGTH(text), start = skip(text, 0, n);
    Py_ssize_t end = start;
    while (end < n && !BREAK(text, end))
        end++;
    return slice(text, start, skip_back(text, start, end));
}

static PyObject *last_line(PyObject *text) {
    const Py_ssize_t end = skip_back(text, 0, PyUnicode_GET_LENGTH(text));
    Py_ssize_t start = end;
    while (start > 0 && !BREAK(text, start - 1))
        start--;
    return slice(text, skip(text, start, end), end);
}

static PyObject *after(PyObject *text, Py_ssize_t start) {
    const Py_ssize_t n = PyUnicode_GET_LENGTH(text);
    return slice(text, skip(text, Py_MIN(start, n), n), n);
}

/* `looked` is what is searched: the text, or its lower case, whose places count in the text as it is. */
PyObject *cut(const Op *op, PyObject *text, PyObject *looked) {
    Py_ssize_t at;
    switch (op->code) {
    case STRIP: return strip(text);
    case FIRST_LINE: return first_line(text);
    case LAST_LINE: return last_line(text);
    case BEFORE_FIRST: at = scan_first(&op->scan, looked); break;
    default: at = find_last(looked, &op->literal);
    }
    if (at < 0)
        return Py_NewRef(text);
    return op->code == AFTER_LAST ? after(text, at + op->literal.size) : slice(text, 0, at);
}
