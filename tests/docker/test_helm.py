"""The chart: its values are checked, and Helm makes of it what replicas need."""

from __future__ import annotations

import json
import shutil
import subprocess
from typing import Any

import jsonschema
import pytest
import yaml

from meridia.core.settings_loader import keys, variable
from tests.needed import missing
from tests.tidy.tree import ROOT, project

CHART = ROOT / "docker" / "helm"
IMAGE = "--set=image.repository=registry.example.org/meridia"
#: A helm that was built by hand thinks of an old one.
CLUSTER = "--kube-version=1.30.0"


def read(name: str) -> Any:
    return yaml.safe_load((CHART / name).read_text("utf-8"))


def test_the_chart_is_of_this_version():
    chart = read("Chart.yaml")
    assert {chart["version"], chart["appVersion"]} == {project()["project"]["version"]}


def test_the_values_and_no_misspelt_ones_conform_to_their_schema():
    schema, values = (
        json.loads((CHART / "values.schema.json").read_text("utf-8")),
        read("values.yaml"),
    )
    jsonschema.validate(values, schema)
    assert set(schema["properties"]) == {*values, "global"}
    for wrong in (
        {"replica": 3},
        {"replicas": 0},
        {"keys": {"grants": []}},
        {"keys": {"grants": [{"entry": "app", "access": "owner", "spaces": ["a"]}]}},
        {"environment": {"MERIDIA_SERVICE_THREADS": 4}},
    ):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(values | wrong, schema)


def rendered(*given: str) -> dict[tuple[str, str], Any]:
    """Return what Helm makes, by kind and name."""
    program = shutil.which("helm")
    if program is None:
        missing("HELM", "this test needs the program helm")
    subprocess.run([program, "lint", "--strict", str(CHART), CLUSTER, IMAGE, *given], check=True)
    command = [program, "template", "meridia", str(CHART), CLUSTER, IMAGE, *given]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    made = [one for one in yaml.safe_load_all(text) if one]
    return {(one["kind"], one["metadata"]["name"]): one for one in made}


@pytest.mark.thorough
def test_replicas_take_their_keys_follow_the_journal_and_are_probed():
    grant = "keys.grants[0].entry=app,keys.grants[0].access=write,keys.grants[0].spaces={*}"
    made = rendered(f"--set={grant}", "--set-string=environment.MERIDIA_RECALL_ORDER=0")
    pods = made["StatefulSet", "meridia"]["spec"]["template"]["spec"]
    (served,) = pods["containers"]
    (taken,) = pods["initContainers"]
    wanted = ["keys", "create", "--given=/keys/app", "--access=write", "--label=app"]
    assert taken["args"] == [*wanted, "--every-space"]
    assert served["args"] == ["serve", "--address", "0.0.0.0"]
    assert served["image"] == f"registry.example.org/meridia:{project()['project']['version']}"
    probes = {name: served[f"{name}Probe"]["httpGet"]["path"] for name in ("liveness", "readiness")}
    assert probes == {"liveness": "/healthz", "readiness": "/readyz"}
    for container in (served, taken):
        told = {one["name"]: one for one in container["env"]}
        url = told["MERIDIA_JOURNAL_URL"]["valueFrom"]["secretKeyRef"]
        assert url == {"name": "meridia-journal", "key": "url"}
        assert set(told) <= {variable(key) for key in keys()} | {"MERIDIA_DB"}
        assert container["securityContext"]["readOnlyRootFilesystem"] is True
        assert container["securityContext"]["capabilities"] == {"drop": ["ALL"]}
    assert pods["securityContext"]["runAsUser"] == 10001
    mounts = {one["name"] for one in (*served["volumeMounts"], *taken["volumeMounts"])}
    claimed = made["StatefulSet", "meridia"]["spec"]["volumeClaimTemplates"]
    assert mounts == {one["name"] for one in pods["volumes"]} | {claimed[0]["metadata"]["name"]}


@pytest.mark.thorough
def test_every_name_that_one_object_calls_another_by_is_there():
    made = rendered("--set=ingress.enabled=true", "--set=replicas=3")
    pods = made["StatefulSet", "meridia"]["spec"]
    labels = pods["template"]["metadata"]["labels"]
    assert ("Service", pods["serviceName"]) in made
    (rule,) = made["Ingress", "meridia"]["spec"]["rules"]
    assert ("Service", rule["http"]["paths"][0]["backend"]["service"]["name"]) in made
    port = pods["template"]["spec"]["containers"][0]["ports"][0]["name"]
    selectors = [pods["selector"]["matchLabels"]]
    for (kind, _), one in made.items():
        if kind == "Service":
            selectors.append(one["spec"]["selector"])
            assert [entry["targetPort"] for entry in one["spec"]["ports"]] == [port]
    selectors.append(made["NetworkPolicy", "meridia"]["spec"]["podSelector"]["matchLabels"])
    selectors.append(made["PodDisruptionBudget", "meridia"]["spec"]["selector"]["matchLabels"])
    assert all(selector.items() <= labels.items() for selector in selectors)
    assert made["Service", "meridia"]["spec"]["sessionAffinity"] == "ClientIP"


@pytest.mark.thorough
def test_what_is_switched_off_is_not_there():
    made = rendered(
        "--set=replicas=1",
        "--set=persistence.enabled=false",
        "--set=stickiness.enabled=false",
        "--set=networkPolicy.enabled=false",
    )
    assert {kind for kind, _ in made} == {"StatefulSet", "Service"}
    spec = made["StatefulSet", "meridia"]["spec"]
    assert "volumeClaimTemplates" not in spec
    assert "data" in {one["name"] for one in spec["template"]["spec"]["volumes"]}
    assert "sessionAffinity" not in made["Service", "meridia"]["spec"]


@pytest.mark.thorough
def test_nobody_calls_and_nothing_is_reached_but_what_is_named():
    policy = rendered("--set=networkPolicy.from[0].podSelector.matchLabels.app=shop")
    spec = policy["NetworkPolicy", "meridia"]["spec"]
    assert spec["policyTypes"] == ["Ingress", "Egress"]
    (calls,) = spec["ingress"]
    assert calls["from"] == [{"podSelector": {"matchLabels": {"app": "shop"}}}]
    assert [[port["port"] for port in rule["ports"]] for rule in spec["egress"]] == [
        [53, 53],
        [5432],
    ]
    (calls,) = rendered()["NetworkPolicy", "meridia"]["spec"]["ingress"]
    assert calls["from"] == [{"podSelector": {}}]  # the namespace's own pods


@pytest.mark.thorough
def test_without_an_image_helm_says_what_is_missing():
    if program := shutil.which("helm"):
        done = subprocess.run(
            [program, "template", "meridia", str(CHART), CLUSTER],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode != 0
        assert "image.repository: name the image" in done.stderr
