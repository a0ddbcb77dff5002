"""The settings: one frozen object with a section for each part of the program.

A key is `section.name`; `settings_loader` gathers the values.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, SecretStr


def _split_list(value: object) -> object:
    """Read a list that the environment gives as one text, separated by commas."""
    if isinstance(value, str):
        return tuple(item.strip() for item in value.split(",") if item.strip())
    return value


TextTuple = Annotated[tuple[str, ...], BeforeValidator(_split_list)]


def described(default: Any, description: str, **limits: Any) -> Any:
    """Return a field of a model: its default, what it is, and between which bounds."""
    return Field(default, description=description, **limits)


class SettingsSection(BaseModel):
    """A part of the settings: immutable, and an unknown key is an error."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class ReferenceSettings(SettingsSection):
    """What the profile `reference` leaves open: the source's formulas have a number for each."""

    anticipated: bool = described(True, "compare with anticipated questions too")
    walk: bool = described(True, "walk on from the start nodes")
    literal: bool = described(False, "walk along edges only, without equal shares")
    starts: int = described(3, "start nodes", ge=1, le=100)
    nodes: int = described(5, "memories recalled, at most", ge=1, le=1000)
    exploration: float = described(2.0, "factor of the probability to continue", ge=0, le=100)
    metadata: float = described(0.6, "weight of metadata against meaning", ge=0, le=1)


class RecallSettings(SettingsSection):
    """How a question is answered."""

    profile: Literal["default", "simple", "reference"] = described("default", "the ranking profile")
    limit: int = described(10, "memories returned", ge=1, le=1000)
    rerank_limit: int = described(12, "memories returned with `rerank`", ge=1, le=1000)
    candidates: int = described(100, "candidates taken from words and from meaning", ge=10)
    wait_s: float = described(0.0, "longest wait of an answer for enrichment, seconds", ge=0)
    rerank_depth: int = described(50, "memories compared word by word; 0: none", ge=0, le=1000)
    ranker: str = described("", "a file of learned weights; empty: the built-in ones")
    keep: bool = described(True, "store the inputs of each recall under an id")
    keep_max: int = described(1000, "kept recalls of a space; older ones are deleted", ge=1)
    keep_days: float = described(90.0, "days after which a kept recall is deleted", gt=0)
    debug: bool = described(False, "log how each answer was computed, without content")
    spread: bool = described(True, "spread activation over the graph")
    policy: Literal["spread", "sample", "walk"] = described(
        "spread", "how activation moves: expectation, draws, or the source's walk"
    )
    walks: int = described(100, "random draws of the policy sample", ge=2, le=100_000)
    tracerank: bool = described(False, "weigh what is reached by its own history")
    traverse: Literal["arrays", "cypher"] = described(
        "arrays", "where activation reads edges: memory, or one query per hop"
    )
    confidence_min: float = described(0.5, "from this confidence up, an answer is sure", ge=0, le=1)
    feedback: bool = described(True, "let feedback count in the ranking")
    feedback_max: float = described(
        1.0, "the most that feedback adds to or takes from a score", ge=0, le=10
    )
    order: bool = described(True, "put the current, last or first statement first, if asked for")
    fold: bool = described(True, "show what somebody repeats word for word once")
    significance: float = described(0.0, "the gain of the most significant memory", ge=0, le=10)
    recency: float = described(0.0, "the gain of a memory of this moment", ge=0, le=10)
    recency_days: float = described(
        30.0, "days after which the gain of recency is halved", gt=0, le=36_500
    )
    memrank: float = described(0.0, "the gain of the most central memory", ge=0, le=10)
    vector_source: Literal["built-in", "pgvector", "neo4j"] = described(
        "built-in", "the vector index that proposes candidates"
    )
    diversity: float = described(
        0.0, "the loss of a memory that is similar to a better one", ge=0, le=10
    )
    working_set: float = described(0.0, "weight of the working set", ge=0, le=10)
    lateral: float = described(0.0, "probability of lateral thinking", ge=0, le=1)
    concept_share_max: float = described(
        0.05, "a word in a larger share of memories carries no weight", gt=0, le=1
    )
    graphiti: float = described(
        0.0, "weight of Graphiti's results; 0: it is not asked", ge=0, le=10
    )
    rerank: bool = described(False, "let facets and profile change the order of the best")
    rerank_candidates: int = described(
        60, "memories whose order facets and profile may change", ge=1, le=200
    )
    archetypes: TextTuple = described(
        ("loyalist", "prestige", "analyst", "achiever", "legacy"),
        "names of the archetypes that profiles are made of",
    )
    reference: ReferenceSettings = ReferenceSettings()

    @property
    def usual_limit(self) -> int:
        """Memories returned where a question does not say how many."""
        return self.rerank_limit if self.rerank else self.limit


