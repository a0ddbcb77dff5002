// Draws the activated graph: a column for each hop, the strongest nodes on top, edges between.
//
// `arrange` is a function of the data alone; `draw` makes the picture. Nodes beyond `most` a column
// are folded into one line, so that a graph of any size stays readable and quick.

import { shorten, signed, svg } from "./dom.js";

const ROW = 32;
const BOX = 26;
const TOP = 34;
/** Widths of a column of memories; one of words has this part of it, a gap that one. */
const [WIDTH_MIN, WIDTH_MAX, OF_WORDS, OF_GAP] = [180, 300, 0.6, 0.4];
/** The size of letters in a node, as the style has it. */
const LETTERS = "13px";
let ruler = null;
/** Edges drawn, at most: the strongest. */
const EDGES_MAX = 1500;

/** Return the key of a node at a hop. */
export function keyOf(hop, id) {
  return `${hop}/${id}`;
}

/** Return the share that an edge has of the score of a result, or of all together. */
export function shareOf(edge, rank) {
  if (rank) return edge.shares[rank] ?? 0;
  return Object.values(edge.shares).reduce((total, value) => total + value, 0);
}

/**
 * Place nodes and edges in a `room` of pixels, if they fit. `rank` is the result whose ways come
 * first; a column shows `most` nodes.
 */
export function arrange(graph, { rank, most, room }) {
  const shares = new Map();
  const add = (key, share) => shares.set(key, (shares.get(key) ?? 0) + share);
  for (const edge of graph.edges) {
    const share = shareOf(edge, rank);
    if (!share) continue;
    add(keyOf(edge.hop, edge.target), share);
    // What a node of the middle passes on has come to it before.
    if (edge.hop === 1) add(keyOf(0, edge.source), share);
  }
  const hops = Math.max(0, ...graph.nodes.map((node) => node.hop));
  const placed = new Map();
  const columns = [];
  const parts = [];
  for (let hop = 0; hop <= hops; hop += 1) {
    const isOfMemories = graph.nodes.some((node) => node.hop === hop && node.kind === "memory");
    parts.push(isOfMemories ? 1 : OF_WORDS);
  }
  const all = parts.reduce((sum, part) => sum + part, hops * OF_GAP);
  const unit = Math.min(WIDTH_MAX, Math.max(WIDTH_MIN, room / all));
  let x = 0;
  for (let hop = 0; hop <= hops; hop += 1) {
    const width = parts[hop] * unit;
    const nodes = graph.nodes
      .filter((node) => node.hop === hop)
      .map((node) => ({
        ...node,
        key: keyOf(hop, node.id),
        share: shares.get(keyOf(hop, node.id)) ?? 0,
      }));
    nodes.sort((a, b) => b.share - a.share || b.amount - a.amount);
    const shown = nodes.slice(0, most);
    shown.forEach((node, place) => {
      placed.set(node.key, Object.assign(node, { x, y: TOP + place * ROW, width }));
    });
    columns.push({ hop, x, width, nodes: shown, folded: nodes.length - shown.length });
    x += width + OF_GAP * unit;
  }
  const edges = graph.edges
    .map((edge) => ({
      ...edge,
      from: placed.get(keyOf(edge.hop - 1, edge.source)),
      to: placed.get(keyOf(edge.hop, edge.target)),
      share: shareOf(edge, rank),
    }))
    .filter((edge) => edge.from && edge.to)
    .sort((a, b) => b.share - a.share || b.amount - a.amount)
    .slice(0, EDGES_MAX);
  const rows = Math.max(
    1,
    ...columns.map((column) => column.nodes.length + (column.folded ? 1 : 0)),
  );
  return {
    columns,
    edges,
    placed,
    width: Math.ceil(x - OF_GAP * unit),
    height: TOP + rows * ROW,
  };
}

/** Draw what was arranged up to a hop; `on` has what happens: `node`, `edge` and `more`. */
export function draw(plan, { hop, selected, on }) {
  const most = Math.max(1e-12, ...plan.columns[0].nodes.map((node) => node.amount));
  return svg(
    "svg",
    {
      class: "graph",
      width: plan.width,
      height: plan.height,
      role: "group",
      viewBox: `0 0 ${plan.width} ${plan.height}`,
      "aria-label": "Activated graph",
    },
    svg(
      "g",
      { class: "edges" },
      [...plan.edges]
        .reverse()
        .filter((edge) => edge.hop <= hop)
        .map((edge) => drawEdge(edge, { hop, selected, on })),
    ),
    plan.columns
      .filter((column) => column.hop <= hop)
      .map((column) =>
        svg(
          "g",
          { class: column.hop === hop ? "column newest" : "column" },
          svg("text", { x: column.x, y: 18, class: "heading" }, heading(column)),
          column.nodes.map((node) => drawNode(node, { most, selected, on })),
          column.folded ? drawFold(column, on) : null,
        ),
      ),
  );
}

