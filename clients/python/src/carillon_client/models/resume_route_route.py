from typing import Literal, cast

ResumeRouteRoute = Literal["apns_production", "apns_sandbox", "fcm"]


def check_resume_route_route(value: str) -> ResumeRouteRoute:
    # A later server may have a value that this client does not know: the reply is read all the same.
    return cast(ResumeRouteRoute, value)
