"""The settings: one frozen object with a section for each part of the program.

A key is `section.name`; `settings_loader` gathers the values.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, SecretStr


def _split_list(value: object) -> object:
    """Read a list that the environment gives as one text, separated by commas."""
    if isinstance(value, str):
        return tuple(item.strip() for item in value.split(",") if item.strip())
    return value


TextTuple = Annotated[tuple[str, ...], BeforeValidator(_split_list)]


class SettingsSection(BaseModel):
    """A part of the settings: immutable, and an unknown key is an error."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class ReferenceSettings(SettingsSection):
    """What the profile `reference` leaves open: the source's formulas have a number for each."""

    anticipated: bool = Field(True, description="compare with anticipated questions too")
    walk: bool = Field(True, description="walk on from the start nodes")
    literal: bool = Field(False, description="walk along edges only, without equal shares")
    starts: int = Field(3, ge=1, le=100, description="start nodes")
    nodes: int = Field(5, ge=1, le=1000, description="memories recalled, at most")
    exploration: float = Field(
        2.0, ge=0, le=100, description="factor of the probability to continue"
    )
    metadata: float = Field(0.6, ge=0, le=1, description="weight of metadata against meaning")


class RecallSettings(SettingsSection):
    """How a question is answered."""

    profile: Literal["default", "simple", "reference"] = Field(
        "default", description="the ranking profile"
    )
    limit: int = Field(10, ge=1, le=1000, description="memories returned")
    rerank_limit: int = Field(12, ge=1, le=1000, description="memories returned with `rerank`")
    candidates: int = Field(200, ge=10, description="candidates taken from words and from meaning")
    wait_s: float = Field(
        0.0, ge=0, description="longest wait of an answer for enrichment, seconds"
    )
    rerank_depth: int = Field(
        100, ge=0, le=1000, description="memories compared word by word; 0: none"
    )
    ranker: str = Field("", description="a file of learned weights; empty: the built-in ones")
    keep: bool = Field(True, description="store the inputs of each recall under an id")
    keep_max: int = Field(1000, ge=1, description="kept recalls of a space; older ones are deleted")
    keep_days: float = Field(90.0, gt=0, description="days after which a kept recall is deleted")
    debug: bool = Field(False, description="log how each answer was computed, without content")
    spread: bool = Field(True, description="spread activation over the graph")
    policy: Literal["spread", "sample", "walk"] = Field(
        "spread", description="how activation moves: expectation, draws, or the source's walk"
    )
    walks: int = Field(100, ge=2, le=100_000, description="random draws of the policy sample")
    tracerank: bool = Field(False, description="weigh what is reached by its own history")
    traverse: Literal["arrays", "cypher"] = Field(
        "arrays", description="where activation reads edges: memory, or one query per hop"
    )
    confidence_min: float = Field(
        0.5, ge=0, le=1, description="from this confidence up, an answer is sure"
    )
    feedback: bool = Field(True, description="let feedback count in the ranking")
    feedback_max: float = Field(
        1.0, ge=0, le=10, description="the most that feedback adds to or takes from a score"
    )
    order: bool = Field(
        True, description="put the current, last or first statement first, if asked for"
    )
    fold: bool = Field(True, description="show what somebody repeats word for word once")
    significance: float = Field(
        0.0, ge=0, le=10, description="the gain of the most significant memory"
    )
    recency: float = Field(0.0, ge=0, le=10, description="the gain of a memory of this moment")
    recency_days: float = Field(
        30.0, gt=0, le=36_500, description="days after which the gain of recency is halved"
    )
    memrank: float = Field(0.0, ge=0, le=10, description="the gain of the most central memory")
    vector_source: Literal["built-in", "pgvector", "neo4j"] = Field(
        "built-in", description="the vector index that proposes candidates"
    )
    diversity: float = Field(
        0.0, ge=0, le=10, description="the loss of a memory that is similar to a better one"
    )
    working_set: float = Field(0.0, ge=0, le=10, description="weight of the working set")
    lateral: float = Field(0.0, ge=0, le=1, description="probability of lateral thinking")
    concept_share_max: float = Field(
        0.05, gt=0, le=1, description="a word in a larger share of memories carries no weight"
    )
    graphiti: float = Field(
        0.0, ge=0, le=10, description="weight of Graphiti's results; 0: it is not asked"
    )
    rerank: bool = Field(False, description="let facets and profile change the order of the best")
    rerank_candidates: int = Field(
        60, ge=1, le=200, description="memories whose order facets and profile may change"
    )
    archetypes: TextTuple = Field(
        ("loyalist", "prestige", "analyst", "achiever", "legacy"),
        description="names of the archetypes that profiles are made of",
    )
    reference: ReferenceSettings = ReferenceSettings()

    @property
    def usual_limit(self) -> int:
        """Memories returned where a question does not say how many."""
        return self.rerank_limit if self.rerank else self.limit


