"""The client makes each call of a back end as openapi.json has it: every parameter and field of its examples."""

from __future__ import annotations

import asyncio
import json
import keyword
import re
import unittest
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx

from carillon_client import AsyncCarillon, Carillon

TAGS = {"Notifications", "Audiences", "Devices", "Users", "Channels", "Webhooks"}
DOCUMENT = json.loads((Path(__file__).parents[2] / "openapi.json").read_text())
CALLS = [
    (method, path, operation)
    for path, by_method in DOCUMENT["paths"].items()
    for method, operation in by_method.items()
    if path.startswith("/v6/") and TAGS & set(operation["tags"])
]


def lines_in(text: str) -> list[Any]:
    lines = [line.removeprefix("data: ") for line in text.splitlines()]
    return [json.loads(line) for line in lines if line.startswith("{")]


class Example:
    """One call of the document: what the program gives, and what the server gets and replies."""

    def __init__(self, path: str, operation: dict[str, Any]) -> None:
        self.name = re.sub("[A-Z]", lambda letter: "_" + letter[0].lower(), operation["operationId"])
        parameters = {place: {} for place in ("path", "query", "header")}  # type: dict[str, dict[str, Any]]
        for parameter in operation["parameters"]:
            parameters[parameter["in"]][parameter["name"]] = parameter["example"]
        parameters["query"].pop("format", None)
        self.path = re.sub(r"\{(\w+)\}", lambda name: quote(parameters["path"][name[1]], safe=""), path)
        self.query = {name: str(value) for name, value in parameters["query"].items()}
        self.key = parameters["header"].get("Idempotency-Key")
        contents = operation.get("requestBody", {}).get("content", {})
        body = next((content.get("example") for content in contents.values()), None)
        self.body: Any = lines_in(body) if isinstance(body, str) else body
        self.positional = [*parameters["path"].values()]
        self.named = {**parameters["query"]}
        if isinstance(self.body, list):
            self.positional.append(self.body)
        elif self.body is not None:
            self.named.update(self.body)
        if self.key is not None:
            self.named["idempotency_key"] = self.key
        self.named = {f"{name}_" if keyword.iskeyword(name) else name: value for name, value in self.named.items()}
        replies = [
            (int(status), reply) for status, reply in operation["responses"].items() if status[0] == "2"
        ]
        self.status, reply = replies[0]
        content: dict[str, Any] = reply.get("content", {})
        media_type = next(iter(content), None)
        example = content[media_type]["example"] if media_type is not None else None
        self.is_stream = isinstance(example, str)
        self.reply = lines_in(example) if isinstance(example, str) else example or None
        text = example if isinstance(example, str) else json.dumps(example)
        headers = {} if media_type is None else {"content-type": media_type}
        self.response = httpx.Response(self.status, headers=headers, text="" if media_type is None else text)

        self.requests: list[httpx.Request] = []
        self.transport = httpx.MockTransport(self.answer)

    def answer(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        return self.response

    def body_in(self, request: httpx.Request) -> Any:
        """What the request has in its body, apart from the keys that the client makes."""
        text = request.content.decode()
        if request.headers.get("content-type") == "application/x-ndjson":
            return lines_in(text)
        body: Any = json.loads(text) if text else None
        if self.name == "create_notifications":
            return [{key: item[key] for key in sent} for item, sent in zip(body, self.body, strict=True)]
        return body


class Calls(unittest.TestCase):
    def check(self, method: str, example: Example, reply: Any) -> None:
        [request] = example.requests
        path = request.url.raw_path.partition(b"?")[0].decode()
        self.assertEqual((request.method, path), (method.upper(), example.path))
        self.assertEqual(dict(request.url.params), example.query)
        self.assertEqual(request.headers.get("idempotency-key"), example.key)
        self.assertEqual(example.body_in(request), example.body)
        self.assertEqual(reply, example.reply)

    def test_send_what_the_document_has_and_return_its_reply(self) -> None:
        self.assertGreater(len(CALLS), 50)
        for method, path, operation in CALLS:
            example = Example(path, operation)
            with self.subTest(example.name):
                carillon = Carillon("http://carillon.test", "secret", transport=example.transport)
                reply = getattr(carillon, example.name)(*example.positional, **example.named)
                self.check(method, example, list(reply) if example.is_stream else reply)

    def test_do_the_same_with_asyncio(self) -> None:
        async def made(example: Example) -> Any:
            async with AsyncCarillon(
                "http://carillon.test", "secret", transport=example.transport
            ) as carillon:
                reply = getattr(carillon, example.name)(*example.positional, **example.named)
                return [each async for each in reply] if example.is_stream else await reply

        for method, path, operation in CALLS:
            example = Example(path, operation)
            with self.subTest(example.name):
                self.check(method, example, asyncio.run(made(example)))


if __name__ == "__main__":
    unittest.main()