class PlanSettings(SettingsSection):
    """How a retrieval plan selects sources, without loading them."""

    limit: int = described(10, "nodes selected for each source type, at most", ge=1, le=100)
    confidence_min: float = described(
        0.30, "sources of lower confidence are left out, and the plan says so", ge=0, le=1
    )
    archive_days: float = described(
        30.0, "a turn older than this is loaded as its summary, days", gt=0
    )
    keep: bool = described(True, "store the outcome of each plan, without content")
    model: Literal["off", "on"] = described(
        "off", "on: the configured model may reorder or narrow a plan"
    )
    temperature: float = described(0.6, "temperature of a plan by the model", ge=0, le=2)


#: Words of a text that are encoded as one.
CHUNK_WORDS = 64


class JournalSettings(SettingsSection):
    """How the journal writes, and whether several replicas share one."""

    url: str = described(
        "",
        "a PostgreSQL whose journal replicas share, as "
        "postgresql://USER:PASSWORD@HOST/DB; empty: the file is the journal",
    )
    synchronous: Literal["full", "normal"] = described(
        "full", "full: a commit survives power loss; normal: it survives a crash"
    )
    busy_timeout_s: float = described(10.0, "wait for another writer's lock, seconds", ge=0)
    event_bytes_max: int = described(
        1_048_576, "size of an event as JSON above which long texts are cut, bytes", ge=1024
    )
    cache_mb: int = described(1024, "memory for data of spaces between uses, MB", ge=1)
    trace_max: int = described(
        100_000, "lines of a space's trace stream; older ones are deleted", ge=1000
    )
    trace_days: float = described(
        365.0, "days after which a line of the trace stream is deleted", ge=1
    )


class AccessSettings(SettingsSection):
    """What readers may see."""

    restricted: bool = described(False, "show memories marked private or confidential")


class GraphSettings(SettingsSection):
    """Which engine holds the graph, and how it is asked."""

    engine: Literal["embedded", "neo4j"] = described("embedded", "the graph engine")
    neo4j_uri: str = described("bolt://127.0.0.1:7687", "where Neo4j listens")
    neo4j_user: str = described("neo4j", "Neo4j user")
    neo4j_password: SecretStr = described(SecretStr(""), "Neo4j password")
    neo4j_database: str = described("neo4j", "Neo4j database")
    batch: int = described(2000, "journal entries in one transaction", ge=1, le=100_000)
    query_timeout_s: float = described(10.0, "time limit of a query, seconds", gt=0, le=86_400)
    query_rows_max: int = described(1000, "row limit of a query", ge=1)
    query_memory_mb: int = described(
        1024, "memory a query may use beside the graph, MB", ge=16, le=1_000_000
    )


class EmbeddingSettings(SettingsSection):
    """The sentence encoder behind search by meaning."""

    enabled: bool = described(True, "embed texts; off: recall by words and graph alone")
    model: str = described(
        "minilm", "minilm, a name of `meridia models`, or the folder of an ONNX encoder"
    )
    batch: int = described(32, "texts embedded at once", ge=1)
    threads: int = described(2, "threads of the encoder", ge=1)
    chunk_words: int = described(
        CHUNK_WORDS, "longest text that is not split into passages, words", ge=16
    )


class AnalysisSettings(SettingsSection):
    """How text becomes words."""

    language: str = described("english", "language of stems and stop words")


class IngestSettings(SettingsSection):
    """How long events are kept, and tool results of low significance their whole text."""

    keep: TextTuple = described(
        (), "how long events are kept, as KIND=DAYS; * is any kind; none: for ever"
    )
    skeleton_days: float | None = described(
        None, "days before a skeleton becomes an outline; none: never", ge=0, le=3650
    )


class DaydreamSettings(SettingsSection):
    """Pairs of memories that are proposed while nothing else is to be done."""

    enabled: bool = described(False, "the service proposes pairs while it is idle")
    memories_min: int = described(8, "new memories needed for a proposal", ge=1)
    interval_s: float = described(3600.0, "shortest time between two proposals, seconds", ge=0)
    insight_min: float = described(0.7, "least insight of a pair", ge=0, le=1)


