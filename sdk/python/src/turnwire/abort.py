"""The seat ``abort``."""

from __future__ import annotations

from .arguments import check_iid, check_segment, check_text, json_text
from .ask import ask, object_of
from .certainty import Answer
from .internals import CallOptions, Connection
from .request import request_of
from .retry import Fences
from .wire import AbortResult, model_of


async def abort(
    connection: Connection,
    *,
    name: str,
    iid: str,
    submission_id: str | None = None,
    turn_id: str | None = None,
    fenced_abort: bool = False,
    options: CallOptions | None = None,
) -> AbortResult:
    """Ends what runs and what waits (seat ``abort``).

    Without a fence (``submission_id`` or ``turn_id``) everything, with one that Submission and those admitted before it
    (TW-ABT-002). After doubt it is sent again only if it is fenced and the Harness honours fences (TW-RET-015): without a fence
    a second copy would end what was admitted since. A call is a single attempt of 10 s, because whoever owes an abort sends
    it again later; give it a ``window_ms`` to send it again here.

    :param fenced_abort: The Harness's capability. False when it is not known.
    :returns: What the acknowledged abort ended.
    :raises TurnwireFault: ``unknown`` when a second copy is not allowed; the code of a final answer; ``aborted``.
    :raises ArgumentError: naming the argument that is wrong.
    """
    check_segment(name, "name")
    check_iid(iid)
    if submission_id is not None:
        check_text(submission_id, "submission_id")
    if turn_id is not None:
        check_text(turn_id, "turn_id")
    fence = {"submissionId": submission_id, "turnId": turn_id}
    given = {member: value for member, value in fence.items() if value is not None}
    request = request_of(
        connection,
        "abortConversation",
        path={"name": name, "iid": iid},
        body=json_text(given, "submission_id") if given else None,
        options=options,
    )
    fences = Fences(fenced=bool(given) and fenced_abort)
    return (await ask(connection, "abort", "abortConversation", request, _decode, fences=fences, options=options)).value


def _decode(answer: Answer) -> AbortResult | None:
    body = object_of(answer)
    if body is None or not isinstance(body.get("aborted"), bool):
        return None
    ids = body.get("submissionIds")
    said = [each for each in ids if isinstance(each, str)] if isinstance(ids, list) else []
    return model_of(AbortResult, {**body, "submissionIds": said})
