"""Metrics and logs of the service."""

from __future__ import annotations

import json
import logging

import structlog

from meridia.service.monitoring import Metrics, configure_logs


def test_requests_are_counted_by_operation_and_status():
    metrics = Metrics()
    metrics.count("/v1/recall", 200, 0.02)
    metrics.count("/v1/recall", 200, 0.02)
    text = metrics.text({"graph": 3}, 1).decode()
    assert 'meridia_requests_total{operation="/v1/recall",status="200"} 2.0' in text
    assert 'meridia_request_seconds_bucket{le="0.025",operation="/v1/recall"} 2.0' in text
    assert 'meridia_projection_lag{projection="graph"} 3.0' in text
    assert "meridia_worker_failures 1.0" in text


def test_logs_are_lines_of_json_those_of_libraries_too(capsys):
    root, before = logging.getLogger(), (logging.getLogger().handlers[:], logging.getLogger().level)
    try:
        configure_logs()
        structlog.get_logger("ours").info("request", status=200)
        logging.getLogger("theirs").warning("slow")
    finally:
        root.handlers[:], root.level = before
        structlog.reset_defaults()
    ours, theirs = map(json.loads, capsys.readouterr().err.splitlines())
    assert (ours["event"], ours["status"], ours["level"]) == ("request", 200, "info")
    assert (theirs["event"], theirs["level"]) == ("slow", "warning")