function heading(column) {
  const title = column.hop ? `Hop ${column.hop}` : "Start: the best matches";
  return `${title} · ${column.nodes.length + column.folded}`;
}

function drawNode(node, { most, selected, on }) {
  const { width } = node;
  const label = node.seq ? `@${node.seq} ${node.name}` : node.name;
  const classes = ["node", `kind-${node.kind}`];
  if (node.share) classes.push("gives");
  if (selected === node.key) classes.push("selected");
  const share = node.share ? `, ${signed(node.share, 3)} of the score` : "";
  return svg(
    "g",
    {
      class: classes.join(" "),
      tabindex: 0,
      role: "button",
      "data-key": node.key,
      "aria-label": `${node.kind} ${label}, activation ${node.amount.toFixed(3)}${share}`,
      "aria-pressed": String(selected === node.key),
      transform: `translate(${node.x} ${node.y})`,
      onclick: () => on.node(node),
    },
    svg("rect", { class: "box", width, height: BOX, rx: 5 }),
    svg("rect", {
      class: "amount",
      y: BOX - 3,
      height: 3,
      rx: 1.5,
      width: Math.max(2, width * Math.min(1, Math.sqrt(node.amount / most))),
    }),
    svg("text", { x: 8, y: 17 }, fitted(label, width - (node.rank ? 50 : 16))),
    node.rank ? svg("text", { x: width - 8, y: 17, class: "badge" }, `#${node.rank}`) : null,
    svg("title", {}, `${node.kind}: ${label}`),
  );
}

function drawEdge(edge, { hop, selected, on }) {
  const [x, y] = [edge.from.x + edge.from.width, edge.from.y + BOX / 2];
  const [toX, toY] = [edge.to.x, edge.to.y + BOX / 2];
  const middle = (x + toX) / 2;
  const d = `M${x} ${y} C${middle} ${y} ${middle} ${toY} ${toX} ${toY}`;
  const key = edgeKey(edge);
  const touches = selected === edge.from.key || selected === edge.to.key;
  const classes = ["link"];
  if (edge.share) classes.push("gives");
  if (edge.hop === hop) classes.push("newest");
  if (selected === key || touches) classes.push("selected");
  const width = 1 + 5 * Math.sqrt(Math.min(1, edge.amount / Math.max(edge.from.amount, 1e-12)));
  return svg(
    "g",
    { class: classes.join(" "), "data-key": key, onclick: () => on.edge(edge) },
    svg("path", { class: "line", d, "stroke-width": width.toFixed(2) }),
    svg("path", { class: "hit", d }),
    svg("title", {}, `${edge.type}, ${edge.amount.toFixed(3)}`),
  );
}

/** Return as much of a text as is no wider than a node has room for. */
function fitted(text, room) {
  ruler ??= Object.assign(document.createElement("canvas").getContext("2d"), {
    font: `${LETTERS} ${getComputedStyle(document.body).fontFamily}`,
  });
  const most = [...text].length;
  const widthOf = (letters) => ruler.measureText(shorten(text, letters)).width;
  let [fits, fails] = [1, most + 1];
  while (fits + 1 < fails) {
    const middle = (fits + fails) >> 1;
    if (widthOf(middle) <= room) fits = middle;
    else fails = middle;
  }
  return shorten(text, fits);
}

/** Return the key of an edge at a hop. */
export function edgeKey(edge) {
  return [edge.hop, edge.type, edge.along ? ">" : "<", edge.source, edge.target].join("/");
}

function drawFold(column, on) {
  const y = TOP + column.nodes.length * ROW;
  const more = () => on.more();
  return svg(
    "g",
    {
      class: "fold",
      tabindex: 0,
      role: "button",
      onclick: more,
      transform: `translate(${column.x} ${y})`,
    },
    svg("rect", { class: "box", width: column.width, height: BOX, rx: 5 }),
    svg("text", { x: 8, y: 17 }, `${column.folded} folded: show more`),
  );
}
