"""The service: its HTTP API, with a route for each operation, and how it is run.

Beside the operations there are streaming imports, health, metrics, and MCP. uvicorn serves it with
limits on slow clients. On SIGTERM nothing new is accepted, running requests are finished, the
worker ends after its batch, and the journal is closed.
"""

from __future__ import annotations

import asyncio
import contextlib
import difflib
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Annotated, Any

import uvicorn
from fastapi import Body, FastAPI, Header, Query, Request, Response, Security
from fastapi.exceptions import RequestValidationError
from fastapi.security import HTTPBearer
from starlette.exceptions import HTTPException
from starlette.middleware.cors import CORSMiddleware
from starlette.routing import Route
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

from .. import __version__
from ..core.errors import InvalidInput, MeridiaError, Refused, Unavailable
from ..core.settings import ServiceSettings
from ..memory import Memory
from .background_worker import BackgroundWorker
from .dispatcher import Caller, Dispatcher
from .import_stream import ImportSlots, ImportStream, import_documentation
from .inspector import pages
from .mcp_server import mcp_over_http
from .monitoring import Metrics, configure_logs
from .operations import OPERATIONS, Operation, Parameters
from .problems import (
    ANSWERS,
    CONTENT_TYPE,
    RequestRefused,
    encoded,
    headers_of,
    problem,
    problem_of,
)
from .request_limits import RequestLimits, is_loopback

_DESCRIPTION = """\
Memory for agents that can show why it remembered. Send `Authorization: Bearer KEY`; `meridia keys
create` makes a key. Every operation takes the space it is about. Errors are RFC 9457 problems."""
_PROBLEM = {
    "description": "A problem (RFC 9457)",
    "content": {
        CONTENT_TYPE: {
            "schema": {
                "type": "object",
                "required": ["type", "title", "status", "detail", "code"],
                "properties": {
                    "type": {"type": "string"},
                    "title": {"type": "string"},
                    "status": {"type": "integer"},
                    "detail": {"type": "string"},
                    "code": {"type": "string"},
                    "errors": {"type": "array", "items": {"type": "object"}},
                },
            }
        }
    },
}
#: Operation → a field of its answer, and the name by which other operations take it.
_LINKS = {
    "recall": ("recall", "recall", ("explain", "replay", "activation")),
    "capture": ("id", "address", ("show", "history")),
    "remember": ("id", "address", ("show", "history")),
    "update": ("id", "address", ("show", "history")),
    "upsert": ("id", "address", ("show", "history")),
}
_STATUSES = (400, 401, 403, 404, 405, 408, 409, 413, 415, 422, 429, 500, 503, 504, 507)
#: Statuses of other layers → our code.
_CODES = {
    400: "invalid_input",
    404: "not_found",
    405: "not_allowed",
    413: "too_large",
    415: "invalid_input",
}
_MISSING, _NOT_ALLOWED = 404, 405
#: Only describes: the key is looked at before any route is.
_BEARER = Security(HTTPBearer(auto_error=False, description="a key of `meridia keys create`"))
_IDEMPOTENCY = Header(
    description="stands for `id` where none is given: the same key again is the same entry",
    min_length=1,
    max_length=255,
)


def create_app(memory: Memory, *, needs_keys: bool = True) -> FastAPI:
    """Return the service over an open memory; it closes the memory when it ends."""
    settings = memory.settings.service
    dispatcher = Dispatcher(memory, settings, needs_keys=needs_keys)
    worker = BackgroundWorker(memory, settings.poll_s)
    dispatcher.on_write = worker.notify
    metrics = Metrics()
    mcp = mcp_over_http(dispatcher)

    @contextlib.asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        worker.start()
        async with mcp.run():
            yield
        dispatcher.close()
        worker.stop()
        memory.close()

    app = FastAPI(
        title="Meridia",
        version=__version__,
        description=_DESCRIPTION,
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        responses=dict.fromkeys(_STATUSES, _PROBLEM),
    )
    _add_problems(app)
    for operation in OPERATIONS:
        _add_operation(app, dispatcher, operation)
    _add_import(app, dispatcher)
    _add_spaces(app, dispatcher)
    _add_health(app, worker, metrics)
    app.router.routes.append(Route("/mcp", mcp.serve, name="mcp", methods=["POST"]))
    app.router.routes.extend(pages.routes(memory, needs_keys=needs_keys))
    if settings.cors_origins:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=list(settings.cors_origins),
            allow_methods=["GET", "POST"],
            allow_headers=["authorization", "content-type", "idempotency-key"],
        )
    app.add_middleware(RequestLimits, dispatcher=dispatcher, metrics=metrics)
    return app


