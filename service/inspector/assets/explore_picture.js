// Draws the explorer's graph with cytoscape: colours by kind or community, a path, large graphs.

import { printable, shorten } from "./dom.js";
import { KINDS } from "./explore_data.js";
import cytoscape from "./cytoscape.esm.min.mjs";

/** From here on nodes are placed by community at once instead of by forces. */
const FORCES_MAX = 150;
const COLOURS = 8;
const GOLDEN = Math.PI * (3 - Math.sqrt(5));

/** Return what shows a graph in an element; `select` and `expand` are told of clicks. */
export function picture(element, { select, expand }) {
  let cy = null;
  let last = null;
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const again = () => last && show(last);
  dark.addEventListener("change", again);

  function show(given) {
    last = given;
    const before = new Map(cy?.nodes().map((node) => [node.id(), { ...node.position() }]) ?? []);
    const view = cy && { zoom: cy.zoom(), pan: cy.pan() };
    cy?.destroy();
    const { nodes, edges } = given;
    const isLarge = nodes.length > FORCES_MAX;
    const places = isLarge ? byCommunity(given) : before;
    cy = cytoscape({
      container: element,
      elements: elements(given, places),
      style: style(getComputedStyle(document.documentElement), isLarge),
      layout: { name: "preset" },
      minZoom: 0.05,
      maxZoom: 3,
      hideEdgesOnViewport: isLarge,
      textureOnViewport: isLarge,
      pixelRatio: isLarge ? 1 : "auto",
    });
    const isNew = nodes.some(({ id }) => !before.has(id));
    if (!isLarge && isNew && nodes.length) forces(cy, before.size > 0);
    else if (isLarge || !view) cy.fit(undefined, 24);
    else cy.viewport(view);
    cy.on("tap", "node", ({ target }) => select(target.id()));
    cy.on("dbltap", "node", ({ target }) => expand(target.id()));
    element.dataset.nodes = String(nodes.length);
    element.dataset.edges = String(edges.length);
  }

  return {
    show,
    destroy() {
      dark.removeEventListener("change", again);
      cy?.destroy();
    },
  };
}

function forces(cy, isKnown) {
  cy.layout({
    name: "cose",
    animate: false,
    randomize: !isKnown,
    nodeRepulsion: () => 30000,
    idealEdgeLength: () => 70,
    padding: 24,
  }).run();
}

function elements({ nodes, edges, groups, trail, selected, around, byCommunity }, places) {
  const centre = places.get(around) ?? { x: 0, y: 0 };
  return [
    ...nodes.map((node, index) => {
      const group = byCommunity ? groups.get(node.id) : KINDS.indexOf(node.kind);
      const classes = [
        group < COLOURS ? `colour-${group}` : "other",
        node.kind === "Person" ? "person" : "",
        trail.has(node.id) ? "trail" : "",
        node.id === selected ? "chosen" : "",
      ];
      return {
        data: { id: node.id, label: printable(shorten(node.name, 32)) },
        position: places.get(node.id) ?? spiral(index, centre, 30),
        classes: classes.filter(Boolean).join(" "),
      };
    }),
    ...edges.map(({ source, target, type }) => ({
      data: { id: `${source} ${type} ${target}`, source, target, label: type },
      classes: trail.has(source) && trail.has(target) ? "trail" : "",
    })),
  ];
}

function spiral(index, { x, y }, step) {
  const radius = step * Math.sqrt(index + 1);
  return { x: x + radius * Math.cos(index * GOLDEN), y: y + radius * Math.sin(index * GOLDEN) };
}

/** Return a place for each node: communities on a spiral, their nodes on one of their own. */
function byCommunity({ nodes, groups }) {
  const members = new Map();
  for (const { id } of nodes) {
    const group = groups.get(id);
    members.set(group, [...(members.get(group) ?? []), id]);
  }
  const places = new Map();
  let taken = 0;
  for (const [, ids] of [...members].sort((a, b) => a[0] - b[0])) {
    const middle = spiral(taken + ids.length / 2, { x: 0, y: 0 }, 34);
    ids.forEach((id, index) => places.set(id, spiral(index, middle, 22)));
    taken += ids.length;
  }
  return places;
}

function style(css, isLarge) {
  const colour = (name) => css.getPropertyValue(`--${name}`).trim();
  return [
    {
      selector: "node",
      style: {
        "background-color": colour("dim"),
        // Of many, names and arrows could not be read, and cost most of the time.
        label: isLarge ? "" : "data(label)",
        color: colour("ink"),
        "font-size": 11,
        "text-valign": "bottom",
        "text-margin-y": 3,
        "text-outline-color": colour("card"),
        "text-outline-width": 2,
        "min-zoomed-font-size": 8,
        width: 16,
        height: 16,
      },
    },
    ...[...Array(COLOURS).keys()].map((place) => ({
      selector: `.colour-${place}`,
      style: { "background-color": colour(`term-${place}`) },
    })),
    {
      selector: ".person, .chosen, .trail",
      style: { label: "data(label)" },
    },
    { selector: ".person", style: { width: 26, height: 26, "font-size": 14 } },
    {
      selector: "edge",
      style: {
        "line-color": colour("faint-edge"),
        "target-arrow-color": colour("faint-edge"),
        "target-arrow-shape": isLarge ? "none" : "triangle",
        "arrow-scale": 0.7,
        "curve-style": "haystack",
        width: 1,
      },
    },
    {
      selector: ".trail",
      style: { "line-color": colour("gives"), "border-color": colour("gives"), "border-width": 3 },
    },
    { selector: "edge.trail", style: { width: 4 } },
    { selector: ".chosen", style: { "border-color": colour("ink"), "border-width": 3 } },
  ];
}