class PlanSettings(SettingsSection):
    """How a retrieval plan selects sources, without loading them."""

    limit: int = Field(10, ge=1, le=100, description="nodes selected for each source type, at most")
    confidence_min: float = Field(
        0.30,
        ge=0,
        le=1,
        description="sources of lower confidence are left out, and the plan says so",
    )
    archive_days: float = Field(
        30.0, gt=0, description="a turn older than this is loaded as its summary, days"
    )
    keep: bool = Field(True, description="store the outcome of each plan, without content")
    model: Literal["off", "on"] = Field(
        "off", description="on: the configured model may reorder or narrow a plan"
    )
    temperature: float = Field(0.6, ge=0, le=2, description="temperature of a plan by the model")


#: Words of a text that are encoded as one.
CHUNK_WORDS = 64


class JournalSettings(SettingsSection):
    """How the journal writes, and whether several replicas share one."""

    url: str = Field(
        "",
        description="a PostgreSQL whose journal replicas share, as "
        "postgresql://USER:PASSWORD@HOST/DB; empty: the file is the journal",
    )
    synchronous: Literal["full", "normal"] = Field(
        "full", description="full: a commit survives power loss; normal: it survives a crash"
    )
    busy_timeout_s: float = Field(10.0, ge=0, description="wait for another writer's lock, seconds")
    event_bytes_max: int = Field(
        1_048_576,
        ge=1024,
        description="size of an event as JSON above which long texts are cut, bytes",
    )
    cache_mb: int = Field(1024, ge=1, description="memory for data of spaces between uses, MB")
    trace_max: int = Field(
        100_000, ge=1000, description="lines of a space's trace stream; older ones are deleted"
    )
    trace_days: float = Field(
        365.0, ge=1, description="days after which a line of the trace stream is deleted"
    )


class AccessSettings(SettingsSection):
    """What readers may see."""

    restricted: bool = Field(False, description="show memories marked private or confidential")


class GraphSettings(SettingsSection):
    """Which engine holds the graph, and how it is asked."""

    engine: Literal["embedded", "neo4j"] = Field("embedded", description="the graph engine")
    neo4j_uri: str = Field("bolt://127.0.0.1:7687", description="where Neo4j listens")
    neo4j_user: str = Field("neo4j", description="Neo4j user")
    neo4j_password: SecretStr = Field(SecretStr(""), description="Neo4j password")
    neo4j_database: str = Field("neo4j", description="Neo4j database")
    batch: int = Field(2000, ge=1, le=100_000, description="journal entries in one transaction")
    query_timeout_s: float = Field(
        10.0, gt=0, le=86_400, description="time limit of a query, seconds"
    )
    query_rows_max: int = Field(1000, ge=1, description="row limit of a query")
    query_memory_mb: int = Field(
        1024, ge=16, le=1_000_000, description="memory a query may use beside the graph, MB"
    )


class EmbeddingSettings(SettingsSection):
    """The sentence encoder behind search by meaning."""

    enabled: bool = Field(True, description="embed texts; off: recall by words and graph alone")
    model: str = Field(
        "minilm", description="minilm, a name of `meridia models`, or the folder of an ONNX encoder"
    )
    batch: int = Field(32, ge=1, description="texts embedded at once")
    threads: int = Field(2, ge=1, description="threads of the encoder")
    chunk_words: int = Field(
        CHUNK_WORDS, ge=16, description="longest text that is not split into passages, words"
    )


class AnalysisSettings(SettingsSection):
    """How text becomes words."""

    language: str = Field("english", description="language of stems and stop words")


class IngestSettings(SettingsSection):
    """How long events are kept, and tool results of low significance their whole text."""

    keep: TextTuple = Field(
        (), description="how long events are kept, as KIND=DAYS; * is any kind; none: for ever"
    )
    skeleton_days: float | None = Field(
        None, ge=0, le=3650, description="days before a skeleton becomes an outline; none: never"
    )


