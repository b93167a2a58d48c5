/* Included once for each width of a character: CH is its type, F(name) the name with the width.
   The length of a text in tokens, and the text with its answer taken out, as auditfw/formulas/texts/masks.py defines
   it: 64 characters are classified at once. */

/* Of 64 characters how many are neither letters nor blanks, or are line ends, and the class of each; where not all
   classes are asked for, letters alone. */
static inline __attribute__((always_inline)) int F(classify)(const CH *s, unsigned char classes[SPAN], const int all) {
    unsigned char counted[SPAN];
    int count = 0;
    CH any = 0;
    for (int i = 0; i < SPAN; i++) {
        const CH c = s[i], low = c | 32;
        const unsigned char letter = (CH)(low - 'a') < 26, digit = (CH)(c - '0') < 10;
        const unsigned char blank = (c == ' ') | ((CH)(c - 9) < 5) | ((CH)(c - 0x1C) < 4) | (c == 0x85) | (c == 0xA0);
        classes[i] = letter << LETTER;
        if (all)
            classes[i] |= ((CH)(c - 'A') < 10) << OPTION | ((low == 'y') | (low == 'n')) << YES_NO | digit << DIGIT;
        counted[i] = !(letter | blank) | (c == '\n');
        any |= c;
    }
    for (int i = 0; i < SPAN; i++)
        count += counted[i];
    for (int i = 0; (Py_UCS4)any > 0xFF && i < SPAN; i++) {
        count -= s[i] > 0xFF && s[i] <= LAST_BLANK && Py_UNICODE_ISSPACE(s[i]);
        classes[i] |= all && s[i] > 0xFF && Py_UNICODE_ISDECIMAL(s[i]) ? 1 << DIGIT : 0;
    }
    return count;
}

/* The same of what is left of a text from a place on, with blanks after its end. */
static inline __attribute__((always_inline)) int F(classes_at)(
    const CH *s, Py_ssize_t n, Py_ssize_t at, unsigned char classes[SPAN], const int all) {
    if (n - at >= SPAN)
        return F(classify)(s + at, classes, all);
    CH room[SPAN];
    for (int i = 0; i < SPAN; i++)
        room[i] = i < n - at ? s[at + i] : ' ';
    return F(classify)(room, classes, all);
}

/* About how many tokens a text has: of each run of letters every sixth is marked, whatever span it stands in. */
static Py_ssize_t F(tokens)(const CH *s, Py_ssize_t n) {
    unsigned char classes[SPAN];
    uint64_t before = 0, before_two = 0, before_four = 0, marked = 0;
    Py_ssize_t count = 0;
    for (Py_ssize_t at = 0; at < n; at += SPAN) {
        count += F(classes_at)(s, n, at, classes, 0);
        const uint64_t letters = bits_of(classes, LETTER), two = letters & (letters << 1 | before >> 63);
        const uint64_t four = two & (two << 2 | before_two >> 62), seven = four & (four << 3 | before_four >> 61);
        marked = (letters & ~two) | (marked >> 58 & seven);
        for (uint64_t next = marked << 6 & seven; next != 0; next = next << 6 & seven)
            marked |= next;
        count += __builtin_popcountll(marked);
        before = letters, before_two = two, before_four = four;
    }
    return count;
}

/* Copies a text with one piece taken out wherever it stands; `made` may be the text. Gives the length. */
static Py_ssize_t F(without)(const CH *s, Py_ssize_t n, const CH *piece, Py_ssize_t size, CH *made) {
    Py_ssize_t filled = 0, from = 0, at;
    while ((at = F(seek)(s, n, piece, size, from)) >= 0) {
        memmove(made + filled, s + from, (at - from) * sizeof(CH));
        filled += at - from;
        made[filled++] = GAP;
        from = at + size;
    }
    memmove(made + filled, s + from, (n - from) * sizeof(CH));
    return filled + n - from;
}

