/* The elements of a JSON array: where they end, found without looking into them, and where the values inside them are. */
#include "json.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* The next quote or backslash; NULL where there is none. */
static const unsigned char *quote_or_slash(const unsigned char *p, const unsigned char *end) {
#ifdef __SSE2__
    for (; end - p >= 16; p += 16) {
        const __m128i held = _mm_loadu_si128((const __m128i *)p);
        const unsigned found = _mm_movemask_epi8(
            _mm_or_si128(_mm_cmpeq_epi8(held, _mm_set1_epi8('"')), _mm_cmpeq_epi8(held, _mm_set1_epi8('\\'))));
        if (found != 0)
            return p + __builtin_ctz(found);
    }
#endif
    for (; p < end; p++)
        if (*p == '"' || *p == '\\')
            return p;
    return NULL;
}

const unsigned char *json_end(const unsigned char *p, const unsigned char *end) {
    Py_ssize_t depth = 0;
    while (p < end) {
        const unsigned char c = *p++;
        if (c == '"') {
            while ((p = quote_or_slash(p, end)) != NULL && *p == '\\')
                p += 2;
            if (p == NULL || p >= end)
                return NULL;
            p++;
        } else if (c == '{' || c == '[')
            depth++;
        else if ((c == '}' || c == ']') && --depth <= 0)
            return p;
    }
    return NULL;
}

static const unsigned char *past_blanks(const unsigned char *p, const unsigned char *end) {
    while (p < end && (*p == ' ' || *p == '\t' || *p == '\r' || *p == '\n'))
        p++;
    return p;
}

/* How many objects there are from a place on, at most so many, each with what follows it; where the last one ends (the
   comma behind it included), and what is there: 0 more may come, 1 the array is at its end, 2 something else. */
PyObject *kernel_objects(PyObject *Py_UNUSED(module), PyObject *args) {
    PyObject *data;
    Py_ssize_t start, most, count = 0;
    if (!PyArg_ParseTuple(args, "Snn:objects", &data, &start, &most))
        return NULL;
    if (start < 0 || start > PyBytes_GET_SIZE(data))
        return PyErr_Format(PyExc_ValueError, "a place that is not in the data");
    const unsigned char *begin = (const unsigned char *)PyBytes_AS_STRING(data), *end = begin + PyBytes_GET_SIZE(data);
    const unsigned char *p = begin + start, *done = p;
    int state = 0;
    Py_BEGIN_ALLOW_THREADS
    while (count < most && state == 0) {
        p = past_blanks(p, end);
        if (p == end)
            break;
        if (*p != '{') {
            state = 2;
            break;
        }
        p = json_end(p, end);
        if (p == NULL || (p = past_blanks(p, end)) == end)
            break;
        state = *p == ',' ? 0 : *p == ']' ? 1 : 2;
        count += state < 2;
        if (state < 2)
            done = ++p;
    }
    Py_END_ALLOW_THREADS
    return Py_BuildValue("nni", count, done - begin, state);
}