def _add_operation(app: FastAPI, dispatcher: Dispatcher, operation: Operation) -> None:
    """Add the route of one operation."""

    async def read(request: Request, given: Any) -> Response:
        caller: Caller = request.state.caller
        return _json(await dispatcher.run_async(operation, caller, given))

    async def write(
        request: Request,
        given: Any,
        idempotency_key: Annotated[str | None, _IDEMPOTENCY] = None,
    ) -> Response:
        return await read(
            request, given if idempotency_key is None else _with_id(given, idempotency_key)
        )

    source = Query() if operation.takes_query else Body()
    endpoint = read if operation.is_reading else write
    endpoint.__annotations__["given"] = Annotated[operation.parameters, source]
    app.add_api_route(
        operation.path,
        endpoint,
        methods=["GET" if operation.takes_query else "POST"],
        summary=operation.summary.partition(".")[0],
        description=f"{operation.summary}\n\nNeeds {operation.access.name.lower()} access.",
        operation_id=operation.name,
        response_model=ANSWERS.get(operation.name, dict[str, Any]),
        responses=_links(operation),
        dependencies=[_BEARER],
        tags=[operation.access.name.lower()],
    )


def _links(operation: Operation) -> dict[int | str, dict[str, Any]]:
    """Describe what an answer can be asked about further."""
    if operation.name not in _LINKS:
        return {}
    field, parameter, names = _LINKS[operation.name]
    links = {
        f"{name} of {operation.name}": {
            "operationId": name,
            "parameters": {parameter: f"$response.body#/{field}"},
        }
        for name in names
    }
    return {200: {"description": "Successful Response", "links": links}}


def _with_id(given: Parameters, key: str) -> Parameters:
    """Return what was given with an id of the caller's, where it has none.

    Raises `InvalidInput` where it takes none: a key that nobody keeps would promise too much.
    """
    for name in ("events", "messages"):
        if name in type(given).model_fields:
            items = [{"id": f"{key}/{n}", **item} for n, item in enumerate(getattr(given, name))]
            return given.model_copy(update={name: items})
    field = type(given).model_fields.get("id")
    if field is None or field.is_required():
        raise InvalidInput(
            "this operation takes no Idempotency-Key: omit it; the same request can be repeated"
        )
    return given if getattr(given, "id", None) else given.model_copy(update={"id": key})


def _add_import(app: FastAPI, dispatcher: Dispatcher) -> None:
    """Add the route that reads and answers as a stream."""
    slots = ImportSlots()

    async def import_(
        request: Request, space: str | None = None, format: str = "native"
    ) -> ImportStream:
        caller: Caller = request.state.caller
        return ImportStream(dispatcher, slots, caller, space, format, request.receive)

    app.add_api_route(
        "/v1/import",
        import_,
        methods=["POST"],
        response_class=Response,
        operation_id="import",
        dependencies=[_BEARER],
        tags=["write"],
        **import_documentation(),
    )


def _add_spaces(app: FastAPI, dispatcher: Dispatcher) -> None:
    """Add the list of the spaces that a key opens: it is about no space."""

    async def spaces(request: Request) -> Response:
        """List the spaces that the key opens."""
        caller: Caller = request.state.caller
        return _json({"items": await dispatcher.work(lambda: dispatcher.spaces(caller))})

    app.add_api_route(
        "/v1/spaces",
        spaces,
        response_class=Response,
        operation_id="spaces",
        dependencies=[_BEARER],
        tags=["read"],
    )


def _add_health(app: FastAPI, worker: BackgroundWorker, metrics: Metrics) -> None:
    """Add what monitors ask."""

    async def healthz() -> Response:
        """Say that the process answers."""
        return _json({"status": "ok"})

    def readyz() -> Response:
        """Say whether the journal can be read, and how far each projection is behind."""
        return _json({"status": "ok", "lag": worker.lag()})

    def metrics_text() -> Response:
        """Return metrics for Prometheus."""
        text = metrics.text(worker.lag(), worker.failures)
        return Response(text, media_type="text/plain; version=0.0.4")

    for path, endpoint in (
        ("/healthz", healthz),
        ("/readyz", readyz),
        ("/metrics", metrics_text),
    ):
        app.add_api_route(
            path, endpoint, response_class=Response, operation_id=path[1:], tags=["health"]
        )


#: A page of others may send any other type without asking: see SECURITY.md.
_NO_JSON = "the body is not sent as JSON: add the header Content-Type: application/json"


