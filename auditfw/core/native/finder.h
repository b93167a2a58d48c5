/* Included once for each width of a character: CH is its type, F(name) the name with the width. */

/* Whether the text matches from a node at a place; the end is left in the search. -1: given up. */
static int F(match)(Search *f, int number, Py_ssize_t at) {
    const CH *s = f->s;
    int outcome = -1;
    if (++f->depth > DEEPEST)
        return -1;
    for (;;) {
        const Node *node = &f->nodes[number];
        if (--f->budget < 0)
            goto done;
        switch (node->op) {
        case ACCEPT: f->end = at; outcome = 1; goto done;
        case CHARACTER:
            if (at >= f->size || s[at] != (Py_UCS4)node->a)
                goto differs;
            at++;
            break;
        case ONE:
            if (at >= f->size || !has(f, node->a, s[at]))
                goto differs;
            at++;
            break;
        case MANY: outcome = F(repeat)(f, node, at); goto done;
        case FORK:
            if ((outcome = F(match)(f, node->a, at)) != 0)
                goto done;
            number = node->b;
            continue;
        case SAVE: {
            const Py_ssize_t before = f->saved[node->a];
            f->saved[node->a] = at;
            if ((outcome = F(match)(f, node->next, at)) == 0)
                f->saved[node->a] = before;
            goto done;
        }
        case START: if (at != 0) goto differs; break;
        case END: if (at != f->size) goto differs; break;
        case LINE_START: if (at != 0 && s[at - 1] != '\n') goto differs; break;
        case LINE_END: if (at != f->size && s[at] != '\n') goto differs; break;
        case TEXT_END:
            if (at != f->size && (at != f->size - 1 || s[at] != '\n'))
                goto differs;
            break;
        case EDGE: {
            const int before = at > 0 && has(f, node->a, s[at - 1]), after = at < f->size && has(f, node->a, s[at]);
            if ((before != after) != node->b)
                goto differs;
            break;
        }
        case LOOK: {
            const int found = at < node->min ? 0 : F(match)(f, node->a, at - node->min);
            if (found < 0)
                goto done;
            if (found == node->b)
                goto differs;
            break;
        }
        case AGAIN: {
            const Py_ssize_t from = f->saved[2 * node->a], to = f->saved[2 * node->a + 1];
            if (from < 0 || to < 0 || at + to - from > f->size || memcmp(s + from, s + at, (to - from) * sizeof(CH)))
                goto differs;
            at += to - from;
            break;
        }
        }
        number = node->next;
    }
differs:
    outcome = 0;
done:
    f->depth--;
    return f->failed ? -1 : outcome;
}

/* A character repeated: as often as can be and then less often, or the other way round. */
static int F(repeat)(Search *f, const Node *node, Py_ssize_t at) {
    const CH *s = f->s;
    Py_ssize_t most = f->size - at, n = 0;
    if (node->max >= 0 && node->max < most)
        most = node->max;
    if (node->b) { /* greedy */
        while (n < most && has(f, node->a, s[at + n]))
            n++;
        f->budget -= n;
        for (; n >= node->min; n--) {
            const int found = F(match)(f, node->next, at + n);
            if (found != 0)
                return found;
        }
        return 0;
    }
    while (n < node->min && n < most && has(f, node->a, s[at + n]))
        n++;
    if (n < node->min)
        return 0;
    for (;; n++) {
        const int found = F(match)(f, node->next, at + n);
        if (found != 0)
            return found;
        if (n >= most || !has(f, node->a, s[at + n]))
            return 0;
    }
}

/* Whether a match may begin at a place, by the characters there. */
static inline int F(may_begin)(const Finder *finder, const CH *s, Py_ssize_t at) {
    return (s[at] < 128 ? finder->begins[s[at]] : finder->foreign)
        && (!finder->at_lines || at == 0 || s[at - 1] == '\n');
}

