"""The SDK's own bounds, each with its reason.

What peers and languages must agree on is in ``gen.protocol.CONSTANTS`` instead, and what a seat may do in its ``OPERATIONS``.
"""

from __future__ import annotations

from typing import Final

from .gen.protocol import CONSTANTS

IDLE_SWEEP_MS: Final = CONSTANTS.idle_socket_ms
"""httpcore looks for idle sockets only when it is asked for one; when nothing asks, we drop them ourselves (TW-RET-028)."""

UNBOUNDED_RETRY_AFTER_MS: Final = 60_000
"""A ``Retry-After`` in a seat without a window: nothing else bounds it, and a wait must notice a peer's return."""

BROKEN_RECEIPTS: Final = 4
"""A taken pick whose polls answer 2xx with broken bodies: a few may be cuts, more are a peer that cannot say it."""

ANSWER_BYTES: Final = 64 * 1024 * 1024
"""A history or a catch-up holds whole conversations; a peer must not fill our memory all the same."""

FEED_SILENCE_MS: Final = 2 * CONSTANTS.feed_comment_ms + 5_000
"""A feed without a frame or a comment for this long is dead: two comments were missed, and a little for the network."""

FEED_BACKLOG: Final = 256
"""Frames of a feed that wait for their reader before the socket is left unread."""

ERROR_MEMBERS: Final = 10_000
"""Members of an aggregate, all levels together: a dial has a handful of addresses, and a walk must end."""

REASON_LENGTH: Final = 500
"""Characters of a peer's text that a fault repeats."""

TOLD_MEMBERS: Final = 8
"""Members of an aggregate that a fault tells of: the addresses that a name has, in practice."""

LONGEST_MS: Final = 2**31 - 1
"""Milliseconds of an option: more is a mistake in the unit."""

CLOSE_SECONDS: Final = 10.0
"""What ``close()`` of a blocking client waits for its thread: calls are aborted before, so this is never spent."""
