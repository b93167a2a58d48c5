"""Thrift's compact protocol, as far as the footers of Parquet files need it: values that keep their field numbers."""

from __future__ import annotations

from typing import Any

TRUE, FALSE, BYTE, I16, I32, I64, DOUBLE, BINARY, LIST, SET, MAP, STRUCT = range(1, 13)

Field = tuple[int, int, Any]  # number, type, value
Struct = list[Field]
Items = tuple[int, list[Any]]  # the type of a list's items, and these


def decoded(data: bytes, at: int = 0) -> tuple[Struct, int]:
    """The structure that begins there, and where it ends. Raises ValueError or IndexError for what is none."""
    fields: Struct = []
    number = 0
    while head := data[at]:
        at += 1
        kind = head & 15
        if head >> 4:
            number += head >> 4
        else:
            number, at = _signed(data, at)
        value, at = _value(data, at, kind)
        fields.append((number, kind, value))
    return fields, at + 1


def encoded(fields: Struct) -> bytes:
    """The bytes of a structure."""
    out = bytearray()
    _write(out, fields)
    return bytes(out)


def _value(data: bytes, at: int, kind: int) -> tuple[Any, int]:
    if kind in (I16, I32, I64):
        return _signed(data, at)
    if kind in (TRUE, FALSE):
        return kind == TRUE, at
    if kind == BINARY:
        size, at = _varint(data, at)
        return data[at : at + size], at + size
    if kind == STRUCT:
        return decoded(data, at)
    if kind == LIST:
        return _items(data, at)
    if kind in (BYTE, DOUBLE):
        size = 1 if kind == BYTE else 8
        return data[at : at + size], at + size
    raise ValueError(f"type {kind}")


def _items(data: bytes, at: int) -> tuple[Items, int]:
    size, kind = data[at] >> 4, data[at] & 15
    at += 1
    if size == 15:
        size, at = _varint(data, at)
    items = []
    for _ in range(size):
        if kind in (TRUE, FALSE):
            item, at = data[at] == TRUE, at + 1
        else:
            item, at = _value(data, at, kind)
        items.append(item)
    return (kind, items), at


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
        shift += 7


def _signed(data: bytes, at: int) -> tuple[int, int]:
    value, at = _varint(data, at)
    return (value >> 1) ^ -(value & 1), at


def _write(out: bytearray, fields: Struct) -> None:
    before = 0
    for number, kind, value in fields:
        sort = (TRUE if value else FALSE) if kind in (TRUE, FALSE) else kind
        if 0 < number - before < 16:
            out.append((number - before) << 4 | sort)
        else:
            out.append(sort)
            _write_varint(out, _folded(number))
        before = number
        if kind not in (TRUE, FALSE):
            _write_value(out, kind, value)
    out.append(0)


def _write_value(out: bytearray, kind: int, value: Any) -> None:
    if kind in (I16, I32, I64):
        _write_varint(out, _folded(value))
    elif kind in (TRUE, FALSE):
        out.append(TRUE if value else FALSE)
    elif kind == STRUCT:
        _write(out, value)
    elif kind == LIST:
        inner, items = value
        out.append(min(len(items), 15) << 4 | inner)
        if len(items) >= 15:
            _write_varint(out, len(items))
        for item in items:
            _write_value(out, inner, item)
    else:
        if kind == BINARY:
            _write_varint(out, len(value))
        out += value


def _folded(value: int) -> int:
    return value << 1 if value >= 0 else (-value << 1) - 1


def _write_varint(out: bytearray, value: int) -> None:
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
