"""A queue of jobs as a Starlette application with a background worker, for `uvicorn starlette_jobs:app`.

`FAULT=result` gives every third job a wrong result.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import uuid
from collections.abc import AsyncIterator
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

JOBS: dict[str, dict[str, Any]] = {}
WAITING: asyncio.Queue[str] = asyncio.Queue()


async def work() -> None:
    while True:
        job = JOBS.get(await WAITING.get())
        if job is None or job["state"] != "waiting":
            continue
        job["state"] = "running"
        await asyncio.sleep(random.uniform(0.0, 0.05))
        wrong = os.environ.get("FAULT") == "result" and len(JOBS) > 2
        job.update(state="done", result=job["size"] ** 2 + wrong)


@contextlib.asynccontextmanager
async def living(app: Starlette) -> AsyncIterator[None]:
    worker = asyncio.create_task(work())
    yield
    worker.cancel()


async def submit(request: Request) -> Response:
    name = uuid.uuid4().hex
    JOBS[name] = {"id": name, "state": "waiting", "size": (await request.json())["size"]}
    await WAITING.put(name)
    return JSONResponse({"id": name}, 202)


async def look(request: Request) -> Response:
    job = JOBS.get(request.path_params["name"])
    return JSONResponse(job, 200) if job else Response(status_code=404)


async def cancel(request: Request) -> Response:
    job = JOBS.get(request.path_params["name"])
    if job is None or job["state"] != "waiting":
        return Response(status_code=409)
    job["state"] = "cancelled"
    return Response(status_code=204)


async def reset(request: Request) -> Response:
    JOBS.clear()
    return Response(status_code=204)


app = Starlette(
    routes=[
        Route("/jobs", submit, methods=["POST"]),
        Route("/jobs/{name}", look, methods=["GET"]),
        Route("/jobs/{name}", cancel, methods=["DELETE"]),
        Route("/reset", reset, methods=["POST"]),
    ],
    lifespan=living,
)
