// A recall: its results with what their scores are made of, and the parts that ask after it.

import { get } from "./api.js";
import { bar, legend, rangeOf, termsOf } from "./bars.js";
import { comparePart, replayPart } from "./compare.js";
import { count, el, empty, link, memoryLink, moment, pathOf } from "./dom.js";
import { graphPart } from "./graph_part.js";
import { traceTree, withoutEdges } from "./trace.js";
import { whyNotPart } from "./why_not.js";

const PARTS = [
  ["", "Results", resultsPart],
  ["graph", "Graph", graphPart],
  ["why-not", "Why not?", whyNotPart],
  ["replay", "Replay", replayPart],
  ["compare", "Compare", comparePart],
];

export async function recallPage([id, name = "", ...words], signal) {
  const recall = await get("explain", { recall: id });
  const [, , part] = PARTS.find(([key]) => key === name) ?? PARTS[0];
  return [
    el("p", { class: "crumbs" }, link("/", "Recalls")),
    el("h1", {}, recall.question || "(an empty question)"),
    facts(recall),
    recall.notes.map((note) => el("p", { class: "note" }, note)),
    el(
      "nav",
      { class: "tabs", "aria-label": "Parts of this recall" },
      PARTS.map(([key, label]) =>
        el(
          "a",
          {
            href: `#${pathOf("recall", recall.recall)}${key ? `/${key}` : ""}`,
            "aria-current": key === name ? "page" : null,
          },
          label,
        ),
      ),
    ),
    await part(recall, words, signal),
  ];
}

function facts(recall) {
  const read = Object.entries(recall.reading).map(
    ([kind, words]) => `${kind}: ${words.join(", ")}`,
  );
  return el(
    "dl",
    { class: "facts" },
    fact(
      "answer",
      el(
        "span",
        { class: recall.confident ? "good" : "poor" },
        recall.doubt || "confident",
        ` (${recall.confidence.toFixed(2)})`,
      ),
    ),
    fact("read as", read.join("; ") || "no content words"),
    fact("results", String(recall.hits.length)),
    fact("profile", recall.profile),
    fact("journal", `up to ${recall.seq}`),
    fact("id", el("code", {}, recall.recall)),
  );
}

function fact(name, value) {
  return el("div", {}, el("dt", {}, name), el("dd", {}, value));
}

function resultsPart(recall) {
  if (!recall.hits.length) {
    return empty(
      "No memories were recalled. ",
      link(`${pathOf("recall", recall.recall)}/why-not`, "Why not?"),
    );
  }
  const terms = termsOf(recall.hits);
  const range = rangeOf(recall.hits);
  const list = el("ol", { class: "results" });
  list.append(...recall.hits.map((hit) => result(recall, hit, terms, range)));
  return [
    el(
      "div",
      { class: "legend-row" },
      legend(terms, list),
      el("span", { class: "dim" }, "each score is the sum of its bar"),
    ),
    list,
  ];
}

function result(recall, hit, terms, range) {
  const rest = el("div", { class: "rest" });
  const details = el(
    "details",
    { "data-row": true, id: `hit-${hit.rank}` },
    el(
      "summary",
      {},
      el("span", { class: "rank" }, `${hit.rank}`),
      el("span", { class: "score" }, hit.score.toFixed(2)),
      bar(hit, terms, range),
      el("span", { class: "text" }, hit.text),
      el(
        "span",
        { class: "dim who" },
        [hit.person ?? hit.kind, moment(hit.at), hit.session ? `session ${hit.session}` : null]
          .filter(Boolean)
          .join(" · "),
      ),
      el("span", { class: "why" }, hit.why),
    ),
    rest,
  );
  details.addEventListener("toggle", () => {
    if (details.open && !rest.childElementCount) fill(rest, recall, hit, terms);
  });
  return el("li", {}, details);
}

function fill(place, recall, hit, terms) {
  const without = el("section", { class: "without" }, el("h3", {}, "Without this"));
  const button = el("button", {}, "Ask again without each edge");
  button.addEventListener("click", async () => {
    button.replaceWith(el("p", { class: "loading" }, "Asking…"));
    const made = await withoutEdges(recall.recall, hit.id).catch((e) => problem(e));
    without.replaceChildren(...[without.firstChild, made].flat().filter(Boolean));
  });
  without.append(button);
  place.append(
    el(
      "p",
      {},
      memoryLink(hit.uri, "The memory"),
      " · ",
      link(`${pathOf("recall", recall.recall)}/graph/${hit.rank}`, "Its part of the graph"),
      hit.session ? [" · ", link(pathOf("session", hit.session), "Its session")] : null,
      hit.facts.length ? ` · ${count(hit.facts.length, "fact")}: ${hit.facts.join(" ")}` : null,
    ),
    el(
      "div",
      { class: "columns" },
      el(
        "section",
        {},
        el("h3", {}, "Trace"),
        traceTree(hit.trace, terms),
        el("details", {}, el("summary", {}, "In the graph"), el("code", {}, hit.pattern)),
      ),
      without,
    ),
  );
}

function problem(error) {
  return el("p", { class: "problem", role: "alert" }, error.message);
}
