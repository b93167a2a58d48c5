"""Answers and truths that are the same in another form: thousands separators, units, initials, dates, LaTeX."""
