"""The layer of ours: repetition, keys, errors, lists and lines, without a server."""

from __future__ import annotations

import asyncio
import json
import unittest
import uuid
from collections.abc import Callable
from typing import Any

import httpx

from carillon_client import ApiError, AsyncCarillon, Carillon, NoReplyError, async_pages, pages
from carillon_client._lines import groups_of
from carillon_client._tries import Limits, Tries
from carillon_client.errors import retry_after
from carillon_client.types import AndroidRegistration, BatchItem, NotificationRequest

NOTIFICATION: NotificationRequest = {"to": {"user_id": "user-17"}, "payload": {"alert": "Hello"}}
STORED = {
    "created_at": "2026-11-21T01:13:41.129Z",
    "state": "scheduled",
    "id": str(uuid.uuid4()),
    "to": {"id": "user-17", "type": "User"},
}
LOST = httpx.ReadError("connection reset")

Answer = httpx.Response | Exception


class Server:
    """Answers one request after the other, and keeps them."""

    def __init__(self, *answers: Answer) -> None:
        self.answers = list(answers)
        self.requests: list[httpx.Request] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        request.read()
        self.requests.append(request)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


def client(server: Callable[[httpx.Request], httpx.Response]) -> Carillon:
    return Carillon("http://carillon.test/push", "secret", backoff=0, transport=httpx.MockTransport(server))


def refusal(status: int, code: str, **headers: str) -> httpx.Response:
    return httpx.Response(status, json={"error": "A sentence.", "code": code}, headers=headers)


def stored(**more: Any) -> httpx.Response:
    return httpx.Response(201, json={**STORED, "notification": {}, **more})


def audiences(name: str, cursor: str | None) -> httpx.Response:
    audience = {
        "id": str(uuid.uuid4()),
        "name": name,
        "created_at": STORED["created_at"],
        "updated_at": STORED["created_at"],
        "test": False,
        "kind": "named",
        "last_used_at": STORED["created_at"],
        "filters": None,
    }
    return httpx.Response(200, json={"audiences": [audience], "meta": {"cursor": cursor}})


class Repetition(unittest.TestCase):
    def test_a_notification_is_sent_again_with_the_same_key(self) -> None:
        server = Server(LOST, refusal(503, "unavailable"), refusal(429, "rate_limited"), stored())
        client(server).create_notification(NOTIFICATION)
        keys = {request.headers["idempotency-key"] for request in server.requests}
        self.assertEqual((len(server.requests), len(keys)), (4, 1))

    def test_another_call_has_another_key_and_a_given_key_stays(self) -> None:
        server = Server(stored(), stored(), stored())
        carillon = client(server)
        carillon.create_notification(NOTIFICATION)
        carillon.create_notification(NOTIFICATION)
        carillon.create_notification(NOTIFICATION, idempotency_key="mine")
        keys = [request.headers["idempotency-key"] for request in server.requests]
        self.assertEqual((len(set(keys)), keys[2]), (3, "mine"))

    def test_each_item_of_a_batch_has_a_key_which_stays(self) -> None:
        server = Server(LOST, httpx.Response(200, json=[]))
        client(server).create_notifications(
            [{"notification": NOTIFICATION}, {"notification": NOTIFICATION, "idempotency_key": "mine"}]
        )
        first, second = [json.loads(request.content) for request in server.requests]
        self.assertEqual(first, second)
        self.assertEqual(first[1]["idempotency_key"], "mine")
        self.assertTrue(uuid.UUID(first[0]["idempotency_key"]))

    def test_what_would_have_an_effect_twice_is_repeated_only_after_429(self) -> None:
        for failure in (LOST, refusal(503, "unavailable")):
            server = Server(failure)
            with self.assertRaises((NoReplyError, ApiError)):
                client(server).report_device_events("a", [{"name": "purchase"}])
            self.assertEqual(len(server.requests), 1)
        server = Server(refusal(429, "rate_limited"), httpx.Response(202, json={}))
        client(server).report_device_events("a", [{"name": "purchase"}])
        self.assertEqual(len(server.requests), 2)

    def test_waits_as_long_as_the_server_asks_and_a_random_time_that_doubles(self) -> None:
        tries = Tries("reads", Limits(backoff=0.1, clock=lambda: 0.0, random=lambda: 1.0))
        asked = refusal(503, "unavailable", **{"Retry-After": "3"})
        waits = [tries.wait_after(attempt, asked) for attempt in range(5)]
        self.assertEqual(waits, [3.1, 3.2, 3.4, 3.8, None])

    def test_ends_early_if_the_server_asks_for_more_time_than_the_call_has(self) -> None:
        tries = Tries("reads", Limits(call_timeout=2))
        self.assertIsNone(tries.wait_after(0, refusal(503, "unavailable", **{"Retry-After": "3"})))

    def test_a_try_has_no_more_time_than_the_call(self) -> None:
        now = [0.0]
        tries = Tries("reads", Limits(timeout=30, call_timeout=40, clock=lambda: now[0]))
        self.assertEqual(tries.timeout(), 30)
        now[0] = 35.0
        self.assertEqual(tries.timeout(), 5)

    def test_reads_a_retry_after_in_both_of_its_forms(self) -> None:
        headers = ["7", "Tue, 24 Nov 2020 12:00:00 GMT", "soon", ""]
        replies = [httpx.Response(503, headers={"Retry-After": header}) for header in headers]
        self.assertEqual([retry_after(reply) for reply in replies], [7.0, 0.0, None, None])