class EntitiesSettings(SettingsSection):
    """How things are found in texts, beyond a gazetteer and their shape."""

    pipeline: str = described("", "a spaCy pipeline that is installed (the extra ner); empty: none")


class SanitiseSettings(SettingsSection):
    """What must not be kept, beyond the secrets that are known by their shape."""

    names_sensitive: TextTuple = described((), "more names of fields that hold secrets")
    names_allowed: TextTuple = described((), "names of fields that never hold one")
    paths: TextTuple = described((), "more files whose content is not kept, as patterns")
    paths_hidden: TextTuple = described((), "paths that are not kept, as patterns")
    text_chars_max: int | None = described(
        None, "longest text that is kept whole, characters; none: any", ge=64
    )
    account_numbers: bool = described(
        False, "on: IBANs, card and US social security numbers are not kept"
    )


class GatesSettings(SettingsSection):
    """How many full captures a session may have; the rest is kept as skeletons.

    A session boundary is not held to the interval, and may exceed the other two limits.
    """

    min_interval_ms: int = described(300_000, "least time between two full captures, ms", ge=0)
    max_per_hour: int = described(10, "full captures an hour", ge=0)
    tokens_per_day_max: int | None = described(
        None, "tokens of full captures a day; none: no budget", ge=0
    )
    boundary_captures: int = described(
        1, "captures by which a session boundary may exceed the hour", ge=0
    )
    boundary_tokens: int = described(
        1000, "tokens by which a session boundary may exceed the day", ge=0
    )


class ScoringSettings(SettingsSection):
    """What makes an event significant; `meridia decide --explain` shows the arithmetic."""

    profile: Literal["standard", "aggressive", "conservative", "minimal"] = described(
        "standard", "the thresholds"
    )
    novelty: float = described(0.25, "weight of novelty", ge=0)
    impact: float = described(0.30, "weight of the size of a change", ge=0)
    relational: float = described(0.15, "weight of ties to people and things", ge=0)
    temporal: float = described(0.10, "weight of the hour and the pace", ge=0)
    user_intent: float = described(0.20, "weight of a wish to keep it", ge=0)
    skeleton_floor: float = described(0.2, "a score up to this is noise", ge=0, le=1)
    band: float = described(
        0.15, "distance from the threshold below which a model is asked", ge=0, le=1
    )
    collaborator: float = described(
        0.10, "how much lower the threshold is for a collaborator", ge=0, le=1
    )
    primary: float = described(0.15, "how much lower it is for the primary person", ge=0, le=1)


class TransitionsSettings(SettingsSection):
    """How large a change of a session's experiential register must be to be a transition."""

    valence: float = described(0.3, "change of valence", gt=0, le=2)
    intensity: float = described(0.3, "change of intensity", gt=0, le=1)
    uncertainties_max: int = described(20, "open questions in a session's register", ge=1)


class ModelSettings(SettingsSection):
    """A language model, where there is one; nothing needs it."""

    dialect: Literal["none", "openai", "anthropic"] = described(
        "none", "the protocol that the server speaks; none: no model"
    )
    name: str = described("", "the model's name")
    base_url: str = described("", "the server's address; empty: the vendor's own")
    api_key: SecretStr = described(SecretStr(""), "the server's key")
    temperature: float = described(0.0, "temperature", ge=0, le=2)
    decision_s: float = described(3.5, "time limit of an opinion, seconds", gt=0)
    extraction_s: float = described(8.0, "time limit of an extraction, seconds", gt=0)
    session_s: float = described(60.0, "time limit of reading a session, seconds", gt=0)
    prose_s: float = described(15.0, "time limit of prose, seconds", gt=0)
    calls_per_hour: int = described(60, "requests an hour", ge=0)
    calls_per_day: int = described(500, "requests a day", ge=0)
    tokens_per_hour: int = described(200_000, "tokens read and written an hour", ge=0)
    tokens_per_day: int = described(1_000_000, "tokens read and written a day", ge=0)


