"""A Neo4j that Graphiti works on: saved to, searched and emptied by graphiti-core itself.

graphiti-core is asynchronous; one thread runs its loop, so that any thread may ask. Every call
names a group and touches nothing outside of it. Raises `Unavailable` when the database does not
answer.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable, Coroutine, Iterable
from concurrent.futures import TimeoutError as FutureTimeout
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from ...core.errors import InvalidInput, Refused, Unavailable
from ...core.lazy import LazyLibrary
from ...core.settings import GraphitiSettings, Settings
from ...core.settings_loader import load
from ...models.encoders import encoder_of
from ...models.tokens import Embedder, for_questions
from .mapping import GraphitiBatch, llm_of, models

if TYPE_CHECKING:
    from graphiti_core.edges import EntityEdge
    from graphiti_core.graphiti import Graphiti
    from graphiti_core.llm_client.client import LLMClient
    from graphiti_core.nodes import EpisodicNode
    from neo4j import exceptions
else:
    #: Every recall loads this module, and few know a Neo4j: its driver takes .2 s.
    exceptions = LazyLibrary("neo4j.exceptions")

_Result = TypeVar("_Result")
_INDEXES_S = 60


class GraphitiClient:
    """Graphiti over one database. Threads may share it."""

    def __init__(
        self,
        settings: GraphitiSettings,
        embedder: Callable[[], Embedder | None],
        llm: Callable[[], LLMClient | None] = lambda: None,
    ) -> None:
        """Connect on first use; `llm` opens the language model that reads episodes, if any."""
        self._settings = settings
        self._embedder = embedder
        self._open_llm = llm
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._graphiti: Graphiti | None = None
        self._has_indexes = False
        # They log what they raise, with the statement; what is wrong is told by what is raised.
        for name in ("graphiti_core", "neo4j"):
            logging.getLogger(name).addHandler(logging.NullHandler())

    @cached_property
    def _llm(self) -> LLMClient | None:
        return self._open_llm()

    @property
    def reads_episodes(self) -> bool:
        """Whether a language model reads episodes, so that facts are not to be given to it."""
        return self._llm is not None

    def save(self, batch: GraphitiBatch) -> None:
        """Save a batch in one transaction; saved again, it is the same."""
        self._create_indexes()
        self._call(self._save(batch))

    def read_episodes(self, episodes: Iterable[EpisodicNode]) -> None:
        """Let a model read episodes with `add_episode`; an episode that was read is read again."""
        self._create_indexes()
        for episode in episodes:
            self._call(self._read(episode))

    def search(
        self, group: str, question: str, limit: int, timeout_s: float | None = None
    ) -> list[tuple[EntityEdge, float]]:
        """Return facts that Graphiti's own search finds, best first, each with a cosine.

        The cosine is that of the fact's text with the question.
        """
        facts = self._call(_search(self._opened(), group, question, limit), timeout_s)
        encoder = self._encoder()
        asked = for_questions(encoder).embed([question])[0]
        cosines = (encoder.embed([fact.fact for fact in facts]) @ asked).tolist()
        return list(zip(facts, cosines, strict=True))

    def sources(self, group: str) -> list[str]:
        """Return the sources of a few episodes of a group, to tell whose group it is."""
        return [episode.source_description for episode in self._episodes(group, 5)]

    def count(self, group: str) -> int:
        """Return how many episodes a group has."""
        return len(self._episodes(group, None))

    def drop(self, group: str) -> None:
        """Remove a group."""
        self._call(models().Node.delete_by_group_id(self._opened().driver, group))

    def close(self) -> None:
        """Release the connections, and end the thread."""
        with self._lock:
            loop, graphiti = self._loop, self._graphiti
            self._loop, self._graphiti, self._has_indexes = None, None, False
        if loop is None:
            return
        if graphiti is not None:
            asyncio.run_coroutine_threadsafe(_close(graphiti), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        self._thread.join()
        loop.close()

    def _episodes(self, group: str, limit: int | None) -> list[EpisodicNode]:
        driver = self._opened().driver
        episodes: list[EpisodicNode] = self._call(
            models().EpisodicNode.get_by_group_ids(driver, [group], limit)
        )
        return episodes

    async def _save(self, batch: GraphitiBatch) -> None:
        driver = self._opened().driver
        await _name_merges(driver, batch)
        missing = [uuid for uuid in batch.ends if uuid not in batch.facts]
        for fact in await models().EntityEdge.get_by_uuids(driver, missing) if missing else ():
            await fact.load_fact_embedding(driver)
            batch.facts[fact.uuid] = fact
        for uuid, ends in batch.ends.items():
            if uuid in batch.facts:
                _end(batch.facts[uuid], *ends)
        await models().add_nodes_and_edges_bulk(
            driver,
            list(batch.episodes.values()),
            list(batch.mentions.values()),
            list(batch.entities.values()),
            list(batch.facts.values()),
            self._opened().embedder,
        )

    async def _read(self, episode: EpisodicNode) -> None:
        graphiti = self._opened()
        try:
            await graphiti.remove_episode(episode.uuid)
        except models().NodeNotFoundError:
            pass
        await episode.save(graphiti.driver)
        await graphiti.add_episode(
            episode.name,
            episode.content,
            episode.source_description,
            episode.valid_at,
            source=episode.source,
            group_id=episode.group_id,
            uuid=episode.uuid,
        )

    def _encoder(self) -> Embedder:
        embedder = self._embedder()
        if embedder is None:
            raise InvalidInput("Graphiti needs vectors: turn embedding.enabled on")
        return embedder

    def _opened(self) -> Graphiti:
        """Return Graphiti, opened on first use."""
        with self._lock:
            if self._graphiti is None:
                self._graphiti = _graphiti_at(self._settings, self._encoder(), self._llm)
            return self._graphiti

    def _create_indexes(self) -> None:
        if not self._has_indexes:
            self._call(_create_indexes(self._opened()))
            self._has_indexes = True

    def _call(self, work: Coroutine[Any, Any, _Result], timeout_s: float | None = None) -> _Result:
        """Run something of graphiti-core, and turn its errors into ours."""
        asked = _where_it_answers(self._opened(), work)
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
                self._thread.start()
            future = asyncio.run_coroutine_threadsafe(asked, self._loop)
        try:
            return future.result(timeout_s or self._settings.timeout_s)
        except FutureTimeout:
            future.cancel()
            raise self._unavailable("no answer in time") from None
        except exceptions.Forbidden as error:
            raise Refused(f"Graphiti's Neo4j: {error.message}") from error
        except (exceptions.Neo4jError, exceptions.DriverError, OSError) as error:
            # What follows repeats the address, and names the system's error.
            raise self._unavailable(str(error).partition(" (resolved to")[0]) from error

    def _unavailable(self, why: str) -> Unavailable:
        return Unavailable(f"Graphiti's Neo4j at {self._settings.uri} does not answer: {why}")


def client_of(settings: Settings, embedder: Callable[[], Embedder | None]) -> GraphitiClient:
    """Return a client of the Neo4j that the settings name for Graphiti.

    Raises `Refused` where that is the database of our own graph, unless `graphiti.shared` allows
    it: Graphiti's labels are ours, and its clean-up without a group removes everything.
    """
    chosen, graph = settings.graphiti, settings.graph
    _check_address(chosen)
    own = (graph.neo4j_uri, graph.neo4j_database)
    if graph.engine == "neo4j" and own == (chosen.uri, chosen.database_name) and not chosen.shared:
        raise Refused(
            "graphiti.uri is the database of graph.neo4j_uri: give Graphiti a database or server "
            "of its own, or set graphiti.shared on (docs/graphiti.md)"
        )
    reads = chosen.model == "on"
    return GraphitiClient(chosen, embedder, lambda: llm_of(settings.model) if reads else None)


def open_graphiti(settings: Settings | None = None) -> Graphiti:
    """Return graphiti-core's own `Graphiti` over the Neo4j that the settings name, for a program.

    It embeds as Meridia does, so that its search finds what was delivered there. Without
    `settings`, those in force (settings file, environment) are read.
    """
    chosen = load().settings if settings is None else settings
    encoder = encoder_of(chosen.embedding.model, chosen.embedding.threads)
    _check_address(chosen.graphiti)
    return _graphiti_at(chosen.graphiti, encoder, None)


def _check_address(chosen: GraphitiSettings) -> None:
    if not chosen.uri:
        raise Unavailable("graphiti.uri is empty: set the address of a Neo4j server")


def _graphiti_at(chosen: GraphitiSettings, encoder: Embedder, llm: LLMClient | None) -> Graphiti:
    used = models()
    # Graphiti's statements name properties that no node may have yet: Neo4j warns of each.
    logging.getLogger("neo4j.notifications").setLevel(logging.ERROR)
    password = chosen.password.get_secret_value()
    driver = used.Neo4jDriver(chosen.uri, chosen.user, password, chosen.database_name)
    graphiti: Graphiti = used.Graphiti(
        graph_driver=driver,
        embedder=_embedder_client(encoder),
        llm_client=llm or _no_llm(),
        cross_encoder=_no_cross_encoder(),
    )
    return graphiti


async def _where_it_answers(graphiti: Any, work: Coroutine[Any, Any, _Result]) -> _Result:
    """Run work if Neo4j answers; otherwise the driver would retry for half a minute."""
    try:
        await graphiti.driver.client.verify_connectivity()
    except BaseException:
        work.close()
        raise
    return await work


async def _search(graphiti: Any, group: str, question: str, limit: int) -> list[EntityEdge]:
    """Return what Graphiti finds: nothing before the first write, when it has no index."""
    try:
        facts = await graphiti.search(question, group_ids=[group], num_results=limit)
    except exceptions.ClientError as error:
        if "no such fulltext schema index" not in str(error.message):
            raise
        return []
    return list(facts)


async def _create_indexes(graphiti: Graphiti) -> None:
    """Create Graphiti's own indexes, one after the other: at once, they race."""
    used, driver = models(), graphiti.driver
    for statement in (
        *used.get_range_indices(driver.provider),
        *used.get_fulltext_indices(driver.provider),
    ):
        await driver.execute_query(statement)
    await driver.execute_query("CALL db.awaitIndexes($seconds)", seconds=_INDEXES_S)


