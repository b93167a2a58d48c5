/* One JSON text, read strictly and passed over: nothing is built, only where wanted values are is written down. */
#include "json.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define EACH(byte) (UINT64_C(0x0101010101010101) * (byte))
#define HIGH EACH(0x80)

/* Marks the bytes of eight that do not simply belong to a text: a quote, a backslash, a control, no ASCII. The lowest
   mark is exact; those above it may be none. */
static inline uint64_t marks(const unsigned char *p) {
    uint64_t eight;
    memcpy(&eight, p, 8);
    const uint64_t quote = eight ^ EACH('"'), slash = eight ^ EACH('\\');
    return ((eight - EACH(0x20)) | (quote - EACH(1)) | (slash - EACH(1)) | eight) & HIGH;
}

#ifdef __SSE2__
/* The same of sixteen bytes, a bit each. As signed numbers, controls and what is no ASCII are those below a blank. */
static inline unsigned wide_marks(const unsigned char *p) {
    const __m128i held = _mm_loadu_si128((const __m128i *)p);
    const __m128i quote = _mm_cmpeq_epi8(held, _mm_set1_epi8('"')), slash = _mm_cmpeq_epi8(held, _mm_set1_epi8('\\'));
    return _mm_movemask_epi8(_mm_or_si128(_mm_or_si128(quote, slash), _mm_cmplt_epi8(held, _mm_set1_epi8(' '))));
}
#endif

/* The next byte of a text that is a quote, a backslash, a control (as is the NUL at the end of all), or no ASCII. */
static inline const unsigned char *next_mark(const unsigned char *p, const unsigned char *end) {
#ifdef __SSE2__
    for (; end - p >= 16; p += 16) {
        const unsigned found = wide_marks(p);
        if (found != 0)
            return p + __builtin_ctz(found);
    }
#endif
    for (; end - p >= 8; p += 8) {
        const uint64_t found = marks(p);
        if (found != 0) {
#if defined(__GNUC__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
            return p + (__builtin_ctzll(found) >> 3);
#else
            break;
#endif
        }
    }
    while (*p >= 0x20 && *p < 0x80 && *p != '"' && *p != '\\')
        p++;
    return p;
}

static inline int follows(unsigned char byte) { return (byte & 0xC0) == 0x80; }

/* The length of the UTF-8 character at p, 0 where there is none; a text's bytes end with a NUL. */
static int character(const unsigned char *p) {
    const unsigned char a = p[0];
    if (a < 0xC2 || a > 0xF4 || !follows(p[1]))
        return 0;
    if (a < 0xE0)
        return 2;
    if (!follows(p[2]) || (a == 0xE0 && p[1] < 0xA0) || (a == 0xED && p[1] > 0x9F))
        return 0;
    if (a < 0xF0)
        return 3;
    if (!follows(p[3]) || (a == 0xF0 && p[1] < 0x90) || (a == 0xF4 && p[1] > 0x8F))
        return 0;
    return 4;
}

static inline int is_digit(unsigned char c) { return c >= '0' && c <= '9'; }

