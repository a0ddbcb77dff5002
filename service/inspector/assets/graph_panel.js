// What is told of the graph beside it: of a hop, a node or an edge, and what would be without it.

import { get } from "./api.js";
import { count, el, memoryLink, printable, shorten, signed } from "./dom.js";
import { whatIfTable } from "./trace.js";

/** Edges of a node that are named, and left out one after the other when asked. */
const EDGES_SHOWN = 6;

/** What is shown while nothing is selected: the hop, and its strongest edges. */
export function hopPanel(plan, state, edge) {
  const hop = state.hop;
  if (hop === 0) {
    return [
      el("h3", {}, "Start"),
      el(
        "p",
        {},
        "Activation begins at the memories that match the ",
        "question best; each has as much as it matches.",
      ),
      hint(),
    ];
  }
  const edges = plan.edges.filter((one) => one.hop === hop);
  return [
    el("h3", {}, `Hop ${hop}`),
    el(
      "p",
      {},
      `Over ${count(edges.length, "edge")} that ${edges.length === 1 ? "is" : "are"} shown.`,
    ),
    edgeList(edges.slice(0, EDGES_SHOWN), edge),
    hint(),
  ];
}

function hint() {
  return el(
    "p",
    { class: "dim" },
    "Click a node or an edge. ",
    "What gave to the score of the chosen result is coloured.",
  );
}

function edgeList(edges, edge) {
  return el(
    "ul",
    { class: "edge-list" },
    edges.map((one) =>
      el(
        "li",
        {},
        el(
          "button",
          { class: "plain", onclick: () => edge(one) },
          `${shorten(one.from.name, 26)} → ${shorten(one.to.name, 26)}`,
        ),
        el("span", { class: "dim" }, one.share ? signed(one.share, 3) : one.amount.toFixed(3)),
      ),
    ),
  );
}

/** What is shown of a node. */
export function nodePanel(recall, plan, node, state, edge) {
  const text = el("blockquote", {}, node.name);
  if (node.seq) {
    get("show", { address: `@${node.seq}` }).then(
      (shown) => {
        text.textContent = printable(shown.text);
      },
      () => {
        text.textContent = "This memory is gone.";
      },
    );
  }
  const edges = plan.edges.filter((one) => one.from.key === node.key || one.to.key === node.key);
  const strongest = edges.slice(0, EDGES_SHOWN);
  const own = strongest.filter((one) => one.share);
  return [
    el("h3", {}, node.kind, node.seq ? [" ", memoryLink(`@${node.seq}`)] : null),
    text,
    el(
      "dl",
      {},
      row("activation", node.amount.toFixed(4)),
      row(`of the score of #${state.rank}`, scorePart(recall, state.rank, node.share)),
      node.rank ? row("result", `#${node.rank}`) : null,
    ),
    without(recall, state.rank, own, "its edges"),
    edges.length ? [el("h4", {}, "Edges"), edgeList(strongest, edge)] : null,
  ]
    .flat()
    .filter(Boolean);
}

/** What is shown of an edge; it is left out at once. */
export function edgePanel(recall, edge, state) {
  const others = Object.entries(edge.shares).filter(([rank]) => Number(rank) !== state.rank);
  const part = without(recall, state.rank, [edge], "it");
  part?.querySelector("button")?.click();
  return [
    el("h3", {}, edge.type),
    el("blockquote", {}, edge.from.name, el("span", { class: "arrow" }, " → "), edge.to.name),
    el(
      "dl",
      {},
      row("hop", String(edge.hop)),
      row("moved over it", edge.amount.toFixed(4)),
      row(`of the score of #${state.rank}`, scorePart(recall, state.rank, edge.share)),
      others.length
        ? row(
            "of other scores",
            others.map(([rank, value]) => `#${rank} ${signed(value, 3)}`).join(", "),
          )
        : null,
    ),
    part,
  ].filter(Boolean);
}

function row(name, value) {
  return el("div", {}, el("dt", {}, name), el("dd", {}, value));
}

function scorePart(recall, rank, share) {
  const hit = recall.hits.find((one) => one.rank === rank);
  return hit ? `${signed(share, 4)} of ${hit.score.toFixed(2)}` : signed(share, 4);
}

/** Return the part that asks again without some edges, each by itself. */
function without(recall, rank, edges, what) {
  const hit = recall.hits.find((one) => one.rank === rank);
  if (!hit || !edges.length) return null;
  const place = el(
    "section",
    { class: "without", "aria-live": "polite" },
    el("h4", {}, "Without this"),
  );
  const button = el("button", {}, `Ask again without ${what}`);
  button.addEventListener("click", async () => {
    button.replaceWith(el("p", { class: "loading" }, "Asking…"));
    try {
      const asked = await Promise.all(
        edges.map((edge) =>
          get("what-if", {
            recall: recall.recall,
            address: hit.id,
            type: edge.type,
            source: edge.along ? edge.source : edge.target,
            target: edge.along ? edge.target : edge.source,
          }),
        ),
      );
      const items = asked.flatMap((answer) => answer.items);
      place.replaceChildren(place.firstChild, whatIfTable(items));
    } catch (error) {
      place.replaceChildren(place.firstChild, el("p", { class: "problem" }, error.message));
    }
  });
  place.append(button);
  return place;
}
