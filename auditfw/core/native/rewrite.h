/* Included once for each width of a character. Each function writes at most as many characters as it reads, gives
   their number, and UNCHANGED where the text stays as it is. */

/* What a character beyond ASCII becomes; NOT_ONE where that is not one character of this width. */
static inline Py_UCS4 F(changed)(Py_UCS4 c, int fold) {
    if (fold)
        return folds_to_itself(c) ? c : NOT_ONE;
    const Py_UCS4 low = Py_UNICODE_TOLOWER(c);
    return c == DOTTED_I || c == SIGMA || (Py_UCS4)(CH)low != low ? NOT_ONE : low;
}

static Py_ssize_t F(lower)(const CH *s, Py_ssize_t n, CH *out, int fold) {
    CH changed = 0;
    for (Py_ssize_t i = 0; i < n; i += BLOCK) {
        const int size = (int)Py_MIN(BLOCK, n - i);
        CH any = 0;
        if (size == BLOCK) /* a fixed number of turns, which compilers make wide */
            for (int j = 0; j < BLOCK; j++) {
                const CH c = s[i + j], up = (CH)(((CH)(c - 'A') < 26) << 5);
                out[i + j] = c | up;
                changed |= up;
                any |= c;
            }
        else
            for (int j = 0; j < size; j++) {
                const CH c = s[i + j], up = (CH)(((CH)(c - 'A') < 26) << 5);
                out[i + j] = c | up;
                changed |= up;
                any |= c;
            }
        for (int j = 0; any >= 128 && j < size; j++) {
            const Py_UCS4 c = s[i + j], made = c < 128 ? out[i + j] : F(changed)(c, fold);
            if (made == NOT_ONE)
                return OTHERWISE;
            out[i + j] = (CH)made;
            changed |= made != c;
        }
    }
    return changed ? n : UNCHANGED;
}

static Py_ssize_t F(collapse)(const CH *s, Py_ssize_t n, CH *out) {
    Py_ssize_t size = 0;
    int blank = 0, changed = 0;
    for (Py_ssize_t i = 0; i < n; i++) {
        const int space = Py_UNICODE_ISSPACE(s[i]);
        if (!space)
            out[size++] = s[i];
        else if (!blank)
            out[size++] = ' ';
        changed |= space && (blank || s[i] != ' ');
        blank = space;
    }
    return changed ? size : UNCHANGED;
}

/* Whether any of the characters is beyond ASCII: raised and lowered digits are. */
static inline int F(foreign)(const CH *s, Py_ssize_t size) {
    CH any = 0;
    if (size == BLOCK) /* a fixed number of turns, which compilers make wide */
        for (int j = 0; j < BLOCK; j++)
            any |= s[j];
    else
        for (Py_ssize_t j = 0; j < size; j++)
            any |= s[j];
    return any >= 128;
}

static Py_ssize_t F(digits)(const CH *s, Py_ssize_t n, CH *out) {
    Py_ssize_t done = 0; /* how much is copied: nothing before the first change */
    for (Py_ssize_t i = 0; i < n; i += BLOCK) {
        const Py_ssize_t size = Py_MIN(BLOCK, n - i);
        if (!F(foreign)(s + i, size))
            continue;
        for (Py_ssize_t j = i; j < i + size; j++) {
            const Py_UCS4 digit = s[j] < 128 ? s[j] : plain_digit(s[j]);
            if (digit == s[j])
                continue;
            memcpy(out + done, s + done, (j - done) * sizeof(CH));
            out[j] = (CH)digit;
            done = j + 1;
        }
    }
    if (done == 0)
        return UNCHANGED;
    memcpy(out + done, s + done, (n - done) * sizeof(CH));
    return n;
}

static inline int F(letter)(CH c) { return c >= 'a' && c <= 'z'; }

/* Whether a dot stands between two single letters: neither touches another word character. */
static inline int F(dropped)(const CH *s, Py_ssize_t n, Py_ssize_t at) {
    return s[at] == '.' && at > 0 && at + 1 < n && F(letter)(s[at - 1]) && F(letter)(s[at + 1])
        && (at < 2 || !is_word(s[at - 2])) && (at + 2 >= n || !is_word(s[at + 2]));
}

/* Writes a stretch after `size` characters, and gives the new size. */
static inline Py_ssize_t F(copied)(CH *out, Py_ssize_t size, const CH *s, Py_ssize_t start, Py_ssize_t end) {
    memcpy(out + size, s + start, (end - start) * sizeof(CH));
    return size + (end - start);
}

static Py_ssize_t F(undot)(const CH *s, Py_ssize_t n, CH *out) {
    Py_ssize_t size = 0, start = 0;
    for (Py_ssize_t at = F(next)(s, n, '.', 0); at >= 0; at = F(next)(s, n, '.', at + 1))
        if (F(dropped)(s, n, at)) {
            size = F(copied)(out, size, s, start, at);
            start = at + 1;
        }
    return start ? F(copied)(out, size, s, start, n) : UNCHANGED;
}

static Py_ssize_t F(replace)(const CH *s, Py_ssize_t n, CH *out, const Set *set, CH by) {
    int changed = 0;
    for (Py_ssize_t i = 0; i < n; i++) {
        const int found = in_set(set, s[i]);
        out[i] = found ? by : s[i];
        changed |= found;
    }
    return changed ? n : UNCHANGED;
}

static Py_ssize_t F(remove)(const CH *s, Py_ssize_t n, CH *out, const Set *set) {
    Py_ssize_t size = 0;
    for (Py_ssize_t i = 0; i < n; i++) {
        out[size] = s[i];
        size += !in_set(set, s[i]);
    }
    return size < n ? size : UNCHANGED;
}

/* The end of the first of the words that stands here by itself, or -1. */
static Py_ssize_t F(word_end)(const CH *s, Py_ssize_t n, Py_ssize_t at, const Op *op) {
    for (Py_ssize_t i = 0; i < op->count; i++) {
        const CH *word = op->words[i].as[W];
        const Py_ssize_t end = at + op->words[i].size;
        if (word != NULL && end <= n && word[0] == s[at] && (end == n || !is_word(s[end]))
            && memcmp(s + at, word, (end - at) * sizeof(CH)) == 0)
            return end;
    }
    return -1;
}

static Py_ssize_t F(words)(const CH *s, Py_ssize_t n, CH *out, const Op *op) {
    Py_ssize_t size = 0, start = 0;
    int before = 0;
    for (Py_ssize_t i = 0; i < n; i++) {
        const int word = is_word(s[i]);
        const Py_ssize_t end = !before && in_set(&op->set, s[i]) ? F(word_end)(s, n, i, op) : -1;
        before = word;
        if (end < 0)
            continue;
        size = F(copied)(out, size, s, start, i);
        out[size++] = ' ';
        start = end;
        before = is_word(s[end - 1]);
        i = end - 1;
    }
    return start ? F(copied)(out, size, s, start, n) : UNCHANGED;
}

static Py_ssize_t F(rewrite)(const Op *op, const CH *s, Py_ssize_t n, CH *out) {
    switch (op->code) {
    case LOWER: return F(lower)(s, n, out, 0);
    case CASEFOLD: return F(lower)(s, n, out, 1);
    case COLLAPSE: return F(collapse)(s, n, out);
    case DIGITS: return F(digits)(s, n, out);
    case UNDOT: return F(undot)(s, n, out);
    case REPLACE: return F(replace)(s, n, out, &op->set, (CH)op->by);
    case REMOVE: return F(remove)(s, n, out, &op->set);
    default: return F(words)(s, n, out, op);
    }
}
