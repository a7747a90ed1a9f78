"""The sections of docs/api.md for administrators and about the server: calls for which the client has no function."""

from __future__ import annotations

from carillon_client import Carillon
from show import show


def work_as_admin(carillon: Carillon) -> None:
    key = {"name": "back end", "scopes": ["read", "write"]}
    made = carillon.call("POST", "/v6/keys", body={"key": key})
    show("Keys and credentials > Create an API key", made)
    show("Keys and credentials > Read credentials and routes", carillon.call("GET", "/v6/credentials"))
    query: dict[str, str | int | float] = {"action": "devices.imported", "per": 1}
    show("Audit log", carillon.call("GET", "/v6/audit", query=query))


def read_the_app(carillon: Carillon) -> None:
    query: dict[str, str | int | float] = {"days": 1, "time_zone": "Europe/London"}
    show("The app > Overview", carillon.call("GET", "/v6/overview", query=query))
    show("The app > Status", carillon.call("GET", "/v6/status"))
    show("Health and metrics", carillon.call("GET", "/healthz"))
    show("Health and metrics", carillon.call("GET", "/readyz"))
    show("Health and metrics", "carillon_pushes_total" in carillon.call("GET", "/metrics"))
