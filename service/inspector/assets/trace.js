// The trace of a score as a tree, and where the memory would stand without each edge of it.

import { get } from "./api.js";
import { colourOf } from "./bars.js";
import { el, empty, memoryLink, signed, table } from "./dom.js";

/** A smaller effect of an edge on a score is only counted. */
const EFFECT_MIN = 0.005;

/** Return the tree of a trace; the values of each level sum to the one above it. */
export function traceTree(trace, terms) {
  const branches = (trace.children ?? []).map((branch) => {
    const label = el(
      "summary",
      {},
      el("span", { class: "value" }, signed(branch.value)),
      el("span", { class: `swatch ${colourOf(terms, branch.label)}` }),
      branch.label,
    );
    return el("li", {}, el("details", { open: true }, label, leaves(branch.children ?? [])));
  });
  return el(
    "ul",
    { class: "trace" },
    el(
      "li",
      { class: "total" },
      el("span", { class: "value" }, trace.value.toFixed(2)),
      "score, the sum of:",
    ),
    branches,
  );
}

function leaves(children) {
  return el(
    "ul",
    {},
    children.map((child) =>
      el(
        "li",
        {},
        el("span", { class: "value" }, signed(child.value)),
        el(
          "span",
          {},
          child.label,
          child.edge ? el("span", { class: "edge" }, child.edge) : null,
          child.source ? [" ", memoryLink(child.source, "show")] : null,
          child.children?.length ? leaves(child.children) : null,
        ),
      ),
    ),
  );
}

/** Return where a memory of a recall would stand without each edge that its trace names. */
export async function withoutEdges(recall, address) {
  const { items } = await get("what-if", { recall, address });
  if (!items.length) return empty("No edge contributes to this score.");
  items.sort((a, b) => effect(b) - effect(a));
  const some = items.filter((item) => effect(item) >= EFFECT_MIN);
  const less = items.length - some.length;
  return [
    el("p", { class: "dim" }, "The question is asked again without the edge."),
    some.length ? whatIfTable(some) : null,
    less ? el("p", { class: "dim" }, `${less} more change it by less than ${EFFECT_MIN}.`) : null,
  ];
}

/** Return a table of counterfactuals. */
export function whatIfTable(items) {
  return table(
    ["without the edge", "rank", "score", "change"],
    items.map((item) => [
      item.edge.description,
      item.rank_without === null ? "no candidate" : moved(item.rank, item.rank_without),
      item.score_without === null ? "–" : item.score_without.toFixed(2),
      item.score_without === null ? "–" : signed(item.score_without - item.score),
    ]),
    { class: "scroll what-if" },
  );
}

function moved(rank, without) {
  return rank === without ? `#${rank}` : `#${rank} → #${without}`;
}

function effect(item) {
  return item.score_without === null ? Infinity : Math.abs(item.score_without - item.score);
}
