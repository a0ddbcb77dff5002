"""The inspector in a real browser: a recall, its graph, a person, keys; no error, no other host."""

from __future__ import annotations

import re
from types import SimpleNamespace
from urllib.parse import urlsplit

import pytest

from meridia.core.settings import RecallSettings, ServiceSettings, Settings
from meridia.service.operations import OPERATIONS
from meridia.storage.api_keys import Access
from tests.chromium import running_browser
from tests.service.conftest import run_service
from tests.tidy.tree import ROOT

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")
CONVERSATION = ROOT / "cli" / "data" / "demo.jsonl"
QUESTION = "Did Oskar ever send the sail maker's address?"
HOSTILE = '<img src=x onerror="document.title=1"><script>document.title=2</script> harbour'
CREW = [
    {"person": "Dana", "text": "Team, when do the sails come? I live in Oslo now, by the way."},
    {"person": "Oskar", "text": "They come on Tuesday with the new jib."},
    {"role": "assistant", "text": "Oskar, the key is with the harbour master."},
    {"person": "Dana", "text": "Thanks, Oskar! See you on Tuesday."},
]
#: Described beside the operations of the table.
OTHERS = ("import", "spaces", "healthz", "readyz", "metrics")
SETTINGS = Settings(
    service=ServiceSettings(port=0, poll_s=0.5, requests_per_minute=0),
    recall=RecallSettings(confidence_min=0.999),  # the fake encoder finds nearly all of it close
)


@pytest.fixture(scope="module")
def running(tmp_path_factory):
    """Run a service without keys over an imported conversation that was asked."""
    path = tmp_path_factory.mktemp("inspected") / "demo.db"
    for service in run_service(path, SETTINGS, needs_keys=False):
        service.memory.import_file(CONVERSATION)
        service.memory.remember(HOSTILE, person="<b>Mallory</b>", session="s/1")
        service.memory.remember_many(CREW, session="crew")
        service.memory.remember("I live in Bergen now.", person="Dana", session="later")
        service.memory.enrich()
        service.memory.recall("Who brings the new jib?", session="crew", limit=1)
        doubted = service.memory.recall("Does the trailer need plutonium?")
        first = service.memory.recall("What does the trailer man want?").id
        yield SimpleNamespace(
            url=service.url,
            memory=service.memory,
            first=first,
            doubted=doubted,
            recall=service.memory.recall(QUESTION),
        )


@pytest.fixture(scope="module")
def browser():
    """Run one browser for all tests here."""
    with running_browser() as browser:
        yield browser


@pytest.fixture
def page(browser, running):
    """Give a page; fail when it logged an error, when a request failed or went elsewhere."""
    context = browser.new_context(viewport={"width": 1300, "height": 860})
    page, wrong = context.new_page(), []
    page.set_default_timeout(10_000)
    page.on("console", lambda said: wrong.append(said.text) if said.type == "error" else None)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("requestfailed", lambda request: wrong.append(request.url))
    page.on("response", lambda got: wrong.append(got.url) if got.status >= 400 else None)
    page.on("request", lambda sent: wrong.append(sent.url) if is_elsewhere(sent.url) else None)
    yield page
    context.close()
    assert wrong == []


def is_elsewhere(url):
    """Say whether a request leaves this machine."""
    return urlsplit(url).hostname != "127.0.0.1"


def opened(page, running, path="", wait="h1"):
    """Open a page of the inspector, with nothing left of the page before."""
    page.goto("about:blank")
    page.goto(f"{running.url}/inspect/#{path}")
    page.wait_for_selector(wait)
    return page


def test_the_first_page_leads_to_the_inspector_and_to_the_api_with_its_examples(page, running):
    page.goto(running.url)
    page.get_by_role("link", name="Inspector").click()
    page.wait_for_selector("h1")
    page.goto(running.url)
    page.get_by_role("link", name="API", exact=True).click()
    page.locator("#recall summary").click()
    shown = page.locator("#recall").inner_text()
    assert "string, required" in shown
    assert f"'{running.url}/v1/recall'" in shown
    assert "any" not in page.locator("#recall td:nth-child(2)").all_inner_texts()
    assert page.locator("details.operation").count() == len(OPERATIONS) + len(OTHERS)


