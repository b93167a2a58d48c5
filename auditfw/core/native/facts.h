/* Included once for each width of a character: CH is its type, F(name) the name with the width.
   What a text shows, as auditfw/formulas/texts/endings.py defines it. */
#include "masks.h"

static inline int F(stands_at)(const CH *s, Py_ssize_t n, Py_ssize_t at, const Literal *wanted) {
    const CH *as = wanted->as[W];
    return as != NULL && at >= 0 && at + wanted->size <= n && memcmp(s + at, as, wanted->size * sizeof(CH)) == 0;
}

/* The same in whatever case. */
static inline int F(stands_low)(const CH *s, Py_ssize_t n, Py_ssize_t at, const Literal *wanted) {
    const CH *as = wanted->as[W];
    if (as == NULL || at + wanted->size > n)
        return 0;
    for (Py_ssize_t i = 0; i < wanted->size; i++)
        if (low_of(s[at + i]) != as[i])
            return 0;
    return 1;
}

static inline int F(starts)(const CH *s, Py_ssize_t n, Py_ssize_t at, const char *ascii) {
    while (*ascii != 0 && at < n && s[at] == (CH)*ascii)
        at++, ascii++;
    return *ascii == 0;
}

static inline Py_ssize_t F(past_blanks)(const CH *s, Py_ssize_t n, Py_ssize_t at) {
    while (at < n && Py_UNICODE_ISSPACE(s[at]))
        at++;
    return at;
}

/* Where the blanks end before which nothing else stands. */
static inline Py_ssize_t F(before_blanks)(const CH *s, Py_ssize_t end) {
    while (end > 0 && Py_UNICODE_ISSPACE(s[end - 1]))
        end--;
    return end;
}

static Py_ssize_t F(body)(const CH *s, Py_ssize_t n, const Words *words) {
    for (;;) {
        while (n > 0 && in_set(&words->blanks, s[n - 1]))
            n--;
        Py_ssize_t i = n > 0 && s[n - 1] == '>' ? 0 : words->ends.count;
        while (i < words->ends.count && !F(stands_at)(s, n, n - words->ends.all[i].size, &words->ends.all[i]))
            i++;
        if (i == words->ends.count)
            return n;
        n -= words->ends.all[i].size;
    }
}

/* Whether a thought is open; where the last one of the first kind ends goes to `after`, 0 where none does. */
static int F(thinks)(const CH *s, Py_ssize_t n, const Words *words, Py_ssize_t *after) {
    static const Py_UCS4 firsts[] = {'<', '[', 0x25C1};
    const Literal *all = words->thoughts.all;
    Py_ssize_t last[MOST_THOUGHTS];
    memset(last, -1, sizeof last);
    for (int k = 0; k < 3; k++)
        for (Py_ssize_t at = (CH)firsts[k] == firsts[k] ? F(next)(s, n, (CH)firsts[k], 0) : -1; at >= 0;
             at = F(next)(s, n, (CH)firsts[k], at + 1))
            for (Py_ssize_t i = 0; i < words->thoughts.count; i++)
                if (all[i].as[W] != NULL && *(const CH *)all[i].as[W] == s[at] && F(stands_low)(s, n, at, &all[i]))
                    last[i] = at;
    *after = last[1] < 0 ? 0 : last[1] + all[1].size;
    for (Py_ssize_t i = 0; i < words->thoughts.count; i += 2)
        if (last[i] > last[i + 1])
            return 1;
    return 0;
}

