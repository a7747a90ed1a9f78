"""Gives each call a key with one permission that the document names, and sends lines as they are: their schema is a text."""

import json
import os

import schemathesis
from schemathesis.transport.requests import REQUESTS_TRANSPORT

AUTHORIZATIONS = json.loads(os.environ["AUTHORIZATIONS"])


def permission_of(case, context):
    return next((names[0] for each in case.operation.definition.raw["security"] for names in each.values()), None)


@schemathesis.auth(cache_by_key=permission_of)
class KeyOfCall:
    def get(self, case, context):
        return AUTHORIZATIONS.get(permission_of(case, context))

    def set(self, case, data, context):
        if data is not None:
            case.headers["Authorization"] = data


@REQUESTS_TRANSPORT.serializer("application/x-ndjson")
def send_lines(context, value):
    return {"data": value if isinstance(value, bytes) else str(value).encode("utf-8", "surrogatepass")}
