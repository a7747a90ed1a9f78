"""Sends pushes by pywebpush, which codes them by http_ece. Reads JSON from standard input, prints the statuses as JSON."""

import json
import sys

from pywebpush import WebPushException, webpush


def status_of(push: dict, private_key: str) -> int:
    try:
        return webpush(
            push["subscription"],
            data=push["text"],
            vapid_private_key=private_key,
            vapid_claims={"sub": "mailto:push@example.com"},
            ttl=push["ttl"],
            headers={"urgency": "high", "topic": "news", **push["headers"]},
            timeout=60,
        ).status_code
    except WebPushException as refused:
        return refused.response.status_code


asked = json.load(sys.stdin)
print(json.dumps([status_of(push, asked["privateKey"]) for push in asked["pushes"]]))