static int F(in_fence)(const CH *s, Py_ssize_t n) {
    Py_UCS4 mark = 0;
    Py_ssize_t size = 0;
    if (closes(s[n - 1]) || (F(next)(s, n, '`', 0) < 0 && F(next)(s, n, '~', 0) < 0))
        return 0;
    for (Py_ssize_t start = 0, end; start < n; start = end + 1) {
        end = F(next)(s, n, '\n', start);
        end = end < 0 ? n : end;
        Py_ssize_t at = start;
        while (at < end && at < start + 3 && s[at] == ' ')
            at++;
        const Py_UCS4 sign = at < end ? s[at] : 0;
        const Py_ssize_t begun = at;
        while ((sign == '`' || sign == '~') && at < end && s[at] == sign)
            at++;
        if (at - begun < 3)
            continue;
        if (mark == 0)
            mark = sign, size = at - begun;
        else if (sign == mark && at - begun >= size && F(past_blanks)(s, end, at) == end)
            mark = 0;
    }
    return mark != 0;
}

static int F(in_json)(const CH *s, Py_ssize_t n) {
    Py_ssize_t at = F(past_blanks)(s, n, 0), more = at;
    while (more < n && s[more] == '`')
        more++;
    if (more - at >= 3) {
        while (more < n && (s[more] == ' ' || (s[more] < 128 && Py_ISALNUM(s[more]))))
            more++;
        if (more < n && s[more] == '\n')
            at = F(past_blanks)(s, n, more + 1);
    }
    if (at >= n || (s[at] != '{' && s[at] != '[') || closes(s[n - 1]))
        return 0;
    Py_ssize_t open = 0, depth = 0;
    int text = 0, closed = 0;
    for (; at < n; at++) {
        const int by = s[at] == '{' || s[at] == '[' ? 1 : s[at] == '}' || s[at] == ']' ? -1 : 0;
        open += by;
        if (text) {
            if (s[at] == '\\') {
                if (++at < n)
                    open += s[at] == '{' || s[at] == '[' ? 1 : s[at] == '}' || s[at] == ']' ? -1 : 0;
            } else
                text = s[at] != '"';
        } else if (s[at] == '"')
            text = 1;
        else if (by != 0 && (depth += by) == 0)
            closed = 1;
    }
    return open > 0 && !closed;
}

/* Counts one \begin{NAME} or \end{NAME} that stands at a place, if one does; -1 with an error set. */
static int F(count_environment)(const CH *s, Py_ssize_t n, Py_ssize_t at, PyObject **begun) {
    const int by = s[at + 1] == 'b' ? 1 : -1;
    const Py_ssize_t start = at + (by == 1 ? 7 : 5);
    Py_ssize_t end = start;
    if (!F(starts)(s, n, at, by == 1 ? "\\begin{" : "\\end{"))
        return 0;
    while (end < n && s[end] < 128 && Py_ISALPHA(s[end]))
        end++;
    if (end == start)
        return 0;
    end += end < n && s[end] == '*';
    if (end >= n || s[end] != '}')
        return 0;
    if (*begun == NULL && (*begun = PyDict_New()) == NULL)
        return -1;
    return count_name(*begun, PyUnicode_FromKindAndData(sizeof(CH), s + start, end - start), by);
}

static int F(box_open)(const CH *s, Py_ssize_t n, Py_ssize_t at) {
    Py_ssize_t depth = 0;
    for (; at < n; at++) {
        depth += s[at] == '{' ? 1 : s[at] == '}' ? -1 : 0;
        if (s[at] == '}' && depth == 0)
            return 0;
    }
    return 1;
}

/* Whether the last line holds an odd number of $, none doubled, and maths and no new sentence after the last of them. */
static int F(dollar_open)(const CH *s, Py_ssize_t n) {
    Py_ssize_t at = n;
    int odd = 0, maths = 0, stop = 0, sentence = 0;
    Py_UCS4 before = 0;
    if (F(next)(s, n, '$', 0) < 0)
        return 0;
    while (at > 0 && s[at - 1] != '\n')
        at--;
    for (; at < n; at++) {
        const Py_UCS4 c = s[at];
        if (c == '\\' && at + 1 < n && s[at + 1] == '$') {
            at++;
            continue;
        }
        if (c == '$') {
            if (before == '$')
                return 0;
            odd = !odd, maths = stop = sentence = 0;
        } else {
            maths |= c == '\\' || c == '^' || c == '_';
            sentence |= stop && c >= 'A' && c <= 'Z';
            stop = c == '.' || c == '!' || c == '?' || (stop && Py_UNICODE_ISSPACE(c));
        }
        before = c;
    }
    return odd && maths && !sentence;
}

