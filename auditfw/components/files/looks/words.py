"""The words of a command that name files, as the components that recognise these write them."""

from __future__ import annotations

from collections.abc import Sequence

from auditfw.core.escaping import value
from auditfw.kinds.first_look import FirstLook

GAP = "THEIRS"  # in a command what only the user knows


def path_word(key: str, paths: Sequence[str]) -> str:
    """The override that names one path, or a list of them."""
    if len(paths) == 1:
        return f"{key}={value(paths[0])}"
    return f"{key}=[{','.join(map(value, paths))}]"


def path_words(key: str, looks: Sequence[FirstLook]) -> str:
    """The override that names the paths that were looked at."""
    return path_word(key, [look.path for look in looks])


def table_words(look: FirstLook) -> list[str]:
    """The words that name a table."""
    words = [f"source={look.format}", path_words("source.path", [look])]
    words += [f"source.records={value(look.records_at)}"] if look.records_at else []
    mark = "\\t" if look.delimiter == "\t" else look.delimiter
    words += [f'source.delimiter="{mark}"'] if mark else []
    return [*words, *([] if look.quoted else ["source.quote=null"])]


def cell_words(names: Sequence[str]) -> list[str]:
    """The words for the columns of the cells; none for none."""
    return [f"by=[{','.join(map(value, names))}]"] if names else []
