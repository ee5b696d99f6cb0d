"""Reading what was raised: an error of any library, or one that was made to look like one. Nothing here raises."""

from __future__ import annotations

import errno
import socket
import ssl
from collections.abc import Iterator

from .limits import ERROR_MEMBERS

_LOOKUP_CODES = {getattr(socket, name): name for name in dir(socket) if name.startswith("EAI_")}


def names_of(error: BaseException) -> tuple[str, ...]:
    """The names of an error's class and of those that it inherits from."""
    return tuple(each.__name__ for each in type(error).__mro__)


def code_of(error: BaseException) -> str | None:
    """The errno's name, the code of a name lookup, OpenSSL's reason, or a ``code`` that is a text."""
    try:
        if isinstance(error, ssl.SSLError):
            return error.reason or None
        if isinstance(error, socket.gaierror):
            return _LOOKUP_CODES.get(error.errno)
        if isinstance(error, OSError) and error.errno is not None:
            return errno.errorcode.get(error.errno)
        code = getattr(error, "code", None)
        return code if isinstance(code, str) and code != "" else None
    except Exception:
        # A property of somebody's error may do anything: what cannot be read is no proof (TW-CER-019).
        return None


def members_of(error: BaseException) -> tuple[BaseException, ...] | None:
    """The members of an exception group; None when it is none. Those that are too many prove nothing (TW-CER-017)."""
    try:
        members = getattr(error, "exceptions", None)
        if not isinstance(members, (list, tuple)):
            return None
        return tuple(members) if len(members) <= ERROR_MEMBERS else ()
    except Exception:
        return ()


def cause_of(error: BaseException) -> BaseException | None:
    """What it was raised from.

    What was merely being handled when it was raised can be another request's failure, and doubt is never proof (TW-CER-019).
    httpcore's pool hides what a failed dial was raised from, and only there it is looked for.
    """
    if error.__cause__ is not None or not _HIDING.intersection(names_of(error)):
        return error.__cause__
    return error.__context__


_HIDING = frozenset({"ConnectError", "ReadError", "WriteError"})


def causes(error: BaseException | None, depth: int) -> Iterator[BaseException]:
    """The error and its causes, from the outside in, at most ``depth`` levels."""
    for _ in range(depth):
        if error is None:
            return
        yield error
        error = cause_of(error)
