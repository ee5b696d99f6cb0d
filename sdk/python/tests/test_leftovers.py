"""What is given up leaves no socket, no task and no thread behind."""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time

import pytest
from peer import Arrived, Reply, peer_of, refused_url
from served import Served

from turnwire import AbortSignal, AsyncClient, CallOptions, Client, SystemClock, TurnwireFault


def tasks() -> int:
    return len(asyncio.all_tasks())


def parked(_: Arrived, __: int) -> Reply:
    return Reply(200, after=asyncio.Event())


@pytest.mark.parametrize("how", ["abort", "cancel", "close", "timeout"])
def test_a_call_that_is_given_up(how: str) -> None:
    async def main() -> None:
        before = tasks()
        signal = AbortSignal()
        async with peer_of(parked) as peer, AsyncClient(peer.url) as client:
            options = CallOptions(signal=signal, window_ms=0, attempt_ms=100 if how == "timeout" else None)
            call = asyncio.ensure_future(client.get_run(run_id="r", options=options))
            await peer.settles(lambda: len(peer.arrived) == 1)
            if how == "abort":
                threading.Thread(target=signal.abort).start()
            elif how == "cancel":
                call.cancel()
            elif how == "close":
                await client.close()
            expected = asyncio.CancelledError if how == "cancel" else TurnwireFault
            with pytest.raises(expected) as caught:
                await call
            if isinstance(caught.value, TurnwireFault):
                assert caught.value.code == ("unreachable" if how == "timeout" else "aborted")
                assert caught.value.certainty == "unknown"
            await peer.settles(lambda: not peer.open)
        await asyncio.sleep(0)
        assert tasks() == before

    asyncio.run(main())


class Slow(SystemClock):
    async def sleep(self, ms: float) -> None:
        await asyncio.sleep(3600)


def test_a_ladder_that_is_given_up() -> None:
    async def main() -> None:
        before = tasks()
        signal = AbortSignal()
        async with AsyncClient(refused_url(), on_retry=lambda _: signal.abort(), clock=Slow()) as client:
            with pytest.raises(TurnwireFault) as caught:
                await asyncio.wait_for(client.get_run(run_id="r", options=CallOptions(signal=signal)), 30)
            assert caught.value.code == "aborted"
        assert tasks() == before

    asyncio.run(main())


def test_a_reader_that_leaves() -> None:
    async def main() -> None:
        before = tasks()
        body = 'event: snapshot\ndata: {"runs": []}\n\n'
        headers = {"content-type": "text/event-stream", "content-length": "100000"}
        async with peer_of(lambda *_: Reply(200, body, headers)) as peer, AsyncClient(peer.url) as client:
            async with contextlib.aclosing(client.run_events()) as events:
                async for event in events:
                    assert event.event == "snapshot"
                    break
            await peer.settles(lambda: not peer.open)
        assert tasks() == before

    asyncio.run(main())


def test_idle_sockets_are_dropped_and_one_is_used_again() -> None:
    """TW-RET-028: after 4 s, with nothing else asked meanwhile."""

    async def main() -> None:
        async with (
            peer_of(lambda *_: Reply(200, {"runId": "r", "status": "done"})) as peer,
            AsyncClient(peer.url) as client,
        ):
            for _ in range(3):
                await client.get_run(run_id="r")
            assert peer.accepted == 1
            began = time.monotonic()
            await peer.settles(lambda: not peer.open)
            assert time.monotonic() - began > 3.5

    asyncio.run(main())


def test_a_client_that_is_closed_refuses() -> None:
    async def main() -> None:
        client = AsyncClient(refused_url())
        await client.close()
        with pytest.raises(TurnwireFault, match="the connection was closed"):
            await client.health()

    asyncio.run(main())


def test_the_blocking_client() -> None:
    settled = {"type": "submission.settled", "submissionId": "s", "at": "2026-01-01T00:00:00Z", "outcome": "completed"}
    stream = {"stream-next-offset": "a_1", "stream-closed": "true"}

    def script(request: Arrived, _: int) -> Reply:
        if request.path == "/runs/r":
            return Reply(200, {"runId": "r", "status": "done"})
        if request.path == "/events":
            return Reply(200, 'event: snapshot\ndata: {"runs": []}\n\n', {"content-type": "text/event-stream"})
        return Reply(200, [settled], stream)

    before = threading.active_count()
    with Served(script) as served:
        with Client(served.url) as client:
            assert client.get_run(run_id="r").run_id == "r"
            wait = client.wait(stream_url="/s", offset="-1")
            assert [record.type for record in wait] == ["submission.settled"]
            assert wait.settlement().outcome == "completed"
            for event in client.run_events():
                assert event.event == "snapshot"
                break
            assert threading.active_count() > before
        with pytest.raises(TurnwireFault, match="closed"):
            client.get_run(run_id="r")
    assert threading.active_count() == before


def test_a_blocking_call_is_aborted_from_another_thread() -> None:
    signal = AbortSignal()
    with Served(parked) as served, Client(served.url) as client:
        threading.Timer(0.1, signal.abort).start()
        began = time.monotonic()
        with pytest.raises(TurnwireFault) as caught:
            client.get_run(run_id="r", options=CallOptions(signal=signal))
        assert (caught.value.code, caught.value.certainty) == ("aborted", "unknown")
        assert time.monotonic() - began < 5
