"""Monitoring of the service: Prometheus metrics, JSON logs, OpenTelemetry spans.

Metrics contain no content, no question and no name of a space; a log line names the key of the
caller.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Mapping

import structlog
from opentelemetry import trace
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

#: Does nothing until the process has an OpenTelemetry SDK.
tracer = trace.get_tracer("meridia")
_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)


class Metrics:
    """The metrics of one service."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._requests = Counter(
            "meridia_requests",
            "Requests answered.",
            ("operation", "status"),
            registry=self._registry,
        )
        self._seconds = Histogram(
            "meridia_request_seconds",
            "Time until a request was answered.",
            ("operation",),
            buckets=_SECONDS,
            registry=self._registry,
        )
        self._lag = Gauge(
            "meridia_projection_lag",
            "Journal sequences that a projection is behind, in the space that is farthest behind.",
            ("projection",),
            registry=self._registry,
        )
        self._failures = Gauge(
            "meridia_worker_failures", "Failures of the worker.", registry=self._registry
        )

    def count(self, operation: str, status: int, seconds: float) -> None:
        """Count one request."""
        self._requests.labels(operation, str(status)).inc()
        self._seconds.labels(operation).observe(seconds)

    def text(self, lags: Mapping[str, int], failures: int) -> bytes:
        """Return all metrics in Prometheus's text format."""
        for projection, lag in lags.items():
            self._lag.labels(projection).set(lag)
        self._failures.set(failures)
        return generate_latest(self._registry)


def configure_logs() -> None:
    """Write logs on standard error, one line of JSON each; those of libraries too."""
    shared: list[structlog.typing.Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        wrapper_class=structlog.stdlib.BoundLogger,
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                structlog.processors.format_exc_info,
                structlog.processors.JSONRenderer(),
            ],
        )
    )
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.INFO)