class DaydreamSettings(SettingsSection):
    """Pairs of memories that are proposed while nothing else is to be done."""

    enabled: bool = Field(False, description="the service proposes pairs while it is idle")
    memories_min: int = Field(8, ge=1, description="new memories needed for a proposal")
    interval_s: float = Field(
        3600.0, ge=0, description="shortest time between two proposals, seconds"
    )
    insight_min: float = Field(0.7, ge=0, le=1, description="least insight of a pair")


class EntitiesSettings(SettingsSection):
    """How things are found in texts, beyond a gazetteer and their shape."""

    pipeline: str = Field(
        "", description="a spaCy pipeline that is installed (the extra ner); empty: none"
    )


class SanitiseSettings(SettingsSection):
    """What must not be kept, beyond the secrets that are known by their shape."""

    names_sensitive: TextTuple = Field((), description="more names of fields that hold secrets")
    names_allowed: TextTuple = Field((), description="names of fields that never hold one")
    paths: TextTuple = Field((), description="more files whose content is not kept, as patterns")
    paths_hidden: TextTuple = Field((), description="paths that are not kept, as patterns")
    text_chars_max: int | None = Field(
        None, ge=64, description="longest text that is kept whole, characters; none: any"
    )
    account_numbers: bool = Field(
        False, description="on: IBANs, card and US social security numbers are not kept"
    )


class GatesSettings(SettingsSection):
    """How many full captures a session may have; the rest is kept as skeletons.

    A session boundary is not held to the interval, and may exceed the other two limits.
    """

    min_interval_ms: int = Field(
        300_000, ge=0, description="least time between two full captures, ms"
    )
    max_per_hour: int = Field(10, ge=0, description="full captures an hour")
    tokens_per_day_max: int | None = Field(
        None, ge=0, description="tokens of full captures a day; none: no budget"
    )
    boundary_captures: int = Field(
        1, ge=0, description="captures by which a session boundary may exceed the hour"
    )
    boundary_tokens: int = Field(
        1000, ge=0, description="tokens by which a session boundary may exceed the day"
    )


class ScoringSettings(SettingsSection):
    """What makes an event significant; `meridia decide --explain` shows the arithmetic."""

    profile: Literal["standard", "aggressive", "conservative", "minimal"] = Field(
        "standard", description="the thresholds"
    )
    novelty: float = Field(0.25, ge=0, description="weight of novelty")
    impact: float = Field(0.30, ge=0, description="weight of the size of a change")
    relational: float = Field(0.15, ge=0, description="weight of ties to people and things")
    temporal: float = Field(0.10, ge=0, description="weight of the hour and the pace")
    user_intent: float = Field(0.20, ge=0, description="weight of a wish to keep it")
    skeleton_floor: float = Field(0.2, ge=0, le=1, description="a score up to this is noise")
    band: float = Field(
        0.15,
        ge=0,
        le=1,
        description="distance from the threshold below which a model is asked",
    )
    collaborator: float = Field(
        0.10, ge=0, le=1, description="how much lower the threshold is for a collaborator"
    )
    primary: float = Field(
        0.15, ge=0, le=1, description="how much lower it is for the primary person"
    )


class TransitionsSettings(SettingsSection):
    """How large a change of a session's experiential register must be to be a transition."""

    valence: float = Field(0.3, gt=0, le=2, description="change of valence")
    intensity: float = Field(0.3, gt=0, le=1, description="change of intensity")
    uncertainties_max: int = Field(20, ge=1, description="open questions in a session's register")


class ModelSettings(SettingsSection):
    """A language model, where there is one; nothing needs it."""

    dialect: Literal["none", "openai", "anthropic"] = Field(
        "none", description="the protocol that the server speaks; none: no model"
    )
    name: str = Field("", description="the model's name")
    base_url: str = Field("", description="the server's address; empty: the vendor's own")
    api_key: SecretStr = Field(SecretStr(""), description="the server's key")
    temperature: float = Field(0.0, ge=0, le=2, description="temperature")
    decision_s: float = Field(3.5, gt=0, description="time limit of an opinion, seconds")
    extraction_s: float = Field(8.0, gt=0, description="time limit of an extraction, seconds")
    session_s: float = Field(60.0, gt=0, description="time limit of reading a session, seconds")
    prose_s: float = Field(15.0, gt=0, description="time limit of prose, seconds")
    calls_per_hour: int = Field(60, ge=0, description="requests an hour")
    calls_per_day: int = Field(500, ge=0, description="requests a day")
    tokens_per_hour: int = Field(200_000, ge=0, description="tokens read and written an hour")
    tokens_per_day: int = Field(1_000_000, ge=0, description="tokens read and written a day")