/* Where a number ends. */
static Py_ssize_t F(past_number)(const CH *s, Py_ssize_t n, Py_ssize_t at) {
    while (at < n && (s[at] == ',' || is_decimal(s[at])))
        at++;
    if (at + 1 < n && s[at] == '.' && is_decimal(s[at + 1]))
        for (at++; at < n && is_decimal(s[at]);)
            at++;
    return at;
}

static inline int F(lettered)(const CH *s, Py_ssize_t n, Py_ssize_t at) {
    return at >= 0 && at + 2 < n && s[at] == '(' && s[at + 1] >= 'A' && s[at + 1] <= 'J' && s[at + 2] == ')';
}

/* Whether a letter, which is none of an ASCII word, is one of an option: not in a contraction, and no article. */
static int F(stands_alone)(const CH *s, Py_ssize_t n, Py_ssize_t at) {
    const Py_UCS4 before = at > 0 ? s[at - 1] : 0, after = at + 1 < n ? s[at + 1] : 0;
    if (before == '\'' || after == '\'' || (after < 128 && Py_ISALPHA(after)))
        return 0;
    return s[at] != 'A' || after != ' ' || at + 2 >= n || s[at + 2] < 'a' || s[at + 2] > 'z';
}

/* Where yes or no ends that begins here, `before` what is written before it; 0 where it is not a word of its own. */
static Py_ssize_t F(past_yes_no)(const CH *s, Py_ssize_t n, Py_ssize_t at, Py_UCS4 before) {
    const int yes = (s[at] | 32) == 'y', size = yes ? 3 : 2;
    if (at + size > n || is_word(before) || (s[at + 1] | 32) != (yes ? 'e' : 'o')
        || (yes && (s[at + 2] | 32) != 's' && (Py_UCS4)s[at + 2] != LONG_S))
        return 0;
    at += size; /* numbers and letters were taken out before: what begins so is part of the word */
    if (at < n && (is_word(s[at]) || (s[at] == '-' && at + 1 < n && is_decimal(s[at + 1])) || F(lettered)(s, n, at)))
        return 0;
    return at;
}

/* Copies a text with numbers, letters of options, yes and no taken out; `made` may be the text. Gives the length. */
static Py_ssize_t F(masked)(const CH *s, Py_ssize_t n, CH *made) {
    unsigned char classes[SPAN];
    Py_ssize_t filled = 0, from = 0;
    uint64_t before = 0;
    for (Py_ssize_t start = 0; start < n; start += SPAN) {
        F(classes_at)(s, n, start, classes, 1);
        const uint64_t letters = bits_of(classes, LETTER), first = letters & ~(letters << 1 | before >> 63);
        uint64_t wanted = (first & ~(letters >> 1) & bits_of(classes, OPTION)) | (first & bits_of(classes, YES_NO))
            | bits_of(classes, DIGIT);
        before = letters;
        for (; wanted != 0; wanted &= wanted - 1) {
            const Py_ssize_t at = start + __builtin_ctzll(wanted);
            Py_ssize_t begun = at, end = 0;
            if (at < from)
                continue;
            const int digit = is_decimal(s[at]);
            if (digit) {
                begun -= at > from && s[at - 1] == '-';
                end = F(past_number)(s, n, at);
            } else if (s[at] >= 'A' && s[at] <= 'J') {
                if (F(lettered)(s, n, at - 1))
                    begun--, end = at + 2;
                else if (F(stands_alone)(s, n, at))
                    end = at + 1;
            } else
                end = F(past_yes_no)(s, n, at, at > from ? s[at - 1] : filled > 0 ? made[filled - 1] : ' ');
            if (end == 0)
                continue;
            memmove(made + filled, s + from, (begun - from) * sizeof(CH));
            filled += begun - from;
            made[filled++] = digit ? '0' : GAP;
            from = end;
        }
    }
    memmove(made + filled, s + from, (n - from) * sizeof(CH));
    return filled + n - from;
}