def test_a_recall_is_looked_at_from_the_list_to_the_trace(page, running):
    opened(page, running).get_by_role("link", name=QUESTION).click()
    page.wait_for_selector(".results")
    hits = running.recall.hits
    assert page.locator(".results .score").all_inner_texts() == [f"{h.score:.2f}" for h in hits]
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    total = page.locator(".trace .total .value").first.inner_text()
    assert float(total) == pytest.approx(hits[0].score, abs=0.005)
    widths = page.locator(".results .bar").first.evaluate(
        "bar => [...bar.querySelectorAll('[data-term]')].length"
    )
    assert widths == len(hits[0].trace.children)
    page.get_by_role("button", name="Ask again without each edge").click()
    page.wait_for_selector(".what-if")
    wanted = running.memory.reasons.counterfactuals(running.recall.id, "1")
    most = max(wanted, key=lambda edge: abs((edge.score_without or 0.0) - edge.score))
    assert most.description in page.locator(".what-if td").first.inner_text()


def test_an_answer_is_as_sure_on_the_page_as_it_is(page, running):
    for recall in (running.recall, running.doubted):
        opened(page, running, f"/recall/{recall.id}", ".facts")
        assert page.locator(".facts dd").first.inner_text().startswith(recall.doubt or "confident")
    assert {running.recall.doubt, running.doubted.doubt} == {"", "maybe nothing here answers this"}


@pytest.mark.thorough
def test_the_graph_is_stepped_through_and_an_edge_is_left_out(page, running):
    opened(page, running, f"/recall/{running.recall.id}/graph", ".graph")
    graph = running.memory.reasons.activation(running.recall.id)
    last = max(node.hop for node in graph.nodes)
    assert page.locator(".column").count() == last + 1
    for hop in reversed(range(last)):
        page.keyboard.press("ArrowLeft")
        assert page.locator(".column").count() == hop + 1
    page.get_by_role("button", name="Play").click()
    page.locator(".column").nth(last).wait_for()
    page.locator(".link.gives .hit").last.dispatch_event("click")
    page.wait_for_selector(".panel .what-if")
    edge = max((e for e in graph.edges if e.shares.get(1)), key=lambda e: e.shares[1])
    said = page.locator(".panel").inner_text()
    assert f"+{edge.shares[1]:.4f} of {running.recall.hits[0].score:.2f}" in said
    assert "Without this" in said
    page.keyboard.press("Escape")
    overflows = """nodes => nodes.filter(node => node.querySelector("text").getBBox().width
      > node.querySelector(".box").getBBox().width - 12).length"""
    assert page.locator(".node").evaluate_all(overflows) == 0
    before = page.locator(".node").count()
    if page.locator(".fold").count():
        page.locator(".fold").last.click()
        assert page.locator(".node").count() > before
    page.locator(".node").first.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    assert page.locator(".node.selected").count() == 1
    assert "activation" in page.locator(".panel").inner_text()


def test_why_not_replay_and_compare(page, running):
    opened(page, running, f"/recall/{running.recall.id}/why-not", ".ask")
    page.fill("main input[type=search]", "trailer")
    page.keyboard.press("Enter")
    page.locator(".choices button").first.click()
    page.wait_for_selector(".answer h3")
    assert page.locator(".answer li").count() >= 1
    page.keyboard.press("Tab")
    page.locator(".tabs a", has_text="Replay").click()
    page.wait_for_selector(".verdict")
    assert "Identical: 10 memories" in page.locator(".verdict").inner_text()
    page.locator(".tabs a", has_text="Compare").click()
    page.wait_for_selector(".choose select")
    page.select_option(".choose select", running.first)
    page.wait_for_selector("main table")
    assert page.locator("main tbody tr").count() >= 10
    # Looking for a memory is no recall that is kept.
    assert [r.id for r in running.memory.reasons.newest(2)] == [running.recall.id, running.first]


