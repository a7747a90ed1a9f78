"""The sections of docs/api.md for administrators, about the app, and about the health of the server."""

from __future__ import annotations

from carillon_client import Carillon
from carillon_client.api.audit import list_audit
from carillon_client.api.service import read_liveness, read_metrics, read_overview, read_readiness
from carillon_client.api.settings import create_key, list_credentials
from carillon_client.models import CreateKey, CreateKeyKey
from show import show


def work_as_admin(carillon: Carillon) -> None:
    key = CreateKeyKey(name="back end", scopes=["read", "write"])
    show(
        "Keys and credentials > Create an API key",
        create_key.sync(client=carillon, body=CreateKey(key)),
    )
    routes = list_credentials.sync(client=carillon).routes
    show("Keys and credentials > Read credentials and routes", routes)

    show("Audit log", list_audit.sync(client=carillon, action="devices.imported", per=1))
    show("Audit log", sum(entry.action == "devices.imported" for entry in carillon.export_audit()))


def read_the_app(carillon: Carillon) -> None:
    overview = read_overview.sync(client=carillon, days=1, time_zone="Europe/London").overview
    show("The app > Overview", overview.attention)

    show("Health and metrics", read_liveness.sync(client=carillon))
    show("Health and metrics", read_readiness.sync(client=carillon))
    show("Health and metrics", "carillon_pushes_total" in read_metrics.sync(client=carillon))