/* Writes a text in UTF-8, half a character as a question mark. Gives the bytes. */
static Py_ssize_t F(utf8)(const CH *s, Py_ssize_t n, unsigned char *made) {
    unsigned char *p = made;
    for (Py_ssize_t i = 0; i < n;) {
        const Py_ssize_t end = Py_MIN(i + BLOCK, n);
        CH any = 0;
        for (int j = 0; end - i == BLOCK && j < BLOCK; j++)
            any |= s[i + j];
        if (end - i == BLOCK && any < 0x80) {
            for (int j = 0; j < BLOCK; j++)
                p[j] = (unsigned char)s[i + j];
            p += BLOCK;
            i = end;
        }
        for (; i < end; i++) {
            const Py_UCS4 c = s[i];
            if (c < 0x80)
                *p++ = (unsigned char)c;
            else if (c < 0x800)
                *p++ = 0xC0 | c >> 6, *p++ = 0x80 | (c & 63);
            else if (c >= 0xD800 && c < 0xE000)
                *p++ = '?';
            else if (c < 0x10000)
                *p++ = 0xE0 | c >> 12, *p++ = 0x80 | (c >> 6 & 63), *p++ = 0x80 | (c & 63);
            else
                *p++ = 0xF0 | c >> 18, *p++ = 0x80 | (c >> 12 & 63), *p++ = 0x80 | (c >> 6 & 63), *p++ = 0x80 | (c & 63);
        }
    }
    return p - made;
}

/* Has a text hashed; -1 with an error set. */
static int F(hash)(const CH *s, Py_ssize_t n, Jobs *jobs, char *hash) {
    unsigned char *room = jobs_room(jobs, n * (sizeof(CH) == 1 ? 2 : sizeof(CH) == 2 ? 3 : 4) + 1);
    if (room == NULL)
        return -1;
    jobs_add(jobs, F(utf8)(s, n, room), hash);
    return 0;
}

/* The same of a long piece, in linear time whatever both are: as str.replace does it. -1 with an error set. */
static Py_ssize_t F(without_long)(const CH *s, Py_ssize_t n, PyObject *piece, CH *made) {
    PyObject *text = PyUnicode_FromKindAndData(sizeof(CH), s, n), *gap = PyUnicode_FromOrdinal(GAP), *told = NULL;
    if (text != NULL && gap != NULL)
        told = PyUnicode_Replace(text, piece, gap, -1);
    n = told == NULL ? -1 : PyUnicode_GET_LENGTH(told);
    for (Py_ssize_t i = 0; i < n; i++)
        made[i] = (CH)PyUnicode_READ_CHAR(told, i);
    Py_XDECREF(text);
    Py_XDECREF(gap);
    Py_XDECREF(told);
    return n;
}

/* Takes one text out of the body wherever it stands; the body is then in `room`. -1 with an error set. */
static int F(take_out)(const CH **s, Py_ssize_t *n, PyObject *given, Rooms *rooms, CH *room) {
    if (given == Py_None)
        return 0;
    if (!PyUnicode_Check(given))
        return PyErr_SetString(PyExc_TypeError, "expected truths and answers that are texts"), -1;
    const Py_ssize_t size = PyUnicode_GET_LENGTH(given);
    if (size < 2 || size > *n || WIDTH(given) > W)
        return 0;
    if (size > MOST_PIECE && size < *n) {
        *n = F(without_long)(*s, *n, given, room);
        *s = room;
        return *n < 0 ? -1 : 0;
    }
    CH *piece = PyUnicode_DATA(given);
    if (WIDTH(given) < W) {
        if ((piece = room_of(&rooms->piece, size * sizeof(CH))) == NULL)
            return -1;
        for (Py_ssize_t i = 0; i < size; i++)
            piece[i] = (CH)PyUnicode_READ_CHAR(given, i);
    }
    if (F(seek)(*s, *n, piece, size, 0) >= 0) {
        *n = F(without)(*s, *n, piece, size, room);
        *s = room;
    }
    return 0;
}
