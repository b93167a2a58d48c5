"""What every match of a pattern begins with, and what is in every match."""

from __future__ import annotations

from .pattern_syntax import ENDLESS, Again, Either, Group, Look, Node, One, Parts, Place, Repeat, UnknownSyntaxError

MOST_AHEAD, MOST_CALLS = 8, 500

Ahead = list[list[One]]


def prefix(tree: Node) -> Ahead:
    """What the first characters of a match may be: so many as every match has, but at most MOST_AHEAD, at least one.

    Raises UnknownSyntaxError where that is not seen.
    """
    ahead, _ = _Prefixes().of((tree,))
    if not ahead:
        raise UnknownSyntaxError("a beginning that may be anything")
    return ahead[:MOST_AHEAD]


class _Prefixes:
    """Counts what it looks at: optional parts one after another have very many beginnings."""

    def __init__(self) -> None:
        self._calls = 0

    def of(self, parts: tuple[Node, ...]) -> tuple[Ahead, bool]:
        """The first characters of parts, and whether these are all that they have."""
        self._calls += 1
        if self._calls > MOST_CALLS:
            raise UnknownSyntaxError("very many beginnings")
        ahead: Ahead = []
        while parts:
            node, *rest = parts
            if isinstance(node, Parts | Group):
                inner = node.parts if isinstance(node, Parts) else (node.body,)
                parts = (*inner, *rest)
                continue
            sides, further = self._sides(node, tuple(rest))
            size = min(len(side) for side, _ in sides)
            ahead += [[one for side, _ in sides for one in side[place]] for place in range(size)]
            if not all(whole and len(side) == size for side, whole in sides) or len(ahead) >= MOST_AHEAD:
                return ahead, False
            parts = further
        return ahead, True

    def _sides(self, node: Node, rest: tuple[Node, ...]) -> tuple[list[tuple[Ahead, bool]], tuple[Node, ...]]:
        """The ways in which a part may begin, and what follows each of them."""
        match node:
            case One():
                return [([[node]], True)], rest
            case Place() | Look():
                return [([], True)], rest
            case Either(parts=parts):
                sides = [self.of((part,)) for part in parts]
                if all(side for side, _ in sides):
                    return sides, rest
                return [self.of((part, *rest)) for part in parts], ()
            case Repeat(body=body, least=0):
                ahead, _ = self.of((body,))
                return [(ahead, False), self.of(rest)], ()
            case Repeat(body=body, least=least, most=most):
                ahead, whole = self.of((body,) * least)
                return [(ahead, whole and most == least)], rest
        return [([], False)], rest


def consumed(node: Node) -> list[One]:
    """What the characters of a match may be."""
    match node:
        case One():
            return [node]
        case Group(body=body) | Repeat(body=body):
            return consumed(body)
        case Either(parts=parts) | Parts(parts=parts):
            return [one for part in parts for one in consumed(part)]
    return []


def _beginning(tree: Node) -> Node | None:
    """The part that every match begins with."""
    while isinstance(tree, Parts | Group):
        parts = tree.parts if isinstance(tree, Parts) else (tree.body,)
        if not parts:
            return None
        tree = parts[0]
    return tree


def anchors(tree: Node) -> tuple[bool, bool]:
    """Whether every match is at the start of the text, or else of a line."""
    part = _beginning(tree)
    kind = part.kind if isinstance(part, Place) else ""
    return kind in ("A", "^"), kind == "^m"


def endless(tree: Node) -> One | None:
    """What every match begins with an endless repeat of; None where it does not.

    Where a group may come once more it is None too: what such a match is depends on where it begins.
    """
    part = _beginning(tree)
    if not isinstance(part, Repeat) or part.most != ENDLESS or part.least > 1 or _again(tree):
        return None
    return part.body if isinstance(part.body, One) else None


def _again(node: Node) -> bool:
    match node:
        case Group(body=body) | Repeat(body=body) | Look(body=body):
            return _again(body)
        case Either(parts=parts) | Parts(parts=parts):
            return any(map(_again, parts))
    return isinstance(node, Again)


def must(tree: Node) -> str:
    """The longest text that is in every match, without the very first one; "" where it is not two characters."""
    texts, text = [], ""
    for node in tree.parts if isinstance(tree, Parts) else ():
        if isinstance(node, One) and node.exact:
            text += node.exact
        elif not isinstance(node, Place | Look):
            texts.append(text)
            text = ""
    return max((text for text in [*texts, text][1:] if len(text) > 1), key=len, default="")