class SinksSettings(SettingsSection):
    """How copies reach other systems, behind every acknowledgement. Each target has a section."""

    every: int = Field(100, ge=1, description="captures after which to deliver within a session")
    session_min: int = Field(
        3, ge=1, description="memories of a session that is delivered at its end"
    )
    batch: int = Field(200, ge=1, le=10_000, description="journal entries delivered at once")
    concurrency: int = Field(2, ge=1, le=32, description="deliveries at the same time")
    queue_max: int = Field(256, ge=1, description="deliveries that may wait; others are made later")
    attempts: int = Field(3, ge=1, le=20, description="attempts to deliver a batch")
    backoff_s: float = Field(0.3, ge=0, description="wait before the second try, seconds; doubles")
    backoff_s_max: float = Field(5.0, ge=0, description="longest wait between tries, seconds")
    jitter: float = Field(0.2, ge=0, le=1, description="share of a wait that is random")


class PostgresSettings(SettingsSection):
    """A PostgreSQL with the extension pgvector that is given the vectors; needs extra postgres."""

    url: str = Field("", description="address, as postgresql://USER:PASSWORD@HOST/DB; empty: none")
    index: Literal["hnsw", "ivfflat", "none"] = Field(
        "hnsw", description="the index of the vectors; none: every row is compared"
    )
    lists: int = Field(100, ge=1, le=32_768, description="lists of an ivfflat index")
    text: Literal["message", "kit"] = Field(
        "message",
        description="what is embedded: the message, or topic, summary, anchors and feeling too",
    )
    timeout_s: float = Field(10.0, gt=0, description="longest wait for a statement, seconds")


class GraphitiSettings(SettingsSection):
    """A Neo4j that Graphiti works on, given episodes, people and facts; needs extra graphiti."""

    uri: str = Field("", description="where it listens, as bolt://HOST:7687; empty: none")
    user: str = Field("neo4j", description="its user")
    password: SecretStr = Field(SecretStr(""), description="its password")
    database_name: str = Field("neo4j", description="its database")
    shared: bool = Field(False, description="allow the database that graph.neo4j_uri names")
    model: Literal["off", "on"] = Field("off", description="on: the model reads episodes too")
    timeout_s: float = Field(60.0, gt=0, description="longest wait for it, seconds")


class ServiceSettings(SettingsSection):
    """How `meridia serve` listens, and what one caller may ask of it."""

    address: str = Field("127.0.0.1", description="the address to listen on")
    port: int = Field(8377, ge=0, le=65_535, description="the port; 0: any that is free")
    body_bytes_max: int = Field(
        67_108_864, ge=1024, description="largest body of a request, bytes; imports are streamed"
    )
    requests_per_minute: int = Field(
        6000, ge=0, description="requests a minute of one key or address; 0: no limit"
    )
    timeout_s: float = Field(60.0, gt=0, description="longest work on a request, seconds")
    transfer_s: float = Field(
        20.0, gt=0, description="longest wait for the next bytes of a client, seconds"
    )
    bytes_per_s_min: int = Field(
        1000, ge=1, description="least rate of a body, bytes a second, beyond transfer_s"
    )
    import_s: float = Field(3600.0, gt=0, description="longest import, seconds")
    threads: int = Field(16, ge=1, le=256, description="requests worked on at once")
    queue_max: int = Field(1000, ge=1, description="requests that may wait for a thread")
    drain_s: int = Field(30, ge=0, description="longest wait for open requests at the end, seconds")
    poll_s: float = Field(
        2.0, gt=0, description="time between looks for new entries to enrich, seconds"
    )
    tools: TextTuple = Field(
        ("default",), description="tools of MCP: default (six), all, or names of operations"
    )
    cors_origins: TextTuple = Field(
        (), description="web origins that may call it; none: CORS is off"
    )


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
