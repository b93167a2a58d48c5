"""`auditfw label`: draws trials of a finished run for people to label, and writes them as files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from auditfw.audits.adjudication.draw_files import FIRST, DrawPage, DrawRound, StoredDraw, write_draw
from auditfw.audits.adjudication.run_trials import AUDITED, STATUS, audited_run
from auditfw.config.quoting import is_path
from auditfw.core.digits import fixed
from auditfw.core.document import some
from auditfw.core.errors import IncompleteError, UsageError
from auditfw.core.escaping import typed
from auditfw.core.files import DO, guarded, own_folder, present, restored
from auditfw.core.locks import holding_folder
from auditfw.core.result_json import write_whole
from auditfw.formulas.people.shares import LabelledGroup, stratified_share

from .labelling.page import LabelPage, TrialToLabel
from .labelling.rounds import DIGEST, DrawnRound, next_round
from .labelling.settings import CSV, FORMATS, HTML, STUDIO, LabelSettings, read_settings
from .labelling.sources import TrialText
from .labelling.texts import texts_of
from .labelling.written import CONFIG, LabelFiles, filled
from .sweep.refusal import refuse_sweep

WRITE = "write auditfw label RUN [n=150] [by=[…]] [readings=[…]] [people=1] [format=[html]]"
GUESSED = (0.05, 0.95, 0.5, 0.5)  # of each class the share that is wrong, before anybody has labelled


def label(argv: list[str]) -> int:
    """`auditfw label RUN [n=150] [by=[…]] [readings=[…]] [people=1] [format=[html]]`: trials for people to label.

    A second call draws further ones. Nothing else in the folder of the run changes.
    """
    folders = [word for word in argv if "=" not in word or is_path(word)]
    if len(folders) != 1 or argv[0] != folders[0] or folders[0].startswith("-"):
        raise UsageError("label", "needs one run folder, first", " ".join(argv) or None, WRITE)
    refuse_sweep(Path(folders[0]), "label", argv[1:])
    settings = read_settings(argv[1:])
    run = audited_run(Path(folders[0]), "label")
    with guarded(run.folder), holding_folder(run.folder):
        drawn = next_round(run, settings)
        texts, items = texts_of(run, drawn.ids, settings.show)
        drawn = drawn.with_items(items)
        files = _files(drawn, settings, texts)
        draw = _with_round(drawn, settings, files)
        by_name = {name: text for one in files for name, text in one.texts(settings.format).items()}
        _write(drawn, draw, by_name, texts)
    _print(folders[0], drawn, draw, [draw.folder / name for name in by_name], settings)
    return 0


def _files(drawn: DrawnRound, settings: LabelSettings, texts: Mapping[str, TrialText]) -> list[LabelFiles]:
    """The files of each page."""
    files = []
    for person, trials in enumerate(drawn.pages, 1):
        page = LabelPage(
            drawn.digest,
            drawn.number,
            person if settings.people > 1 else 0,
            settings.max_chars,
            name="" if settings.name == FIRST else settings.name,
            run=drawn.draw.run[:DIGEST],
        )
        shown = [_shown(drawn.keys[one.row], texts[drawn.rows.ids[one.row]]) for one in trials]
        files.append(LabelFiles(page, shown))
    return files


def _shown(key: str, text: TrialText) -> TrialToLabel:
    return TrialToLabel(key, text.question or "", text.expected, text.answer or "", text.further)


def _with_round(drawn: DrawnRound, settings: LabelSettings, files: Sequence[LabelFiles]) -> StoredDraw:
    """The draw with the new round."""
    form = next(form for form in FORMATS if form in settings.format)
    pages = [DrawPage(one.named(form), [trial.key for trial in one.trials]) for one in files]
    new = DrawRound(len(drawn.trials), settings.people, settings.overlap, pages)
    return replace(drawn.draw, rounds=[*drawn.draw.rounds, new])


def _write(drawn: DrawnRound, draw: StoredDraw, files: Mapping[str, str], texts: Mapping[str, TrialText]) -> None:
    """Writes the files of the pages, then those of the draw; none is left where one cannot be written."""
    paths = [draw.folder / name for name in files]
    try:
        with guarded(draw.folder):
            own_folder(draw.folder)
            _check_free(paths)
            with restored(*paths):
                for name, text in files.items():
                    write_whole(str(draw.folder), name, text)
                write_draw(draw, drawn.columns(texts))
    except IncompleteError as error:
        where, what, cause, _ = error.args
        raise IncompleteError(where, what, cause, f"{DO}, or write out=FOLDER") from None


def _check_free(paths: Sequence[Path]) -> None:
    """Raises UsageError where a file is there that somebody may have filled in."""
    for path in paths:
        if path.suffix == f".{CSV}" and present(path):
            do = "move it: somebody may have filled it in; or begin another draw: name=NAME"
            raise UsageError(str(path), "is there already", None, do)


def _print(run: str, drawn: DrawnRound, draw: StoredDraw, files: Sequence[Path], settings: LabelSettings) -> None:
    total = sum(sum(group.trials) for group in draw.groups)
    right, wrong, *differ = (sum(group.drawn[kind] for group in draw.groups) for kind in range(4))
    new = f"Drawn {len(drawn.trials):,}" + (f" more, {draw.drawn:,} in all," if drawn.number > 1 else "")
    counts = [f"{right:,} all right", f"{wrong:,} all wrong", f"{sum(differ):,} where readings differ"]
    counts = counts if len(draw.readings) > 1 else [f"{right:,} right", f"{wrong:,} wrong"]
    cells = f" in {len(draw.groups):,} cells" if draw.by else ""
    print(f"{new} of {total:,} trials{cells}: {', '.join(counts)}.", end=" ")
    print(_forecast(drawn, draw))
    left = int((drawn.run.frame[STATUS] == AUDITED).sum()) - total
    if left:
        print(f"{some(left, 'further trial')} without a label of any reading {'is' if left == 1 else 'are'} left out.")
    for file in files:
        print(f"  {file}")
    if STUDIO in settings.format:
        print(f"Label Studio, labelling interface:\n{CONFIG}")
    if HTML in settings.format:
        names = [filled(page) for page in draw.rounds[-1].pages]
        what = f"The page saves {names[0]}" if len(names) == 1 else f"The pages save {names[0]} and so on"
        print(f"{what} where the browser saves files.")
    earlier = ", with the files of earlier pages" if drawn.number > 1 else ""
    print(f"Then{earlier}: auditfw adjudicate {' '.join(typed(word) for word in _words(run, draw, settings))}")


def _forecast(drawn: DrawnRound, draw: StoredDraw) -> str:
    """How well the error rate will be known with all labels of the draw, and on what that rests."""
    what = f"With all {draw.drawn:,} labels the true" if drawn.number > 1 else "The true"
    points = fixed(100 * expected_half_width(draw), 1)
    say = "all readings say" if len(draw.readings) > 1 else f"{draw.readings[0]} says"
    return f"{what} error rate will be known to about ± {points} points, if people confirm 95 % of what {say}."


def _words(run: str, draw: StoredDraw, settings: LabelSettings) -> list[str]:
    """The words of the command for the labels that come back."""
    names = dict.fromkeys(filled(page) for one in draw.rounds for page in one.pages)
    files = [str(draw.folder / name) if (draw.folder / name).is_file() else f"PATH/{name}" for name in names]
    return [run, *files, *([] if settings.place == LabelSettings.name else [f"audit.draw={settings.place}"])]


def expected_half_width(draw: StoredDraw) -> float:
    """The wider half of the interval of the error rate, from 0 to 1, if people say about what the classes suggest."""
    groups = [
        LabelledGroup(trials, labels, labels * wrong)
        for group in draw.groups
        for trials, labels, wrong in zip(group.trials, group.drawn, GUESSED, strict=True)
        if labels
    ]
    share = stratified_share(groups)
    return max(share.value - share.low, share.high - share.value)