def _add_problems(app: FastAPI) -> None:
    """Turn every error into a problem document."""

    async def raised(_: Request, error: Exception) -> Response:
        assert isinstance(error, MeridiaError | RequestRefused)
        return _problem(*problem_of(error), headers_of(error))

    async def invalid(request: Request, error: Exception) -> Response:
        assert isinstance(error, RequestValidationError)
        if request.method == "POST" and "json" not in request.headers.get("content-type", ""):
            return _problem(*problem("invalid_input", _NO_JSON), {})
        errors = [
            {"location": [str(place) for place in problem["loc"]], "message": problem["msg"]}
            for problem in error.errors()
        ]
        where = "; ".join(f"{'.'.join(e['location'])}: {e['message']}" for e in errors)
        return _problem(*problem("invalid_input", where, errors), {})

    async def other(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        detail = _unknown(request, error) or str(error.detail)
        document = problem(_CODES.get(error.status_code, "failed"), detail)[1]
        document["status"] = error.status_code
        return _problem(error.status_code, document, dict(error.headers or {}))

    handlers: dict[type[Exception], Callable[[Request, Exception], Awaitable[Response]]] = {
        MeridiaError: raised,
        RequestRefused: raised,
        RequestValidationError: invalid,
        HTTPException: other,
    }
    for kind, handler in handlers.items():
        app.add_exception_handler(kind, handler)


def _unknown(request: Request, error: HTTPException) -> str | None:
    """Return what there is where a path or its method is not; None for other errors."""
    path, method = request.url.path[:200], request.method
    lists = "GET /openapi.json lists what there is"
    if error.status_code == _NOT_ALLOWED:
        allowed = ", ".join(sorted((error.headers or {}).get("Allow", "").split(", ")))
        return f"{method} is not allowed for {path}: use {allowed}; {lists}"
    if error.status_code == _MISSING:
        paths = [str(getattr(route, "path", "")) for route in request.app.routes]
        near = difflib.get_close_matches(path, paths, 1)
        meant = f"; did you mean {near[0]}?" if near else ""
        return f"there is no {path} ({method} was asked){meant}; {lists}, GET / leads to it"
    return None


def _json(document: dict[str, Any]) -> Response:
    return Response(encoded(document), media_type="application/json")


def _problem(status: int, document: dict[str, Any], headers: dict[str, str]) -> Response:
    return Response(encoded(document), status, headers, CONTENT_TYPE)


_BACKLOG = 512


def serve(memory: Memory, *, needs_keys: bool, on_ready: Callable[[str], None]) -> None:
    """Serve until SIGTERM or SIGINT; `on_ready` hears the address. Closes the memory.

    Raises `Refused` where no keys are wanted on an address that others reach, and `Unavailable`
    where the address cannot be had.
    """
    server, listening = open_server(memory, needs_keys=needs_keys)
    configure_logs()
    address, port, *_ = listening.getsockname()
    on_ready(f"http://{f'[{address}]' if ':' in address else address}:{port}")
    server.run(sockets=[listening])


def open_server(memory: Memory, *, needs_keys: bool) -> tuple[uvicorn.Server, socket.socket]:
    """Return a server that is not running yet, and the socket that it listens on."""
    settings = memory.settings.service
    if not needs_keys and not is_loopback(settings.address):
        raise Refused(
            f"without keys the service listens on this machine only, not on {settings.address}: "
            "use 127.0.0.1, or make a key with `meridia keys create`"
        )
    listening = _listen(settings)
    config = uvicorn.Config(
        create_app(memory, needs_keys=needs_keys),
        http=type("Protocol", (PatientProtocol,), {"transfer_s": settings.transfer_s}),
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=settings.drain_s,
        timeout_keep_alive=int(max(5, settings.transfer_s)),
    )
    return uvicorn.Server(config), listening


def _listen(settings: ServiceSettings) -> socket.socket:
    try:
        family, *_, where = socket.getaddrinfo(
            settings.address, settings.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        return socket.create_server(where[:2], family=family, backlog=_BACKLOG)
    except socket.gaierror as error:
        raise InvalidInput(
            f"{settings.address!r} is not a valid address: {error.strerror}"
        ) from None
    except OSError as error:
        raise Unavailable(
            f"cannot listen on {settings.address}:{settings.port}: {error.strerror}"
        ) from None


class PatientProtocol(H11Protocol):
    """uvicorn's protocol, which also ends who sends no whole headers or reads nothing in time."""

    transfer_s = 20.0
    _waits: asyncio.TimerHandle | None = None
    _reads: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Begin to wait for the first request."""
        # An answer's body would wait until the client, after 40 ms, says that it has the head:
        # asyncio does this only for sockets that name their protocol, which ours does not.
        transport.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        super().connection_made(transport)
        self._watch()

    def data_received(self, data: bytes) -> None:
        """Wait on, or no longer."""
        super().data_received(data)
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait for nothing more."""
        if self._waits is not None:
            self._waits.cancel()
        self.resume_writing()
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        """Begin to wait for the client to read: closing would wait for it too, for ever."""
        super().pause_writing()
        self._expect_less(self.transport.get_write_buffer_size())

    def resume_writing(self) -> None:
        """Wait for no reading any more."""
        if self._reads is not None:
            self._reads.cancel()
        super().resume_writing()

    def _expect_less(self, unread: int) -> None:
        self._reads = self.loop.call_later(self.transfer_s, self._abort_unless_less, unread)

    def _abort_unless_less(self, than: int) -> None:
        unread = self.transport.get_write_buffer_size()
        if unread < than:
            self._expect_less(unread)
        else:
            self.transport.abort()

    def _watch(self) -> None:
        if not self._is_idle() and self._waits is not None:
            self._waits.cancel()
            self._waits = None
        elif self._is_idle() and self._waits is None:
            self._waits = self.loop.call_later(self.transfer_s, self._end)

    def _end(self) -> None:
        self._waits = None
        if self._is_idle():
            self.transport.close()

    def _is_idle(self) -> bool:
        cycle: RequestResponseCycle | None = self.cycle
        return cycle is None or cycle.response_complete