class SinksSettings(SettingsSection):
    """How copies reach other systems, behind every acknowledgement. Each target has a section."""

    every: int = described(100, "captures after which to deliver within a session", ge=1)
    session_min: int = described(3, "memories of a session that is delivered at its end", ge=1)
    batch: int = described(200, "journal entries delivered at once", ge=1, le=10_000)
    concurrency: int = described(2, "deliveries at the same time", ge=1, le=32)
    queue_max: int = described(256, "deliveries that may wait; others are made later", ge=1)
    attempts: int = described(3, "attempts to deliver a batch", ge=1, le=20)
    backoff_s: float = described(0.3, "wait before the second try, seconds; doubles", ge=0)
    backoff_s_max: float = described(5.0, "longest wait between tries, seconds", ge=0)
    jitter: float = described(0.2, "share of a wait that is random", ge=0, le=1)


class PostgresSettings(SettingsSection):
    """A PostgreSQL with the extension pgvector that is given the vectors; needs extra postgres."""

    url: str = described("", "address, as postgresql://USER:PASSWORD@HOST/DB; empty: none")
    index: Literal["hnsw", "ivfflat", "none"] = described(
        "hnsw", "the index of the vectors; none: every row is compared"
    )
    lists: int = described(100, "lists of an ivfflat index", ge=1, le=32_768)
    text: Literal["message", "kit"] = described(
        "message", "what is embedded: the message, or topic, summary, anchors and feeling too"
    )
    timeout_s: float = described(10.0, "longest wait for a statement, seconds", gt=0)


class GraphitiSettings(SettingsSection):
    """A Neo4j that Graphiti works on, given episodes, people and facts; needs extra graphiti."""

    uri: str = described("", "where it listens, as bolt://HOST:7687; empty: none")
    user: str = described("neo4j", "its user")
    password: SecretStr = described(SecretStr(""), "its password")
    database_name: str = described("neo4j", "its database")
    shared: bool = described(False, "allow the database that graph.neo4j_uri names")
    model: Literal["off", "on"] = described("off", "on: the model reads episodes too")
    timeout_s: float = described(60.0, "longest wait for it, seconds", gt=0)


class ServiceSettings(SettingsSection):
    """How `meridia serve` listens, and what one caller may ask of it."""

    address: str = described("127.0.0.1", "the address to listen on")
    port: int = described(8377, "the port; 0: any that is free", ge=0, le=65_535)
    body_bytes_max: int = described(
        67_108_864, "largest body of a request, bytes; imports are streamed", ge=1024
    )
    requests_per_minute: int = described(
        6000, "requests a minute of one key or address; 0: no limit", ge=0
    )
    timeout_s: float = described(60.0, "longest work on a request, seconds", gt=0)
    transfer_s: float = described(
        20.0, "longest wait for the next bytes of a client, seconds", gt=0
    )
    bytes_per_s_min: int = described(
        1000, "least rate of a body, bytes a second, beyond transfer_s", ge=1
    )
    import_s: float = described(3600.0, "longest import, seconds", gt=0)
    threads: int = described(16, "requests worked on at once", ge=1, le=256)
    queue_max: int = described(1000, "requests that may wait for a thread", ge=1)
    drain_s: int = described(30, "longest wait for open requests at the end, seconds", ge=0)
    poll_s: float = described(2.0, "time between looks for new entries to enrich, seconds", gt=0)
    tools: TextTuple = described(
        ("default",), "tools of MCP: default (six), all, or names of operations"
    )
    cors_origins: TextTuple = described((), "web origins that may call it; none: CORS is off")


class Settings(BaseModel):
    """Every setting; see `Settings.load` for where they come from."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    journal: JournalSettings = JournalSettings()
    access: AccessSettings = AccessSettings()
    graph: GraphSettings = GraphSettings()
    embedding: EmbeddingSettings = EmbeddingSettings()
    analysis: AnalysisSettings = AnalysisSettings()
    recall: RecallSettings = RecallSettings()
    plan: PlanSettings = PlanSettings()
    ingest: IngestSettings = IngestSettings()
    daydream: DaydreamSettings = DaydreamSettings()
    entities: EntitiesSettings = EntitiesSettings()
    sanitise: SanitiseSettings = SanitiseSettings()
    gates: GatesSettings = GatesSettings()
    scoring: ScoringSettings = ScoringSettings()
    transitions: TransitionsSettings = TransitionsSettings()
    model: ModelSettings = ModelSettings()
    sinks: SinksSettings = SinksSettings()
    postgres: PostgresSettings = PostgresSettings()
    graphiti: GraphitiSettings = GraphitiSettings()
    service: ServiceSettings = ServiceSettings()
