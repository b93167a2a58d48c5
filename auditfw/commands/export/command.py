"""`auditfw export`: the tables and charts of a finished run as files to take away."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from auditfw.audits.paper import TITLE
from auditfw.commands.error_output import warn
from auditfw.commands.stored_run import read_result
from auditfw.commands.sweep.refusal import refuse_sweep
from auditfw.components.report.export.exhibits import Exported, exported, named, sections_of
from auditfw.components.report.export.formats import ENDINGS, file_text
from auditfw.core.document import Chart, Note, Section, Table, some
from auditfw.core.errors import DataError, UsageError, nearest
from auditfw.core.escaping import latex, log_line
from auditfw.core.files import guarded, present, read_text
from auditfw.core.result_json import write_whole

PAPER = "paper"
WRITE = "write auditfw export RUN [TABLE...] [format=csv|latex|svg] [out=FOLDER]"
SETTINGS = ("format", "out")


def export(argv: list[str]) -> int:
    """`auditfw export RUN [TABLE...] [format=csv|latex|svg] [out=FOLDER]`: tables and charts of a finished run.

    Without `out` one of them goes to standard output; without names all are listed, or with `out` all are written.
    """
    if not argv or any(word.startswith("-") for word in argv):
        raise UsageError("export", "needs a run folder", " ".join(argv) or None, WRITE)
    run, *words = argv
    settings = _settings([word for word in words if "=" in word])
    refuse_sweep(Path(run), "export")
    result = read_result(run)
    every = exported(sections_of(result))
    if words[:1] == [PAPER]:
        return _paper(result.sections, words)
    form, out = settings.get("format", "csv"), settings.get("out")
    named_ones = {one.name: one for word in words if "=" not in word for one in _chosen(every, word)}
    chosen = list(named_ones.values())
    if not chosen and out is None:
        _list(run, every)
        return 0
    if len(chosen) > 1 and out is None:
        listed = ", ".join(one.name for one in chosen)
        raise UsageError("export", "several tables need a folder", listed, "write out=FOLDER")
    texts = _texts(chosen or [one for one in every if form != "svg" or isinstance(one.block, Chart)], form)
    if out is None:
        print(next(iter(texts.values())), end="")
    else:
        print(write_files(Path(out), {f"{name}.{ENDINGS[form]}": text for name, text in texts.items()}))
    return 0


def _settings(words: Sequence[str]) -> dict[str, str]:
    settings = dict(word.split("=", 1) for word in words)
    for name, value in settings.items():
        if name not in SETTINGS:
            raise UsageError(name, "unknown setting", value, nearest(name, list(SETTINGS)))
    if settings.get("format", "csv") not in ENDINGS:
        raise UsageError("format", "expected csv, latex or svg", settings["format"])
    return settings


def _paper(sections: Sequence[Section], words: Sequence[str]) -> int:
    """Prints what a paper can say of the run, `format=latex` escaped. Raises UsageError."""
    texts = [block.text for one in sections if one.title == TITLE for block in one.blocks if isinstance(block, Note)]
    if words[1:] not in ([], ["format=latex"]):
        raise UsageError(
            "export paper", "is a text for standard output", " ".join(words[1:]), "write format=latex or nothing"
        )
    if not texts:
        raise UsageError("export paper", "no sentence holds for this run, or it is older than this section")
    print("\n".join(latex(text) if words[1:] else log_line(text) for text in texts))
    return 0


def _chosen(every: Sequence[Exported], word: str) -> list[Exported]:
    """Those that a word names: one by number or name, a section by number, title or place. Raises UsageError."""
    name = named(word)
    ones = [one for one in every if word == one.number or name == one.name]
    whole = [(one, {one.number.partition(".")[0], one.place}, named(one.section)) for one in every]
    ones = ones or [one for one, words, title in whole if word in words or name == title]
    if not ones:
        names = list(dict.fromkeys(name for one in every for name in (one.name, named(one.section))))
        raise UsageError(f"export {word}", "no such table or chart", None, nearest(name, names))
    return ones


def _list(run: str, every: Sequence[Exported]) -> None:
    from auditfw.components.report.console import printing

    rows = [[one.number, one.name, one.kind, one.caption] for one in every]
    table = Table(["number", "name", "what", "title"], rows, "<<<<")
    with printing() as page:
        page.section(Section("Tables and Charts", [table, Note(f"auditfw export {run} NUMBER|NAME")]))


def _texts(chosen: Sequence[Exported], form: str) -> dict[str, str]:
    """The text of each by its name. Raises UsageError for a picture of a table."""
    texts = {}
    for one in chosen:
        texts[one.name] = file_text(one, form)
        if one.table.left_out:
            warn(f"{one.name}: {some(one.table.left_out, 'row')} left out of the report (report.max_rows)")
    return texts


# Writes exported files into a folder that may hold files of others.


def write_files(folder: Path, texts: Mapping[str, str]) -> str:
    """Writes the files, older ones of the same table or chart over, and says so in a line.

    Raises UsageError for a file of that name that is something else; then none is written.
    """
    before = {name: _own(folder / name, text) for name, text in texts.items() if present(folder / name)}
    with guarded(folder):
        folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        write_whole(str(folder), name, text)
    replaced = sum(before[name] != texts[name] for name in before)
    again = f", {replaced:,} of them over older ones" if replaced else ""
    return f"wrote {some(len(texts), 'file')} into {folder}{again}: {', '.join(texts)}"


def _own(file: Path, text: str) -> str:
    """An older file of the same table or chart, which begins as the new one. Raises UsageError for another's."""
    start = text.partition("\n")[0].partition(" width=")[0]  # a header, a comment with the name, the start of an SVG
    try:
        known = read_text(file)
    except (DataError, ValueError):
        known = ""
    if not known.startswith(start):
        what = "exists and is not this table or chart"
        raise UsageError(str(file), what, None, "move it, or name another folder with out=FOLDER")
    return known