async def _name_merges(driver: Any, batch: GraphitiBatch) -> None:
    """Make merges facts of a batch, where Graphiti has both entities."""
    uuids = {
        uuid
        for edge in batch.merges.values()
        for uuid in (edge.source_node_uuid, edge.target_node_uuid)
    }
    stored = await models().EntityNode.get_by_uuids(driver, sorted(uuids)) if uuids else ()
    names = {node.uuid: node.name for node in (*stored, *batch.entities.values())}
    for edge in batch.merges.values():
        name, other = names.get(edge.source_node_uuid), names.get(edge.target_node_uuid)
        if name and other:
            edge.fact = f"{name} is the same as {other}."
            batch.facts[edge.uuid] = edge


async def _close(graphiti: Any) -> None:
    """Close the connections to Neo4j and to a language model."""
    await graphiti.driver.close()
    asked = getattr(graphiti.llm_client, "client", None)
    if asked is not None:
        await asked.close()


def _end(fact: EntityEdge, invalid_at: datetime, expired_at: datetime) -> None:
    fact.invalid_at, fact.expired_at = invalid_at, expired_at


def _embedder_client(embedder: Embedder) -> Any:
    """Return our encoder as graphiti-core asks for one."""

    class OurEmbedder(models().EmbedderClient):  # type: ignore[misc]
        async def create(self, input_data: Any) -> list[float]:
            text = input_data if isinstance(input_data, str) else " ".join(map(str, input_data))
            return [float(value) for value in embedder.embed([text])[0]]

        async def create_batch(self, input_data_list: list[str]) -> list[list[float]]:
            return [[float(v) for v in row] for row in embedder.embed(input_data_list)]

    return OurEmbedder()


def _no_llm() -> Any:
    """Return what stands for a language model where there is none: nothing here asks it."""

    class NoModel(models().LLMClient):  # type: ignore[misc]
        async def _generate_response(self, *_: Any, **__: Any) -> dict[str, Any]:
            raise InvalidInput("no language model is configured: set model.name")

    return NoModel(None)


def _no_cross_encoder() -> Any:
    """Return what stands for a cross-encoder: our searches do not ask one."""

    class KeepsOrder(models().CrossEncoderClient):  # type: ignore[misc]
        async def rank(self, _query: str, passages: list[str]) -> list[tuple[str, float]]:
            return [(passage, 1.0 / rank) for rank, passage in enumerate(passages, start=1)]

    return KeepsOrder()