static int F(in_latex)(const CH *s, Py_ssize_t n) {
    if (n >= 3 && s[n - 1] == '`' && s[n - 2] == '`' && s[n - 3] == '`')
        return 0;
    Py_ssize_t end = F(before_blanks)(s, n);
    if (end > 0 && s[end - 1] == '}' && (end = F(before_blanks)(s, end - 1)) > 0 && s[end - 1] == '"')
        return 0;
    Py_ssize_t box = -1, shown[2] = {-1, -1}, inline_[2] = {-1, -1};
    PyObject *begun = NULL;
    int failed = 0;
    for (Py_ssize_t at = F(next)(s, n, '\\', 0); at >= 0 && at + 1 < n && !failed; at = F(next)(s, n, '\\', at + 1))
        switch (s[at + 1]) {
        case '[': shown[0] = at; break;
        case ']': shown[1] = at; break;
        case '(': inline_[0] = at; break;
        case ')': inline_[1] = at; break;
        case 'b':
            if (F(starts)(s, n, at, "\\boxed{"))
                box = at;
            /* fall through */
        case 'e': failed = F(count_environment)(s, n, at, &begun) < 0; break;
        default: break;
        }
    int open = failed ? -1 : begun == NULL ? 0 : more_begun(begun);
    Py_XDECREF(begun);
    if (open == 0)
        open = (box >= 0 && F(box_open)(s, n, box + 6)) || shown[0] > shown[1] || inline_[0] > inline_[1]
            || F(dollar_open)(s, n);
    return open;
}

static int F(joins)(const CH *s, Py_ssize_t n, const Words *words) {
    if (in_set(&words->joining, s[n - 1]) && (n == 1 || s[n - 2] != s[n - 1]))
        return 1;
    char word[MOST_LETTERS + 1];
    Py_ssize_t size = 0, capitals = 0;
    while (size < n && size <= MOST_LETTERS && s[n - 1 - size] < 128 && Py_ISALPHA(s[n - 1 - size]))
        size++;
    if (n < SHORTEST || size == 0 || size > MOST_LETTERS || size == n || !Py_UNICODE_ISSPACE(s[n - 1 - size]))
        return 0;
    for (Py_ssize_t i = 0; i < size; i++) {
        word[i] = (char)Py_TOLOWER(s[n - size + i]);
        capitals += word[i] != (char)s[n - size + i];
    }
    if (!in_words(&words->functions, word, size))
        return 0;
    if (capitals != 1 || size == 1 || (char)s[n - size] == word[0])
        return capitals == 0;
    Py_ssize_t end = n - size;
    while (end > 0 && in_set(&words->blanks, s[end - 1]))
        end--;
    return end == 0 || s[end - 1] == '.' || s[end - 1] == '!' || s[end - 1] == '?' || s[end - 1] == ':';
}

/* How often a piece stands in a text, no place counted twice, up to so many times. */
static int F(often)(const CH *s, Py_ssize_t n, const CH *piece, Py_ssize_t size, int most) {
    int times = 0;
    for (Py_ssize_t at = 0; times < most && (at = F(seek)(s, n, piece, size, at)) >= 0; at += size)
        times++;
    return times;
}

static int F(recurs)(const CH *s, Py_ssize_t n) {
    return n >= TAIL * TIMES && F(often)(s, n, s + n - TAIL, TAIL, TIMES) == TIMES;
}

