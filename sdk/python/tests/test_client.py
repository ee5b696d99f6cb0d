"""The seats against a peer on real sockets: verdicts from what arrived. The kit's client mode holds them to far more."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from peer import Arrived, Peer, Reply, peer_of, problem, refused_url

from turnwire import (
    AbortSignal,
    ArgumentError,
    AsyncClient,
    CallOptions,
    Copy,
    RoutabilityLine,
    SurfaceRead,
    SurfaceUnchanged,
    TurnwireFault,
)

ADMISSION = {"streamUrl": "http://h/s", "offset": "a_0", "submissionId": "s1"}
PICK: dict[str, Any] = {"iid": "i", "turn_id": "t", "event": "go", "input": {}}
RECEIPT = {"status": "delivered", "deliveryId": "d", "event": "go", "moved": True, "turnComplete": True, "allowed": []}


def admit_arguments(**more: Any) -> dict[str, Any]:
    return {"name": "reviewer", "iid": "i", "key": "k", "body": {"message": "hello"}, **more}


def run(work: Any) -> Any:
    return asyncio.run(work)


def test_admit_sends_the_same_bytes_again_to_the_same_store() -> None:
    """TW-RET-002: after doubt only under the same key to the same store."""

    async def main() -> None:
        def script(_: Arrived, nth: int) -> Reply | None:
            return (
                None if nth == 0 else Reply(202, ADMISSION, {"turnwire-store": "st_1", "idempotency-replayed": "true"})
            )

        async with peer_of(script) as peer, AsyncClient(peer.url, token="secret", random=lambda: 0.0) as client:
            admitted = await client.admit(**admit_arguments(expect_store="st_1", idempotent_admissions=True))
            assert (admitted.replayed, admitted.attempts, admitted.store) == (True, 2, "st_1")
            assert admitted.admission.submission_id == "s1"
            first, second = peer.arrived
            assert first.body == second.body == b'{"message":"hello"}'
            assert {each.headers["idempotency-key"] for each in peer.arrived} == {"k"}
            assert {each.headers["turnwire-expect-store"] for each in peer.arrived} == {"st_1"}
            assert first.connection != second.connection

    run(main())


def test_admit_without_a_store_gives_up_after_doubt() -> None:
    """TW-RET-003."""

    async def main() -> None:
        async with peer_of(lambda *_: None) as peer, AsyncClient(peer.url) as client:
            with pytest.raises(TurnwireFault) as caught:
                await client.admit(**admit_arguments(idempotent_admissions=True))
            fault = caught.value
            assert (fault.code, fault.certainty, fault.attempts) == ("admission_unknown", "unknown", 1)
            assert fault.address == f"{peer.url}/agents/reviewer/i"
            assert len(peer.arrived) == 1

    run(main())


def test_before_send_comes_between_the_connection_and_the_first_byte() -> None:
    async def main() -> None:
        copies: list[Copy] = []

        async with peer_of(lambda *_: Reply(202, ADMISSION)) as peer:
            async with AsyncClient(peer.url) as client:

                async def write_down(copy: Copy) -> None:
                    await peer.settles(lambda: peer.accepted == 1)
                    await asyncio.sleep(0.05)
                    assert peer.arrived == []
                    copies.append(copy)

                await client.admit(**admit_arguments(before_send=write_down))
                assert copies == [Copy(1, None)]

                def refuse(_: Copy) -> None:
                    raise OSError("the disk is full")

                with pytest.raises(OSError, match="the disk is full"):
                    await client.admit(**admit_arguments(before_send=refuse))
                assert len(peer.arrived) == 1
        async with AsyncClient(refused_url()) as client:
            with pytest.raises(TurnwireFault, match="ECONNREFUSED"):
                await client.admit(**admit_arguments(before_send=copies.append, options=CallOptions(window_ms=0)))
            assert len(copies) == 1

    run(main())


def test_a_fault_names_seat_address_errno_attempts_and_time() -> None:
    """TW-RET-021, TW-RET-022."""

    async def main() -> None:
        lines: list[RoutabilityLine] = []
        url = refused_url()
        async with AsyncClient(url, log=lines.append, token="secret") as client:
            with pytest.raises(TurnwireFault) as caught:
                await client.get_run(run_id="r", options=CallOptions(window_ms=600))
        fault = caught.value
        assert (fault.seat, fault.code, fault.certainty) == ("runs", "unreachable", "never_delivered")
        assert "ECONNREFUSED" in str(fault)
        assert f"after {fault.attempts} attempts in" in str(fault)
        assert [line.attempts for line in lines] == [fault.attempts]
        assert lines[0].msg.startswith(f"turnwire.routability seat=runs attempts={fault.attempts} ms=")
        assert lines[0].msg.endswith(f"last=ECONNREFUSED url={url}/runs/r")
        assert "secret" not in f"{fault!r} {lines} {client!r}"

    run(main())


def test_deliver_looks_up_and_sends_again_under_its_own_id() -> None:
    """TW-RET-009."""

    async def main() -> None:
        def script(request: Arrived, nth: int) -> Reply | None:
            if nth == 0:
                return None
            return problem(404, "unknown_delivery") if request.method == "GET" else Reply(200, RECEIPT)

        async with peer_of(script) as peer, AsyncClient(peer.url, random=lambda: 0.0) as client:
            delivered = await client.deliver(**PICK, client_delivery_ids=True)
            assert (delivered.code, delivered.taken, delivered.attempts) == ("turn_complete", True, 2)
            ids = [json.loads(each.body)["deliveryId"] for each in peer.arrived if each.method == "POST"]
            assert len(set(ids)) == 1
            assert [each.method for each in peer.arrived] == ["POST", "GET", "POST"]

    run(main())


def test_deliver_tells_who_listens_once_and_polls() -> None:
    async def main() -> None:
        outstanding = Reply(202, {"status": "outstanding", "deliveryId": "d", "event": "go"})

        def script(_: Arrived, nth: int) -> Reply:
            return outstanding if nth < 3 else Reply(200, RECEIPT)

        told: list[str] = []
        async with peer_of(script) as peer, AsyncClient(peer.url) as client:
            delivered = await client.deliver(**PICK, client_delivery_ids=True, on_outstanding=told.append)
            assert (delivered.code, told) == ("turn_complete", ["d"])
            assert [each.target for each in peer.arrived[1:]] == ["/agents/i/deliveries/d?wait=25"] * 3

    run(main())


def test_an_aborted_pick_is_looked_up_and_never_sent_again() -> None:
    """TW-RET-011."""

    async def main() -> None:
        signal = AbortSignal()

        async def script(request: Arrived, _: int) -> Reply:
            if request.method == "GET":
                return Reply(202, {"status": "outstanding", "deliveryId": "d"})
            signal.abort()
            await asyncio.sleep(5)
            return Reply(200, RECEIPT)

        async with peer_of(script) as peer, AsyncClient(peer.url) as client:
            delivered = await client.deliver(**PICK, client_delivery_ids=True, options=CallOptions(signal=signal))
            assert (delivered.code, delivered.kind) == ("taken_turn_ended", "answer")
            assert [each.method for each in peer.arrived] == ["POST", "GET"]

    run(main())


def test_wait_yields_records_and_ends_with_the_settlement() -> None:
    """TW-RET-014."""
    queued = {"type": "submission.queued", "submissionId": "s", "at": "2026-01-01T00:00:00Z"}
    newer = {"type": "from.the.future", "submissionId": "s", "at": "2026-01-01T00:00:00Z", "x": 1}
    settled = {"type": "submission.settled", "submissionId": "s", "at": "2026-01-01T00:00:00Z", "outcome": "completed"}

    async def main() -> None:
        def script(request: Arrived, nth: int) -> Reply | None:
            if nth == 0:
                return Reply(200, [queued], {"stream-next-offset": "a_1", "stream-up-to-date": "true"})
            if nth == 1:
                return None
            assert "offset=a_1" in request.target and "live=long-poll" in request.target
            return Reply(200, [newer, settled], {"stream-next-offset": "a_3", "stream-closed": "true"})

        async with peer_of(script) as peer, AsyncClient(peer.url, random=lambda: 0.0) as client:
            wait = client.wait(stream_url="/agents/a/i?view=updates&submission=s", offset="a_0")
            types = [record.type async for record in wait]
            assert types == ["submission.queued", "from.the.future", "submission.settled"]
            assert (await wait.settlement()).outcome == "completed"
            assert wait.offset == "a_3"
            assert all("submission=s" in each.target for each in peer.arrived)
            elsewhere = client.wait(stream_url="http://127.0.0.1:1/s", offset="a_0")
            with pytest.raises(TurnwireFault, match="another origin"):
                await elsewhere.settlement()

    run(main())


def test_surface_is_conditional_and_refuses_as_it_means() -> None:
    body = {
        "iid": "i",
        "turnId": "t",
        "runId": "r",
        "menu": [],
        "allowed": ["go"],
        "capabilities": {"clientDeliveryIds": True},
    }

    async def main() -> None:
        replies = [
            Reply(200, body, {"etag": '"1"'}),
            Reply(304),
            problem(404, "unknown_run"),
            problem(404, "turn_over"),
        ]
        async with peer_of(lambda _, nth: replies[nth]) as peer, AsyncClient(peer.url) as client:
            read = await client.surface(iid="i")
            assert isinstance(read, SurfaceRead)
            assert (read.surface.turn_id, read.surface.allowed, read.etag) == ("t", ["go"], '"1"')
            assert isinstance(await client.surface(iid="i", etag=read.etag, step=True), SurfaceUnchanged)
            assert peer.arrived[1].headers["if-none-match"] == '"1"'
            for code in ("surface_refused", "turn_over"):
                with pytest.raises(TurnwireFault) as caught:
                    await client.surface(iid="i")
                assert caught.value.code == code

    run(main())


def test_a_feed_begins_again_after_a_cut_and_ends_with_its_run() -> None:
    """TW-FED-001, TW-FED-005."""

    def frame(event: str, **data: Any) -> str:
        return f": hello\r\nevent: {event}\r\ndata: {json.dumps(data)}\r\n\r\n"

    async def main() -> None:
        sse = {"content-type": "text/event-stream"}
        first = frame("snapshot", runs=[{"runId": "r", "status": "active"}]) + "event: half\ndata: {"
        last = frame("snapshot", runs=[{"runId": "r", "status": "active"}]) + frame(
            "run.status", runId="r", status="done"
        )
        replies = [Reply(200, first, sse), Reply(200, last, sse)]
        async with peer_of(lambda _, nth: replies[nth]) as peer, AsyncClient(peer.url) as client:
            events = [event.event async for event in client.run_events(run_id="r")]
            assert events == ["snapshot", "snapshot", "run.status"]
            assert len(peer.arrived) == 2

    run(main())


def test_a_cancel_that_an_earlier_copy_did_is_success() -> None:
    async def main() -> None:
        run_view = {"runId": "r", "status": "cancelled"}

        def script(request: Arrived, nth: int) -> Reply | None:
            if nth == 0:
                return None
            return problem(409, "already_ended") if request.method == "POST" else Reply(200, run_view)

        async with peer_of(script) as peer, AsyncClient(peer.url, random=lambda: 0.0) as client:
            await client.cancel_run(run_id="r")
            assert len(peer.arrived) == 3
            with pytest.raises(TurnwireFault) as caught:
                await client.cancel_run(run_id="r")
            assert caught.value.code == "already_ended"

    run(main())


@pytest.mark.parametrize(
    ("seat", "arguments", "named"),
    [
        ("admit", admit_arguments(iid="a/b"), "iid"),
        ("admit", admit_arguments(iid=".."), "iid"),
        ("admit", admit_arguments(key=""), "key"),
        ("admit", admit_arguments(body={"x": float("nan")}), "body"),
        ("admit", admit_arguments(body="no json"), "body"),
        ("admit", admit_arguments(expect_store="a\nb"), "expect_store"),
        ("admit", admit_arguments(options=CallOptions(window_ms=-1)), "window_ms"),
        ("admit", admit_arguments(options=CallOptions(headers={"a b": "c"})), "headers"),
        ("poll", {"iid": "i", "delivery_id": "d", "wait_seconds": 26}, "wait_seconds"),
        ("deliver", {**PICK, "resume": "poll"}, "delivery_id"),
        ("deliver", {**PICK, "event": ""}, "event"),
        ("list_runs", {"limit": 0}, "limit"),
    ],
)
def test_a_wrong_argument_is_named_and_nothing_is_sent(seat: str, arguments: dict[str, Any], named: str) -> None:
    """TW-CER-018."""

    async def main(peer: Peer, client: AsyncClient) -> None:
        with pytest.raises(ArgumentError, match=f"^{named}"):
            await getattr(client, seat)(**arguments)
        assert peer.accepted == 0

    async def whole() -> None:
        async with peer_of(lambda *_: Reply(500)) as peer, AsyncClient(peer.url) as client:
            await main(peer, client)

    run(whole())


@pytest.mark.parametrize(
    "url", ["", "ftp://h", "http://", "http://h?x", "http://h#x", "http://u:p@h", "h:1", "http://h:x"]
)
def test_a_wrong_url_is_refused(url: str) -> None:
    with pytest.raises(ArgumentError, match="^base_url"):
        AsyncClient(url)


def test_a_body_that_breaks_its_schema_where_nobody_looks_is_read_all_the_same() -> None:
    """TW-GEN-012: versions may skew."""
    software = {"name": "old", "version": "0.9"}

    async def main() -> None:
        info = {"role": "harness", "version": 1, "software": software, "store": "st_1", "more": [1]}
        async with peer_of(lambda *_: Reply(200, info)) as peer, AsyncClient(peer.url) as client:
            read = await client.harness_info()
            assert (read.store, read.software.version) == ("st_1", "0.9")
            assert read.capabilities is None
            assert read.model_dump(by_alias=True, exclude_unset=True) == info

    run(main())