@pytest.mark.thorough
def test_a_person_a_session_entities_and_the_journal(page, running):
    opened(page, running, "/people", "table").get_by_role("link", name="Dana").click()
    page.wait_for_selector(".chart .dot")
    story = running.memory.people.relationship("Dana").as_json()
    assert page.locator(".chart .dot").count() == len(story["points"])
    assert str(story["messages"]) in page.locator("main").inner_text()
    page.locator("section", has_text="Meetings").locator("td a").first.click()
    page.wait_for_selector(".messages li")
    page.locator("nav a", has_text="Entities").click()
    page.wait_for_selector("main tbody tr")
    page.locator("nav a", has_text="Journal").click()
    page.wait_for_selector(".cards")
    said = page.locator("main").inner_text()
    assert "Nothing failed." in said
    assert "adjacency" in said


@pytest.mark.thorough
def test_a_session_is_a_thread_of_who_answers_whom_and_what_came_back(page, running):
    opened(page, running, "/session/crew", ".messages > li")
    speakers = page.locator(".speakers li").all_inner_texts()
    assert [said.split("\n")[0] for said in speakers] == ["Dana", "Oskar", "assistant"]
    rows = page.locator(".messages > li")
    answers = [row.locator("button.answers").all_inner_texts() for row in rows.all()]
    first, second, *_ = [f"@{one.seq}" for one in running.memory.list(session="crew").memories]
    named = [f"answers Dana, {first}", f"answers Oskar, {second}", f"answers Oskar, {second}"]
    assert answers == [[], [named[0]], [named[1]], [named[2]]]
    assert re.search(r"recalled \d times?", rows.nth(1).inner_text())
    assert "jib" in page.locator(".rows").inner_text()  # the question that was asked meanwhile
    ended = rows.first.inner_text()
    assert "No longer so" in ended
    assert "I live in Bergen now" in ended
    rows.nth(2).locator("button.answers").focus()
    page.keyboard.press("Enter")
    assert "new jib" in page.evaluate("document.activeElement.innerText")
    opened(page, running, "/session/2026-03-11", ".messages > li")
    item = page.locator(".messages > li", has_text="I know a sail maker")
    item.get_by_text("Later words came back to it").click()
    later = item.locator("details .back a").last  # the session of the last of them
    name = later.inner_text()
    assert name > "2026-03-11"
    later.click()
    page.locator("h1", has_text=name).wait_for()


def test_what_a_memory_says_is_shown_as_text(page, running):
    opened(page, running, "/person/%3Cb%3EMallory%3C%2Fb%3E", "h2")
    assert page.locator("h1").inner_text() == "<b>Mallory</b>"
    page.locator(".timeline").get_by_role("link", name="s/1").click()
    page.wait_for_selector(".messages .text")
    assert page.locator(".messages .text").inner_text() == HOSTILE
    page.locator(".messages a").first.click()
    page.wait_for_selector("blockquote.whole")
    assert page.locator("blockquote").inner_text() == HOSTILE
    assert page.locator("main img, main script").count() == 0


