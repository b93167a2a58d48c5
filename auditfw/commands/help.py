"""What `auditfw --help` and `auditfw help [TOPIC]` show: commands, choices, pages of the manual.

It is made without composing a config, so it is there at once.
"""

from __future__ import annotations

import shutil
import sys
import textwrap
from importlib.resources import files

from auditfw.components.report.console import terminal_settings
from auditfw.config.plugins import load_plugins
from auditfw.config.variants import names_of_group
from auditfw.core.errors import UsageError, nearest
from auditfw.kinds import KINDS

END = ".md"
HEAD = """\
auditfw: audits you run before you believe a number.

  auditfw                                     the default experiment on the shipped sample
  auditfw experiment=NAME                     a named run
  auditfw PATH...                             recognises logs, labels, ratings, attempts, tasks, or MODEL.py TABLE.csv
  auditfw source=jsonl source.path=mine.jsonl 'by=[]' 'parser=[stored,answer_v2]'
  auditfw gates.NAME.max=3 seed=1             any setting, by its path in the config
  auditfw -m parser=answer_v2,after_think     a sweep: one job for each combination
  auditfw --cfg job                           the whole config of a run, without running it

  auditfw list [KIND [NAME]] [--json]         what can be chosen, what it does, its settings
  auditfw check [-m] [PATH...] [OVERRIDES]    what a run would do and look for, and what it cannot; runs nothing
  auditfw doctor [-m] [PATH...] [OVERRIDES]   the same
  auditfw probe [PATH...] [OVERRIDES]         whether the scorer accepts only right answers (parsing)
  auditfw init FOLDER [PATH...] [OVERRIDES]   make a project of your own; with a file: its experiment, a gate and a test
  auditfw report RUN... [report=[NAMES]]      write the reports of finished runs again
  auditfw sweep FOLDER [sweep.sort_by=NAME]   write the summary of a sweep again, sorted otherwise
  auditfw explain RUN [GATE|READING]          why an answer or a gate came out as it did; which labels changed
  auditfw export RUN [TABLE...] [format=latex] [out=FOLDER]    tables and charts as CSV, LaTeX or SVG
  auditfw plan RUN [width=2] [difference=2]   how many items are enough, and what to buy next; also from typed numbers
  auditfw label RUN [n=150] [by=[NAMES]]      draw trials for people to label: a page, a spreadsheet, or Label Studio
  auditfw adjudicate RUN LABELS...            what people say about its labels: the true rate, which reading is best
  auditfw compare A B... [OVERRIDES]          two logs or finished runs: who leads, and what the gap is made of
  auditfw suite FILE.yaml [NAME=RUN]          one release decision over several benchmarks (help ci)
  auditfw upgrade LOG [from=V] [to=V]         what a newer version of the log's scorer makes of its answers; --list
  auditfw accept RUN                          store this run as the baseline of later ones
  auditfw rerun RUN [OVERRIDES]               run it again, and show what differs
  auditfw resume=FOLDER                       continue an interrupted run or sweep
  auditfw completion bash|zsh|fish            the script that completes commands in a shell (help command_line)
  auditfw help [TOPIC]                        a page of the manual

Groups, chosen with GROUP=OPTION, or GROUP=[A,B] where a run takes several (marked *):
"""

TAIL = """
Exit codes: 0 passed, 1 a gate failed or is inconclusive, 2 usage, 3 input data, 4 incomplete, 5 nothing audited,
70 a defect of auditfw, 129/130/143 interrupted; a sweep exits with the worst of its jobs.
--trust lets resume and rerun start code that stored settings name; AUDITFW_TRUST=FOLDER does so for one folder.
Flags and grammar are Hydra's (--hydra-help). HYDRA_FULL_ERROR=1 shows tracebacks; AUDITFW_SAFE=1 switches off the
current folder's conf/, plugins/ and code."""


def manual() -> str:
    """The whole help text, fitted to the terminal."""
    load_plugins()
    width = max(60, min(120, shutil.get_terminal_size().columns))
    groups = ["experiment", *(name for name, kind in KINDS.items() if kind.place)]
    return HEAD + "\n".join(_group(name, width) for name in groups) + "\n" + TAIL


def _group(name: str, width: int) -> str:
    several = name in KINDS and (KINDS[name].several or KINDS[name].list_place is not None)
    mark = "*" if several else ""
    lead = f"  {name + mark:13}"
    return textwrap.fill(", ".join(names_of_group(name)), width, initial_indent=lead, subsequent_indent=" " * len(lead))


def topics() -> dict[str, str]:
    """The text of every page by its topic, sorted."""
    pages = {
        page.name.removesuffix(END): page
        for page in (files(__package__) / "manual").iterdir()
        if page.name.endswith(END)
    }
    return {name: pages[name].read_text("utf-8") for name in sorted(pages)}


def title(page: str) -> str:
    """What a page is about: its first line."""
    return page.partition("\n")[0].lstrip("# ")


def show(argv: list[str]) -> int:
    """Shows a page, through a pager on a terminal; without a topic, the pages there are. Raises UsageError."""
    pages = topics()
    if not argv:
        print("auditfw help TOPIC shows a page of the manual; auditfw --help lists the commands.\n")
        width = max(map(len, pages)) + 2
        print("\n".join(f"  {name:{width}}{title(page)}" for name, page in pages.items()))
        return 0
    if len(argv) > 1 or argv[0] not in pages:
        wrong = argv[0] if argv[0] not in pages else argv[1]
        on = [name for name, page in pages.items() if f"auditfw {wrong} " in page]
        do = f"it is described in: {', '.join(on)}" if on else nearest(wrong, list(pages))
        raise UsageError(f"help {wrong}", "no such page", None, do)
    _shown(pages[argv[0]])
    return 0


def _shown(page: str) -> None:
    from rich.console import Console
    from rich.markdown import Markdown

    console = Console(_environ=terminal_settings())
    text = Markdown(page, hyperlinks=False)
    if sys.stdout.isatty():
        with console.pager(styles=not console.no_color):
            console.print(text)
    else:
        console.print(text)
