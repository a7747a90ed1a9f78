from typing import Literal, cast

ReadinessQueue = Literal["down", "up"]


def check_readiness_queue(value: str) -> ReadinessQueue:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(ReadinessQueue, value)