@pytest.mark.thorough
def test_five_thousand_activated_nodes_stay_usable(page, running):
    opened(page, running)
    taken_ms, shown, folds = page.evaluate(
        """async () => {
          const { arrange, draw } = await import("./graph.js");
          const node = (hop, n) => ({ hop, id: `${hop}-${n}`, kind: hop === 1 ? "word" : "memory",
            name: `node ${n}`, amount: 1 / (n + 1), seq: hop === 1 ? null : n + 1, rank: null });
          const nodes = [0, 1, 2].flatMap((hop) => [...Array(hop === 0 ? 10 : 2500).keys()]
            .map((n) => node(hop, n)));
          const edges = [...Array(20000).keys()].map((n) => ({ hop: 1 + (n % 2), type: "HAS_WORD",
            source: n % 2 ? `1-${n % 2500}` : `0-${n % 10}`, along: true, amount: 1 / (n + 1),
            target: n % 2 ? `2-${(n * 7) % 2500}` : `1-${n % 2500}`, shares: { 1: 1 / (n + 2) } }));
          const begun = performance.now();
          const on = { node() {}, edge() {}, more() {} };
          const plan = arrange({ nodes, edges }, { rank: 1, most: 25, room: 900 });
          const picture = draw(plan, { hop: 2, selected: null, on });
          document.getElementById("main").replaceChildren(picture);
          document.body.getBoundingClientRect();
          return [performance.now() - begun, document.querySelectorAll(".node").length,
            document.querySelectorAll(".fold").length];
        }"""
    )
    assert shown == 10 + 25 + 25
    assert folds == 2
    assert taken_ms < 2000


@pytest.mark.thorough
def test_the_graph_is_explored_from_a_name_by_kind_time_path_and_community(page, running):
    opened(page, running, "/explore").fill("input[type=search]", "dana")
    page.locator(".choices button", has_text="Dana").first.click()
    page.locator(".panel h3", has_text="Dana").wait_for()
    state, drawn = page.locator("[role=status]"), page.locator(".explorer")

    def shown():
        return int(drawn.get_attribute("data-nodes"))

    first = shown()
    assert first > 10
    assert state.inner_text().startswith(f"{first} nodes")
    page.get_by_label("topic").uncheck()
    assert 1 < shown() < first
    page.get_by_label("topic").check()
    page.get_by_label("until").fill("2026-03-02")
    assert shown() < first
    assert "hidden by the filters" in state.inner_text()
    page.get_by_label("until").fill("")
    page.get_by_label("colour by community").check()
    assert "communit" in state.inner_text()
    page.get_by_role("button", name="Path from here").click()
    page.locator(".panel button", has_text="Oskar").first.click()
    page.get_by_role("button", name="Path from Dana").click()
    page.get_by_role("button", name="Path from here").wait_for()  # the path is drawn
    page.get_by_label("memory").check()
    page.get_by_role("button", name="Whole space").click()
    page.locator("[role=status]", has_text=f"{all_nodes(running)} nodes").wait_for()
    opened(page, running, "/person/Dana", ".timeline li").get_by_role(
        "link", name="in the graph"
    ).click()
    page.locator(".panel").get_by_role("link", name="their page").click()
    page.wait_for_selector(".timeline li")


def all_nodes(running):
    """Return how many nodes of the kinds that the explorer begins with, and memories, there are."""
    counts = running.memory.graph.counts()
    kinds = ("Person", "Entity", "Concept", "Fact", "Session", "Episode", "Experience")
    return sum(counts[kind] for kind in kinds)


def test_the_spaces_of_the_key_are_offered(page, running):
    running.memory.in_space("second").remember("A heron.")
    opened(page, running)
    page.locator("#space-names option[value=second]").wait_for(state="attached")


@pytest.mark.thorough
def test_five_thousand_nodes_of_the_explorer_stay_usable(page, running):
    opened(page, running)
    drawn, *taken_ms = page.evaluate(
        """async () => {
          const { picture } = await import("./explore_picture.js");
          const { communities } = await import("./explore_data.js");
          const kinds = ["Person", "Entity", "Concept", "Fact", "Session"];
          const nodes = [...Array(5000).keys()].map((n) => ({ id: `n${n}`, name: `node ${n}`,
            kind: n % 100 ? kinds[1 + (n % 4)] : "Person", at: null, text: "" }));
          const edges = [...Array(15000).keys()].map((n) => ({ type: "ABOUT",
            source: `n${n % 5000}`, target: `n${(n * 7 + (n % 50)) % 5000}` }));
          const place = Object.assign(document.createElement("div"), { className: "explorer" });
          document.getElementById("main").replaceChildren(place);
          const begun = performance.now();
          const groups = communities(nodes, edges);
          const grouped = performance.now();
          picture(place, { select() {}, expand() {} }).show({ nodes, edges, groups,
            trail: new Set(), selected: null, around: null, byCommunity: true });
          await new Promise(requestAnimationFrame);
          return [place.dataset.nodes, grouped - begun, performance.now() - grouped];
        }"""
    )
    assert drawn == "5000"
    print("communities, picture (ms):", taken_ms)
    assert sum(taken_ms) < 8000


