"""The conformance server as an ASGI application, for Hypercorn."""
import collections

requests = collections.Counter()


async def app(scope, receive, send):
    if scope["type"] == "lifespan":
        while True:
            message = await receive()
            await send({"type": message["type"] + ".complete"})
            if message["type"] == "lifespan.shutdown":
                return
    length = 0
    more = True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            return
        length += len(message.get("body", b""))
        more = message.get("more_body", False)
    path = scope["path"]
    if path == "/requests":
        status, headers = 203, []
        body = f"{len(requests)} {sum(requests.values())}"
    else:
        requests[path] += 1
        status, body = 201, f"{path} {length}"
        headers = [(name, value) for name, value in scope["headers"] if name == b"x-own"]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body.encode()})