static int is_hex(unsigned char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

/* Whether \u and four digits stand at p. */
static int is_unit(const unsigned char *p) {
    if (p[0] != '\\' || p[1] != 'u')
        return 0;
    for (int i = 2; i < 6; i++)
        if (!is_hex(p[i]))
            return 0;
    return 1;
}

/* Whether the unit at p is the first half of a character, or the second. */
static int is_first(const unsigned char *p) {
    return (p[2] | 0x20) == 'd' && memchr("89abAB", p[3], 6) != NULL;
}
static int is_second(const unsigned char *p) {
    return (p[2] | 0x20) == 'd' && memchr("cdefCDEF", p[3], 8) != NULL;
}

/* The length of the escape at p, both halves of a character together; 0 where there is none, or half a character. */
static int escape(const unsigned char *p) {
    if (p[1] != 'u')
        return p[1] != 0 && strchr("\"\\/bfnrt", p[1]) != NULL ? 2 : 0;
    if (!is_unit(p))
        return 0;
    if (is_first(p))
        return is_unit(p + 6) && is_second(p + 6) ? 12 : 0;
    return is_second(p) ? 0 : 6;
}

static Kind text(Json *json) {
    const unsigned char *p = json->p + 1;
    Kind kind = PLAIN;
    for (;;) {
        p = next_mark(p, json->end);
        int size = 0;
        if (*p == '"')
            break;
        if (*p == '\\') {
            kind = ESCAPED;
            size = escape(p);
        } else if (*p >= 0x80)
            size = character(p);
        if (size == 0)
            return ODD;
        p += size;
    }
    json->p = p + 1;
    return kind;
}

/* The same; most texts are short, and end where their first mark is. */
static inline Kind short_text(Json *json) {
#ifdef __SSE2__
    const unsigned char *p = json->p + 1;
    if (json->end - p >= 16) {
        const unsigned found = wide_marks(p);
        const unsigned char *at = p + (found != 0 ? __builtin_ctz(found) : 0);
        if (found != 0 && *at == '"') {
            json->p = at + 1;
            return PLAIN;
        }
    }
#endif
    return text(json);
}

static const unsigned char *digits(const unsigned char *p, int most) {
    const unsigned char *start = p;
    while (is_digit(*p))
        p++;
    return p == start || p - start > most ? NULL : p;
}

/* A number that a float holds for sure; others are left to the strict reader. */
static Kind number(Json *json) {
    const unsigned char *p = json->p;
    Kind kind = WHOLE;
    p += *p == '-';
    if (*p == '0')
        p++;
    else if ((p = digits(p, 18)) == NULL)
        return ODD;
    if (*p == '.') {
        kind = DECIMAL;
        if ((p = digits(p + 1, 17)) == NULL)
            return ODD;
    }
    if (*p == 'e' || *p == 'E') {
        kind = DECIMAL;
        p++;
        p += *p == '-' || *p == '+';
        if ((p = digits(p, 2)) == NULL)
            return ODD;
    }
    json->p = p;
    return kind;
}

static inline Kind word(Json *json, const char *name, int size, Kind kind) {
    if (json->end - json->p < size || memcmp(json->p, name, size) != 0)
        return ODD;
    json->p += size;
    return kind;
}

/* Passes over a sign between blanks; 0 where another stands there. */
static inline int sign(Json *json, unsigned char wanted) {
    if (*json->p != wanted) {
        json_blanks(json);
        if (*json->p != wanted)
            return 0;
    }
    json->p++;
    json->p += *json->p == ' '; /* one blank is usual */
    if (*json->p <= ' ')
        json_blanks(json);
    return 1;
}

static Kind list(Json *json, int depth) {
    Kind kind = TEXTS;
    if (sign(json, '['), *json->p == ']') {
        json->p++;
        return kind;
    }
    do {
        const Kind part = *json->p == '"' ? short_text(json) : json_value(json, -1, depth);
        if (part == ODD)
            return ODD;
        if (part != PLAIN)
            kind = LIST;
    } while (sign(json, ','));
    if (*json->p != ']')
        return ODD;
    json->p++;
    return kind;
}

/* The step of a key beneath another; where it has none of its own, the step for any other key, if there is one. */
static int step_of(const Json *json, const Key *key, int step) {
    int other = -1;
    if (step >= 0)
        for (step = json->steps[step].inner; step >= 0; step = json->steps[step].next) {
            if (json->steps[step].size == key->size && memcmp(json->steps[step].key, key->at, key->size) == 0)
                break;
            if (is_other(&json->steps[step]))
                other = step;
        }
    return step >= 0 ? step : other;
}

/* Reads a key that is new to its object, whose keys begin at `first`, up to its value; 0 where it is none; escapes are
   not looked into. */
static int new_key(Json *json, Py_ssize_t first, Py_ssize_t object, int above, int *step) {
    const unsigned char *start = json->p;
    if (*start != '"' || text(json) != PLAIN || json->keys == MOST_KEYS)
        return 0;
    const Key found = {(const char *)start + 1, json->p - start - 2};
    for (Py_ssize_t i = first; i < json->keys; i++)
        if (json->known[i].size == found.size && memcmp(json->known[i].at, found.at, found.size) == 0)
            return 0;
    json->known[json->keys++] = found;
    if (!sign(json, ':'))
        return 0;
    *step = step_of(json, &found, above);
    if (json->met < MOST_KEYS)
        json->past[json->met++] = (Past){start, found.size, json->p - start, object, above, *step};
    return 1;
}

/* Whether so many bytes are the same; both have `room` bytes or more. Keys are short: no call is worth it. */
static inline int same_bytes(const unsigned char *a, const unsigned char *b, Py_ssize_t size, Py_ssize_t room) {
#ifdef __SSE2__
    for (; room >= 16; a += 16, b += 16, size -= 16, room -= 16) {
        const __m128i x = _mm_loadu_si128((const __m128i *)a), y = _mm_loadu_si128((const __m128i *)b);
        const unsigned equal = _mm_movemask_epi8(_mm_cmpeq_epi8(x, y));
        if (size <= 16)
            return (~equal & ((1u << size) - 1)) == 0;
        if (equal != 0xFFFF)
            return 0;
    }
#endif
    return size <= room && memcmp(a, b, size) == 0;
}

/* The same. Where all keys so far were those of the line before, in the same objects, one that is again the same needs no
   second look: it was new to its object there. An object with a key is known by how many keys stood before it. */
static inline int key(Json *json, Py_ssize_t first, Py_ssize_t object, int above, int *step) {
    const Past *past = &json->past[json->met];
    json->alike = json->alike && json->met < json->before && past->object == object && past->above == above &&
                  same_bytes(json->p, past->at, past->whole, json->end - json->p);
    if (!json->alike)
        return new_key(json, first, object, above, step);
    json->known[json->keys++] = (Key){(const char *)json->p + 1, past->size};
    json->p += past->whole;
    json->met++;
    *step = past->step;
    return 1;
}

static Kind object(Json *json, int step, int depth) {
    const Py_ssize_t first = json->keys, object = json->met;
    int inner = -1;
    if (sign(json, '{'), *json->p != '}') {
        do {
            if (!key(json, first, object, step, &inner) || json_value(json, inner, depth) == ODD)
                return ODD;
        } while (sign(json, ','));
        if (*json->p != '}')
            return ODD;
    }
    json->p++;
    json->keys = first;
    return OBJECT;
}

/* Notes for all paths that lead through a value that it is no object. */
static void beneath(Json *json, int step) {
    for (step = json->steps[step].inner; step >= 0; step = json->steps[step].next) {
        if (json->steps[step].column >= 0)
            json->columns[json->steps[step].column].kinds[json->row] = BENEATH;
        beneath(json, step);
    }
}

static Kind any(Json *json, int step, int depth) {
    switch (*json->p) {
    case '{': return depth < DEEPEST ? object(json, step, depth + 1) : ODD;
    case '[': return depth < DEEPEST ? list(json, depth + 1) : ODD;
    case 't': return word(json, "true", 4, TRUE_);
    case 'f': return word(json, "false", 5, FALSE_);
    case 'n': return word(json, "null", 4, NOTHING);
    default: return number(json);
    }
}

Kind json_value(Json *json, int step, int depth) {
    const unsigned char *start = json->p;
    const Kind kind = *start == '"' ? short_text(json) : any(json, step, depth);
    if (step < 0 || kind == ODD)
        return kind;
    if (json->steps[step].column >= 0) {
        Column *column = &json->columns[json->steps[step].column];
        const int quoted = kind == PLAIN || kind == ESCAPED;
        column->starts[json->row] = (uint32_t)(start - json->data + quoted);
        column->sizes[json->row] = (uint32_t)(json->p - start - 2 * quoted);
        column->kinds[json->row] = kind;
    }
    if (json->steps[step].inner >= 0 && kind != OBJECT && kind != NOTHING && !is_other(&json->steps[step]))
        beneath(json, step);
    return kind;
}