@pytest.mark.thorough
def test_in_the_dark_nothing_is_wider_than_a_narrow_screen(page, running):
    page.set_viewport_size({"width": 360, "height": 740})
    page.emulate_media(color_scheme="dark")
    recall = f"/recall/{running.recall.id}"
    paths = ("", recall, f"{recall}/graph", f"{recall}/replay", "/person/Dana", "/journal")
    for path in (*paths, "/explore/name/Dana"):
        opened(page, running, path, ".chart" if "person" in path else "h1, .graph")
        page.locator(".loading").wait_for(state="detached")
        assert page.evaluate("document.documentElement.scrollWidth") <= 360, path
        whole = "bars => bars.every(bar => bar.scrollWidth <= bar.clientWidth)"
        assert page.locator(".top nav, .tabs").evaluate_all(whole), path
        legible = "texts => texts.every(text => text.getBoundingClientRect().height >= 11)"
        assert page.locator(".chart text").evaluate_all(legible), path
    colours = "[getComputedStyle(document.body).backgroundColor, 'rgb(20, 24, 28)']"
    shown, dark = page.evaluate(colours)
    assert shown == dark


def test_what_a_memory_says_is_text_without_signs_that_nobody_sees(page, running):
    said = "\u202etxet\u202c \x9b31m \u2066<img src=x onerror='document.title=1'>"
    running.memory.in_space("signs").remember(said, session="s")
    page.goto(f"{running.url}/inspect/?space=signs#/session/s")
    page.get_by_text("31m").first.wait_for()
    shown = page.inner_text("main")
    assert "<img src=x" in shown
    assert not {"\u202e", "\u202c", "\x9b", "\u2066"} & set(shown)
    assert page.locator("main img").count() == 0


def test_a_key_is_asked_for_once_and_held_by_the_tab_alone(browser, service):
    key = service.key("tab", access=Access.READ)
    service.memory.in_space("tab").remember("A heron stands at the pond.", person="Ada")
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"{service.url}/inspect/")
    page.fill("#key", "wrong")
    page.keyboard.press("Enter")
    page.wait_for_selector("#key-problem:not([hidden])")
    page.fill("#key", key)
    page.keyboard.press("Enter")
    page.get_by_role("link", name="Ada").wait_for()
    page.reload()
    page.get_by_role("link", name="Ada").wait_for()
    assert page.evaluate("Object.values(sessionStorage)") == [key]
    assert page.evaluate("[localStorage.length, document.cookie]") == [0, ""]
    assert key not in page.url
    other = context.new_page()
    other.goto(f"{service.url}/inspect/")
    other.wait_for_selector("#key-dialog[open]")
    context.close()


def test_an_error_is_told_with_a_way_on(browser, running):
    context = browser.new_context()
    page = context.new_page()
    opened(page, running, "/recall/none", ".failure")
    assert "no recall 'none'" in page.locator(".failure").inner_text()
    page.get_by_role("link", name="All recalls").click()
    page.wait_for_selector(".rows")
    opened(page, running, "/person/Nobody", ".empty")
    assert "Nobody of this name" in page.locator("main").inner_text()
    context.close()


@pytest.mark.parametrize("name", ["constructor", "__proto__", "x"])
def test_a_name_that_is_no_page_is_told_to_be_none(page, running, name):
    page.goto(f"{running.url}/inspect/#/{name}")
    page.get_by_text("There is no such page").wait_for()
