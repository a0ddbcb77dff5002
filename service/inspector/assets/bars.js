// Score bars: what a score is the sum of. What adds stands right of zero, what lowers it left.

import { el, signed, svg } from "./dom.js";

const HEIGHT = 14;
const COLOURS = 8;

/** Return the terms of several results, those of the greatest values first. */
export function termsOf(hits) {
  const totals = new Map();
  for (const hit of hits) {
    for (const branch of hit.trace.children ?? []) {
      totals.set(branch.label, (totals.get(branch.label) ?? 0) + Math.abs(branch.value));
    }
  }
  return [...totals.keys()].sort((a, b) => totals.get(b) - totals.get(a));
}

/** Return how far the bars of several results go, below and above zero. */
export function rangeOf(hits) {
  let [low, high] = [0, 1e-9];
  for (const hit of hits) {
    const values = (hit.trace.children ?? []).map((branch) => branch.value);
    low = Math.min(low, sum(values.filter((value) => value < 0)));
    high = Math.max(high, sum(values.filter((value) => value > 0)));
  }
  return [low, high];
}

function sum(values) {
  return values.reduce((total, value) => total + value, 0);
}

/** Return the class that gives a term its colour. */
export function colourOf(terms, term) {
  return `term-${Math.min(Math.max(terms.indexOf(term), 0), COLOURS - 1)}`;
}

/** Return the bar of one result; `range` is that of all, so that they can be compared. */
export function bar(hit, terms, [low, high]) {
  const scale = 1000 / (high - low);
  const ends = { right: -low * scale, left: -low * scale };
  const branches = [...(hit.trace.children ?? [])].sort(
    (a, b) => terms.indexOf(a.label) - terms.indexOf(b.label),
  );
  const parts = branches.map((branch) => {
    const width = Math.abs(branch.value) * scale;
    if (branch.value < 0) ends.left -= width;
    const x = branch.value < 0 ? ends.left : ends.right;
    if (branch.value >= 0) ends.right += width;
    const label = `${branch.label} ${signed(branch.value)}`;
    return svg(
      "rect",
      {
        x,
        y: 0,
        width: Math.max(width - 1.5, 0),
        height: HEIGHT,
        "data-term": branch.label,
        class: colourOf(terms, branch.label),
      },
      svg("title", {}, label),
    );
  });
  const said = branches.map((branch) => `${branch.label} ${signed(branch.value)}`).join(", ");
  return svg(
    "svg",
    {
      class: "bar",
      viewBox: `0 0 1000 ${HEIGHT}`,
      preserveAspectRatio: "none",
      role: "img",
      "aria-label": `score ${hit.score.toFixed(2)}: ${said}`,
    },
    parts,
    low < 0
      ? svg("rect", { x: -low * scale - 0.5, y: 0, width: 1.5, height: HEIGHT, class: "zero" })
      : null,
  );
}

/** Return what the colours mean; pointing at a term shows it alone in `place`. */
export function legend(terms, place) {
  const mark = (term) => () => {
    for (const part of place.querySelectorAll("[data-term]")) {
      part.classList.toggle("faint", term !== null && part.dataset.term !== term);
    }
  };
  return el(
    "ul",
    { class: "legend", "aria-label": "What the colours mean" },
    terms.map((term) =>
      el(
        "li",
        { onmouseenter: mark(term), onmouseleave: mark(null) },
        el("span", { class: `swatch ${colourOf(terms, term)}` }),
        term,
      ),
    ),
  );
}