/* The same where every match begins with several characters: these are read from their end, all ways at once, so that
   most characters of the text are never looked at (Navarro and Raffinot's BNDM with sets of characters). */
static Py_ssize_t F(window)(const Finder *finder, const CH *s, Py_ssize_t size, Py_ssize_t at, Py_ssize_t stop) {
    const int ahead = finder->ahead;
    const unsigned whole = 1u << (ahead - 1), all = 2 * whole - 1;
    stop = Py_MIN(stop, size - ahead + 1);
    while (at < stop) {
        unsigned ways = all;
        int read = ahead, jump = ahead;
        while (ways) {
            const CH c = s[at + --read];
            ways &= c < 128 ? finder->places[c] : all;
            if (ways & whole) {
                if (read == 0)
                    return at;
                jump = read;
            }
            ways = ways << 1 & all;
        }
        at += jump;
    }
    return PY_SSIZE_T_MAX;
}

/* The next place at which a match may begin; `stop` where there is none before it. */
static Py_ssize_t F(candidate)(const Finder *finder, const CH *s, Py_ssize_t size, Py_ssize_t at, Py_ssize_t stop) {
    if (finder->lead >= 0) {
        at = finder->lead == (CH)finder->lead ? F(next)(s, size, (CH)finder->lead, at) : -1;
        return at < 0 || at > stop ? stop : at;
    }
    if (finder->at_lines) {
        while (at < stop && !F(may_begin)(finder, s, at)) {
            at = F(next)(s, size, '\n', at) + 1;
            if (at == 0)
                return stop;
        }
        return Py_MIN(at, stop);
    }
    if (finder->ahead > 1)
        return Py_MIN(F(window)(finder, s, size, at, stop), stop);
    while (at < stop && !F(may_begin)(finder, s, at))
        at++;
    return at;
}

/* The first match that begins in a stretch of the text; its bounds are the first two places saved. */
static int F(first)(Search *f, Py_ssize_t from, Py_ssize_t stop) {
    const Finder *finder = f->finder;
    const CH *s = f->s;
    if (finder->at_start)
        stop = Py_MIN(stop, 1);
    for (Py_ssize_t at = from; at < stop; at++) {
        at = F(candidate)(finder, s, f->size, at, stop);
        if (at >= stop)
            return 0;
        const int found = F(match)(f, finder->begin, at);
        if (found != 0) {
            f->saved[0] = at;
            f->saved[1] = f->end;
            return found;
        }
        /* what begins with an endless repeat and fails here, fails in all that it repeats */
        while (finder->endless >= 0 && at + 1 < stop && has(f, finder->endless, s[at]))
            at++;
    }
    return 0;
}

/* The last of all matches in a stretch of the text, each behind the one before it. */
static int F(every)(Search *f, Py_ssize_t *saved, Py_ssize_t from, Py_ssize_t stop) {
    int any = 0, found;
    for (; (found = F(first)(f, from, stop)) == 1; from = saved[1]) {
        memcpy(saved, f->saved, sizeof f->saved);
        any = 1;
        forget(f);
    }
    return found < 0 ? -1 : any;
}

/* The last of all matches. A match is a run of characters that matches are made of, or a part of one: so the last one is
   in the last run that has any. What begins with several letters is found sooner from the start. */
static int F(last)(Search *f, Py_ssize_t *saved) {
    const Finder *finder = f->finder;
    const CH *s = f->s;
    Py_ssize_t stop = f->size;
    if (finder->ahead > 2 || finder->at_start || finder->at_lines)
        return F(every)(f, saved, 0, stop);
    while (stop > 0) {
        while (stop > 0 && !F(may_begin)(finder, s, stop - 1))
            stop--;
        Py_ssize_t start = stop;
        while (start > 0 && (s[start - 1] >= 128 || finder->within[s[start - 1]]))
            start--;
        const int found = F(every)(f, saved, start, stop);
        if (found != 0)
            return found;
        stop = start;
    }
    return 0;
}
