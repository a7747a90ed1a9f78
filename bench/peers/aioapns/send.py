"""Sends by aioapns: one client with its pool of connections, and a task for each push in flight."""

import asyncio
import json
import ssl
import sys
import time

from aioapns import APNs, NotificationRequest, PushType
from aioapns.connection import APNsProductionClientProtocol

given = json.loads(sys.stdin.readline())
# Its address of Apple is fixed; these are the attributes that it connects by.
APNsProductionClientProtocol.APNS_SERVER = given["host"]
APNsProductionClientProtocol.APNS_PORT = given["port"]
with open(given["tokensFile"]) as file:
    tokens = file.read().split()
with open(given["keyFile"]) as file:
    key = file.read()


def message(alert):
    return {"aps": {"alert": alert}, "order_id": 4711, "_nid": given["notificationId"]}


async def send(client, numbers, different):
    accepted = 0
    equal = message("Hello")

    async def send_some():
        nonlocal accepted
        for number in numbers:
            request = NotificationRequest(
                device_token=tokens[number],
                message=message(f"Hello user-{number}") if different else equal,
                time_to_live=0,
                priority=10,
                collapse_key=given["notificationId"],
                push_type=PushType.ALERT,
            )
            if (await client.send_notification(request)).is_successful:
                accepted += 1

    await asyncio.gather(*(send_some() for _ in range(given["inFlight"])))
    return accepted


async def main():
    context = ssl.create_default_context(cafile=given["caFile"])
    context.set_alpn_protocols(["h2"])  # Apple speaks HTTP/2 without being asked, other servers do not
    client = APNs(
        key=key,
        key_id=given["keyId"],
        team_id=given["teamId"],
        topic=given["topic"],
        ssl_context=context,
    )
    while line := await asyncio.to_thread(sys.stdin.readline):
        run = json.loads(line)
        numbers = iter(range(run["first"], run["first"] + run["count"]))
        started = time.perf_counter()
        accepted = await send(client, numbers, run["different"])
        print(json.dumps({"accepted": accepted, "ms": (time.perf_counter() - started) * 1000}), flush=True)


asyncio.run(main())
