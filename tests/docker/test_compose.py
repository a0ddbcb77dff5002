"""The files of docker/: they say what they promise, without an engine to run them."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
import yaml

from tests.local_neo4j import DEFAULT_VERSION
from tests.schemas import conforms

ROOT = Path(__file__).resolve().parents[2]
DOCKER = ROOT / "docker"
COMPOSE = DOCKER / "compose.yml"
GRAPHITI = DOCKER / "compose.graphiti.yml"
REPLICAS = DOCKER / "compose.replicas.yml"


@pytest.fixture
def services() -> dict[str, Any]:
    parsed: dict[str, Any] = yaml.safe_load(COMPOSE.read_text(encoding="utf-8"))["services"]
    return parsed


@pytest.fixture
def volumes() -> dict[str, Any]:
    parsed: dict[str, Any] = yaml.safe_load(COMPOSE.read_text(encoding="utf-8"))["volumes"]
    return parsed


def test_the_compose_file_conforms_to_the_compose_specification(tmp_path: Path):
    answer = conforms("compose-spec", COMPOSE)
    assert answer.returncode == 0, answer.stdout + answer.stderr

    misspelt = tmp_path / "compose.yml"
    misspelt.write_text(COMPOSE.read_text(encoding="utf-8").replace("healthcheck:", "healthchek:"))
    assert conforms("compose-spec", misspelt).returncode == 1


def test_neo4j_counts_as_healthy_only_when_it_answers_a_query(services: dict[str, Any]):
    health = services["neo4j"]["healthcheck"]
    assert "cypher-shell 'RETURN 1'" in health["test"][-1]
    assert services["meridia"]["depends_on"]["neo4j"]["condition"] == "service_healthy"


def test_the_health_check_hands_the_password_to_cypher_shell_whole(services: dict[str, Any]):
    command = services["neo4j"]["healthcheck"]["test"][-1].replace("$$", "$")
    shown = command.replace("cypher-shell 'RETURN 1'", "printenv NEO4J_PASSWORD")
    answer = subprocess.run(
        ["/bin/sh", "-c", shown],
        env={"NEO4J_AUTH": "neo4j/a/b $c'\"d", "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert answer.stdout == "a/b $c'\"d\n"


def test_nothing_starts_without_a_password(services: dict[str, Any]):
    required = re.compile(r"\$\{MERIDIA_GRAPH_NEO4J_PASSWORD:\?[^}]+\}")
    assert required.search(services["neo4j"]["environment"]["NEO4J_AUTH"])
    assert required.fullmatch(services["meridia"]["environment"]["MERIDIA_GRAPH_NEO4J_PASSWORD"])


def test_ports_are_open_to_this_machine_only(services: dict[str, Any]):
    ports = [port for service in services.values() for port in service.get("ports", [])]
    assert "127.0.0.1:7687:7687" in ports
    assert [port for port in ports if not port.startswith("127.0.0.1:")] == []


def test_the_journal_and_the_graph_outlive_their_containers(
    services: dict[str, Any], volumes: dict[str, Any]
):
    assert services["neo4j"]["volumes"] == ["neo4j-data:/data"]
    assert services["meridia"]["volumes"] == ["meridia-data:/data"]
    assert services["meridia"]["environment"]["MERIDIA_DB"].startswith("/data/")
    assert {"neo4j-data", "meridia-data"} == set(volumes)


def test_meridia_is_told_to_use_the_neo4j_beside_it(services: dict[str, Any]):
    told = services["meridia"]["environment"]
    assert told["MERIDIA_GRAPH_ENGINE"] == "neo4j"
    assert told["MERIDIA_GRAPH_NEO4J_URI"] == "bolt://neo4j:7687"
    assert told["MERIDIA_GRAPH_NEO4J_USER"] == "neo4j"


def test_neo4j_does_not_read_files_for_a_query(services: dict[str, Any]):
    settings = services["neo4j"]["environment"]
    assert settings["NEO4J_dbms_security_allow__csv__import__from__file__urls"] == "false"


def test_the_image_and_the_jars_are_of_one_line(services: dict[str, Any]):
    assert services["neo4j"]["image"] == f"neo4j:{DEFAULT_VERSION.rpartition('.')[0]}"


def test_the_build_of_the_image_finds_its_files(services: dict[str, Any]):
    build = services["meridia"]["build"]
    context = (DOCKER / build["context"]).resolve()
    assert context == ROOT
    assert (context / build["dockerfile"]).is_file()
    assert (context / "pyproject.toml").is_file()


def instructions(name: str) -> list[tuple[str, str]]:
    """Return the instructions of a Dockerfile in order, each with its arguments on one line."""
    text = (DOCKER / name).read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    logical = "\n".join(lines).replace("\\\n", " ").splitlines()
    parted = [line.partition(" ") for line in logical]
    return [(name.upper(), rest.strip()) for name, _, rest in parted]


def test_the_container_does_not_run_as_root():
    written = instructions("Dockerfile")
    last_stage = written[max(i for i, (name, _) in enumerate(written) if name == "FROM") :]
    users = [user for name, user in last_stage if name == "USER"]
    assert users
    assert users[-1].isdigit()
    assert int(users[-1]) > 0
    # What runs after it would need root, or would run without the rights it is thought to have.
    after = [name for name, _ in last_stage[last_stage.index(("USER", users[-1])) :]]
    assert "RUN" not in after


def test_the_container_is_the_command_line_with_its_journal_on_a_volume():
    last = dict(instructions("Dockerfile"))
    assert last["ENTRYPOINT"] == '["meridia"]'
    assert last["VOLUME"] == "/data"
    assert "MERIDIA_DB=/data/meridia.db" in last["ENV"]


def test_the_image_is_built_without_secrets_caches_and_tests():
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").split()
    assert {".git", ".venv", ".env", "tests", "**/*.db", "**/__pycache__"} <= set(ignored)


def test_the_pom_brings_both_halves_of_a_server_in_one_version():
    pom = ET.parse(DOCKER / "pom.xml").getroot()
    space = {"m": "http://maven.apache.org/POM/4.0.0"}
    named = {
        tuple(
            dependency.findtext(f"m:{part}", namespaces=space)
            for part in ("groupId", "artifactId", "version")
        )
        for dependency in pom.findall("m:dependencies/m:dependency", space)
    }
    assert named == {
        ("org.neo4j", "neo4j", "${neo4j.version}"),
        ("org.neo4j.app", "neo4j-server", "${neo4j.version}"),
    }
    assert pom.findtext("m:properties/m:neo4j.version", namespaces=space) == DEFAULT_VERSION


def test_no_python_file_hides_the_docker_library():
    assert list(DOCKER.glob("*.py")) == []


def test_graphiti_has_a_server_of_its_own_with_a_password_of_its_own():
    answer = conforms("compose-spec", GRAPHITI)
    assert answer.returncode == 0, answer.stdout + answer.stderr
    composed = yaml.safe_load(GRAPHITI.read_text(encoding="utf-8"))
    services = composed["services"]
    server, meridia = services["graphiti-neo4j"], services["meridia"]
    own = yaml.safe_load(COMPOSE.read_text(encoding="utf-8"))["services"]["neo4j"]
    assert server["image"] == own["image"]
    assert server["healthcheck"] == own["healthcheck"]
    required = re.compile(r"\$\{MERIDIA_GRAPHITI_PASSWORD:\?[^}]+\}")
    assert required.search(server["environment"]["NEO4J_AUTH"])
    assert required.fullmatch(meridia["environment"]["MERIDIA_GRAPHITI_PASSWORD"])
    assert meridia["environment"]["MERIDIA_GRAPHITI_URI"] == "bolt://graphiti-neo4j:7687"
    assert all(port.startswith("127.0.0.1:") for port in server["ports"])
    assert set(server["ports"]).isdisjoint(own["ports"])
    assert meridia["build"]["args"]["EXTRAS"] == "graphiti"
    assert {volume.partition(":")[0] for volume in server["volumes"]} == set(composed["volumes"])


def test_replicas_share_a_journal_and_have_files_and_ports_of_their_own():
    answer = conforms("compose-spec", REPLICAS)
    assert answer.returncode == 0, answer.stdout + answer.stderr
    composed = yaml.safe_load(REPLICAS.read_text(encoding="utf-8"))
    services = composed["services"]
    replicas = [services[name] for name in services if name != "postgres"]
    assert len(replicas) == 2
    password = "${MERIDIA_JOURNAL_PASSWORD:?set MERIDIA_JOURNAL_PASSWORD to a password of your own}"
    assert services["postgres"]["environment"]["POSTGRES_PASSWORD"] == password
    for name, value in (("volumes", "/data"), ("ports", "127.0.0.1:")):
        assert all(value in each[name][0] for each in replicas)
        assert replicas[0][name] != replicas[1][name]
    for each in replicas:
        address = f"postgresql://meridia:{password}@postgres/meridia"
        assert each["environment"]["MERIDIA_JOURNAL_URL"] == address
        assert each["environment"]["MERIDIA_DB"].startswith(each["volumes"][0].partition(":")[2])
        assert set(each["build"]["args"]["EXTRAS"].split(",")) == {"service", "postgres"}
        assert "/readyz" in each["healthcheck"]["test"][-1]
    assert {v["volumes"][0].partition(":")[0] for v in services.values()} == set(
        composed["volumes"]
    )