class Errors(unittest.TestCase):
    def test_have_the_code_and_the_faults_and_the_id_of_the_request(self) -> None:
        fault = {"path": "notification.payload.badge", "message": "must not be negative"}
        envelope = {"error": "A sentence.", "code": "invalid_request", "details": [fault]}
        server = Server(httpx.Response(422, json=envelope, headers={"x-request-id": "r1"}))
        with self.assertRaises(ApiError) as caught:
            client(server).call("GET", "/v6/app")
        error = caught.exception
        self.assertEqual((str(error), error.status, error.code), ("A sentence.", 422, "invalid_request"))
        self.assertEqual(error.details, [fault])
        self.assertEqual((error.request_id, error.retry_after), ("r1", None))

    def test_of_a_proxy_have_no_code(self) -> None:
        server = Server(httpx.Response(404, text="<h1>Not found</h1>"))
        with self.assertRaises(ApiError) as caught:
            client(server).call("GET", "/v6/app")
        self.assertEqual((caught.exception.code, caught.exception.status), ("unknown", 404))

    def test_without_a_reply_have_the_cause(self) -> None:
        carillon = Carillon(
            "http://carillon.test", "", retries=0, transport=httpx.MockTransport(Server(LOST))
        )
        with self.assertRaises(NoReplyError) as caught:
            carillon.call("GET", "/healthz")
        self.assertIs(caught.exception.__cause__, LOST)


class Requests(unittest.TestCase):
    def test_go_below_the_path_of_a_proxy_with_the_key_as_password(self) -> None:
        server = Server(httpx.Response(200, json={"status": "up"}))
        client(server).call("GET", "/healthz")
        [request] = server.requests
        self.assertEqual(str(request.url), "http://carillon.test/push/healthz")
        self.assertEqual(request.headers["authorization"], "Basic OnNlY3JldA==")


class Replies(unittest.TestCase):
    def test_of_a_later_server_are_read_with_values_and_keys_that_are_not_known(self) -> None:
        later = {**STORED, "state": "postponed", "a_new_key": 1}
        server = Server(httpx.Response(200, json=later))
        self.assertEqual(client(server).read_notification("a"), later)

    def test_keep_every_digit_of_a_whole_number(self) -> None:
        text = '{"device": {"custom": {"visits": {"type": "integer", "value": 9007199254740993}}}}'
        server = Server(httpx.Response(200, text=text, headers={"content-type": "application/json"}))
        custom = client(server).read_device("a")["device"]["custom"]
        self.assertEqual(custom["visits"]["value"], 9007199254740993)


class ManyAtOnce(unittest.TestCase):
    def test_pages_are_read_until_the_cursor_is_null(self) -> None:
        server = Server(audiences("a", "next"), audiences("b", None))
        carillon = client(server)
        every_page = pages(lambda cursor: carillon.list_audiences(cursor=cursor))
        self.assertEqual(
            [audience["name"] for page in every_page for audience in page["audiences"]], ["a", "b"]
        )
        self.assertEqual([request.url.params.get("cursor") for request in server.requests], [None, "next"])

    def test_batches_number_their_entries_from_the_first_item(self) -> None:
        def entries(request: httpx.Request) -> httpx.Response:
            count = len(json.loads(request.content))
            return httpx.Response(
                200, json=[{**STORED, "line": n, "status": 201} for n in range(1, count + 1)]
            )

        sent = client(entries).send_many({"notification": NOTIFICATION} for _ in range(1_001))
        self.assertEqual([entry["line"] for entry in sent], list(range(1, 1_002)))

    def test_groups_fit_in_a_batch(self) -> None:
        large: BatchItem = {"notification": {"to": "*", "payload": {"alert": "x" * 3 * 1024 * 1024}}}
        small: BatchItem = {"notification": NOTIFICATION}
        self.assertEqual([len(group) for group in groups_of([large] * 5)], [2, 2, 1])
        self.assertEqual([len(group) for group in groups_of([small] * 2_500)], [1_000, 1_000, 500])

    def test_devices_are_imported_as_lines(self) -> None:
        result = {"imported": 2, "updated": 0, "unchanged": 0, "rejected_count": 0, "rejected": []}
        server = Server(httpx.Response(200, json=result))
        devices: list[AndroidRegistration] = [
            {"platform": "Android", "push_token": f"token-{n}"} for n in range(2)
        ]
        self.assertEqual(client(server).import_devices(iter(devices))["imported"], 2)
        lines = server.requests[0].content.decode().splitlines()
        self.assertEqual([json.loads(line)["push_token"] for line in lines], ["token-0", "token-1"])

    def test_an_export_that_breaks_off_is_no_reply(self) -> None:
        class Broken(httpx.SyncByteStream):
            def __iter__(self) -> Any:
                yield b"\n"
                raise LOST

        server = Server(httpx.Response(200, stream=Broken()))
        with self.assertRaises(NoReplyError):
            list(client(server).watch_notification("a"))


class Asynchronous(unittest.TestCase):
    def test_calls_and_pages_and_batches_do_the_same(self) -> None:
        entry = {**STORED, "line": 1, "status": 201}
        server = Server(
            LOST, stored(), audiences("a", "next"), audiences("b", None), httpx.Response(200, json=[entry])
        )

        async def run() -> tuple[list[str], list[int]]:
            transport = httpx.MockTransport(server)
            async with AsyncCarillon("http://carillon.test", "", backoff=0, transport=transport) as carillon:
                await carillon.create_notification(NOTIFICATION)
                every_page = async_pages(lambda cursor: carillon.list_audiences(cursor=cursor))
                names = [audience["name"] async for page in every_page for audience in page["audiences"]]
                sent = carillon.send_many([{"notification": NOTIFICATION}])
                return names, [entry["line"] async for entry in sent]

        self.assertEqual(asyncio.run(run()), (["a", "b"], [1]))
        first, second = server.requests[:2]
        self.assertEqual(first.headers["idempotency-key"], second.headers["idempotency-key"])


if __name__ == "__main__":
    unittest.main()