/* Whether the last characters recur, as they are or with every number a 0; `room` has WINDOW characters. */
static int F(loops)(const CH *s, Py_ssize_t n, CH *room) {
    const CH *end = s + n, *piece = end;
    Py_ssize_t longest = 0, run = 0, size = 0;
    s = n > WINDOW ? end - WINDOW : s;
    n = end - s;
    if (n < TAIL * TIMES || F(recurs)(s, n))
        return n >= TAIL * TIMES;
    for (const CH *p = end - TAIL; p < end; p++)
        if ((run = is_digit(*p) ? 0 : run + 1) > longest)
            longest = run, piece = p + 1 - run;
    if (longest == TAIL || (longest > 0 && F(often)(s, n, piece, longest, TIMES) < TIMES))
        return 0; /* what holds no digit recurs as it is, or not at all */
    for (Py_ssize_t i = 0; i < n; i++) {
        room[size] = is_digit(s[i]) ? '0' : s[i];
        size += !(is_digit(s[i]) && i > 0 && is_digit(s[i - 1]));
    }
    return F(recurs)(room, size);
}

/* Whether a text may be a refusal: it is short, and begins with some of the words that it takes. */
static int F(may_refuse)(const CH *s, Py_ssize_t n, Py_ssize_t after) {
    char first[EARLY + 1];
    const Py_ssize_t start = F(past_blanks)(s, n, after), end = F(before_blanks)(s, n);
    if (end - start > SHORT || start >= end)
        return 0;
    const Py_ssize_t size = Py_MIN(end - start, EARLY);
    for (Py_ssize_t i = 0; i < size; i++) {
        const Py_UCS4 c = s[start + i];
        if (c == 0x17F || c == 0x212A || c == 0x130 || c == 0x131)
            return 1; /* letters of ASCII in another case */
        first[i] = c == 0 ? 1 : c < 128 ? (char)Py_TOLOWER(c) : c == 0x2019 ? '\'' : OTHER;
    }
    first[size] = 0;
    return says_no(first);
}

static unsigned int F(signs)(const CH *s, Py_ssize_t n, const Words *words, CH *room, int *doubtful) {
    Py_ssize_t after;
    if (n == 0)
        return EMPTY;
    unsigned int shown = F(thinks)(s, n, words, &after) ? THINK : 0;
    const int latex = F(in_latex)(s, n);
    if (latex < 0)
        return ODD_SIGNS;
    shown |= (F(in_fence)(s, n) ? FENCE : 0) | (F(in_json)(s, n) ? JSON : 0) | (latex ? LATEX : 0);
    shown |= (F(joins)(s, n, words) ? JOINED : 0) | (F(loops)(s, n, room) ? LOOP : 0);
    *doubtful = F(may_refuse)(s, n, after);
    return shown;
}

static int F(facts)(const CH *s, Py_ssize_t n, PyObject *truth, PyObject *answer, const Words *words, Rooms *rooms, Facts *facts) {
    n = F(body)(s, n, words);
    CH *room = room_of(&rooms->text, Py_MAX(n, WINDOW) * sizeof(CH));
    const unsigned int signs = room == NULL ? ODD_SIGNS : F(signs)(s, n, words, room, &facts->doubtful);
    if (signs == ODD_SIGNS || F(hash)(s, n, &rooms->jobs, facts->text) < 0)
        return -1;
    facts->signs = (unsigned char)signs;
    facts->chars = (uint32_t)n;
    facts->tokens = (uint32_t)F(tokens)(s, n);
    const Py_ssize_t several = PyTuple_Check(truth) ? PyTuple_GET_SIZE(truth) : 1;
    for (Py_ssize_t i = 0; i < several; i++)
        if (F(take_out)(&s, &n, PyTuple_Check(truth) ? PyTuple_GET_ITEM(truth, i) : truth, rooms, room) < 0)
            return -1;
    if (F(take_out)(&s, &n, answer, rooms, room) < 0)
        return -1;
    n = F(masked)(s, n, room);
    facts->mask_chars = (uint32_t)n;
    return F(hash)(room, n, &rooms->jobs, facts->mask);
}
