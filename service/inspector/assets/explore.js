// The explorer: people, entities, topics, facts and sessions as a graph to walk through.

import { count, el, empty, link, memoryLink, moment, pathOf, shorten } from "./dom.js";
import {
  KINDS,
  WHOLE_MAX,
  communities,
  edgesAmong,
  find,
  neighbours,
  one,
  path,
  whole,
} from "./explore_data.js";
import { picture } from "./explore_picture.js";

const FIRST_KINDS = ["Person", "Entity", "Concept", "Fact", "Session", "Episode"];
/** How a kind is called, where the graph has another word for it. */
const CALLED = { Concept: "topic", Experience: "memory" };
export const called = (kind) => CALLED[kind] ?? kind.toLowerCase();

export async function explorePage([how, wanted], signal) {
  const state = {
    nodes: new Map(),
    edges: [],
    kinds: new Set(FIRST_KINDS),
    since: "",
    until: "",
    byCommunity: false,
    selected: null,
    from: null,
    trail: [],
  };
  const canvas = el("div", { class: "explorer", role: "img", "aria-label": "The graph" });
  const panel = el("aside", { class: "panel", "aria-label": "What is selected" });
  const said = el("p", { class: "dim", role: "status" });
  const choices = el("div", { class: "choices" });
  const field = el("input", {
    type: "search",
    placeholder: "a name: a person, a thing, a topic",
    "aria-label": "Start from a name",
    autocomplete: "off",
  });
  const drawing = picture(canvas, { select: (id) => select(id), expand: attempt(expand) });
  signal.addEventListener("abort", drawing.destroy);

  /** Return a function that says what went wrong with another one. */
  function attempt(work) {
    return (...given) =>
      Promise.resolve(work(...given)).catch((error) => (said.textContent = error.message));
  }

  /** Return the nodes that the filters leave. */
  function visible() {
    return [...state.nodes.values()].filter(
      ({ kind, at }) =>
        state.kinds.has(kind) &&
        (!at ||
          ((!state.since || at >= state.since) &&
            (!state.until || at.slice(0, 10) <= state.until))),
    );
  }

  function redraw(around = null) {
    const nodes = visible();
    const ids = new Set(nodes.map(({ id }) => id));
    const edges = state.edges.filter(({ source, target }) => ids.has(source) && ids.has(target));
    const groups = communities(nodes, edges);
    const trail = new Set(state.trail);
    drawing.show({ ...state, nodes, edges, groups, trail, around });
    const hidden = state.nodes.size - nodes.length;
    said.textContent = state.nodes.size
      ? `${count(nodes.length, "node")}, ${count(edges.length, "edge")}` +
        (hidden ? `; ${hidden.toLocaleString("en")} hidden by the filters` : "") +
        (state.byCommunity
          ? `; ${count(new Set(groups.values()).size, "community", "communities")}`
          : "")
      : "Start from a name, or show the whole space.";
    showPanel();
  }

  async function add(nodes) {
    for (const found of nodes) state.nodes.set(found.id, state.nodes.get(found.id) ?? found);
    state.edges = await edgesAmong([...state.nodes.keys()]);
  }

  async function expand(id) {
    await add(await neighbours(id, [...state.kinds]));
    select(id, id);
  }

  function select(id, around = null) {
    state.selected = id;
    redraw(around);
  }

  async function showWhole() {
    said.textContent = "Loading…";
    const { nodes, edges } = await whole([...state.kinds]);
    state.nodes = new Map(nodes.map((found) => [found.id, found]));
    state.edges = edges;
    state.selected = null;
    redraw();
    if (nodes.length === WHOLE_MAX) said.textContent += `. Only ${WHOLE_MAX} nodes are shown.`;
  }

  async function showPath(to) {
    const nodes = await path(state.from, to);
    state.trail = nodes.map(({ id }) => id);
    nodes.forEach(({ kind }) => state.kinds.add(kind));
    state.from = null;
    await add(nodes);
    select(to);
    if (!nodes.length) said.textContent = "There is no path of at most six edges.";
    tellKinds();
  }

  function hide(id) {
    state.nodes.delete(id);
    select(null);
  }

  function showPanel() {
    const node = state.nodes.get(state.selected);
    panel.replaceChildren(...(node ? details(node) : hint()));
  }

  function hint() {
    return [
      empty(
        "Click a node for what it is, twice for its neighbours. The list beside the picture ",
        "does the same with the keyboard.",
      ),
      ...list([...visible()].sort((a, b) => KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind))),
    ];
  }

  function details(node) {
    const beside = state.edges.flatMap((edge) =>
      edge.source === node.id
        ? [[edge.target, edge.memories ?? `${edge.type} →`]]
        : edge.target === node.id
          ? [[edge.source, edge.memories ?? `← ${edge.type}`]]
          : [],
    );
    const button = (label, onclick) => el("button", { onclick }, label);
    return [
      el("h3", {}, node.name),
      el(
        "p",
        { class: "dim" },
        called(node.kind),
        node.at ? ` · ${moment(node.at)}` : "",
        page(node),
      ),
      node.text && node.text !== node.name
        ? el("p", { class: "text" }, shorten(node.text, 600))
        : null,
      el(
        "p",
        { class: "buttons" },
        button("Expand", attempt(() => expand(node.id))),
        " ",
        state.from && state.from !== node.id
          ? button(
              `Path from ${shorten(state.nodes.get(state.from)?.name ?? "", 20)}`,
              attempt(() => showPath(node.id)),
            )
          : button("Path from here", () => {
              state.from = node.id;
              state.trail = [];
              redraw();
              said.textContent = "Select the other end, then “Path from …”.";
            }),
        " ",
        button("Hide", () => hide(node.id)),
      ),
      ...list(
        beside.map(([id]) => state.nodes.get(id)).filter(Boolean),
        new Map(beside),
      ),
    ].filter(Boolean);
  }

  function list(nodes, edges = new Map()) {
    return nodes.slice(0, 100).map((node) =>
      el(
        "p",
        { class: "beside", "data-row": true },
        el("span", { class: "tag" }, tag(edges.get(node.id), node)),
        " ",
        el("button", { class: "plain", onclick: () => select(node.id) }, shorten(node.name, 80)),
      ),
    );
  }

  async function search() {
    const words = field.value.trim();
    const found = words ? await find(words) : [];
    choices.replaceChildren(
      ...found.map((node) =>
        el(
          "button",
          { onclick: attempt(() => begin(node)) },
          el("span", { class: "tag" }, called(node.kind)),
          ` ${shorten(node.name, 60)}`,
        ),
      ),
      words && !found.length ? empty("Nothing here has such a name.") : "",
    );
  }

  async function begin(node) {
    choices.replaceChildren();
    state.kinds.add(node.kind);
    tellKinds();
    await add([node]);
    await expand(node.id);
  }

  const boxes = new Map(
    KINDS.map((kind) => [
      kind,
      el("input", {
        type: "checkbox",
        onchange: ({ target }) => {
          state.kinds[target.checked ? "add" : "delete"](kind);
          redraw();
        },
      }),
    ]),
  );
  function tellKinds() {
    for (const [kind, box] of boxes) box.checked = state.kinds.has(kind);
  }
  const day = (name, label) =>
    el(
      "label",
      {},
      `${label} `,
      el("input", {
        type: "date",
        onchange: ({ target }) => {
          state[name] = target.value;
          redraw();
        },
      }),
    );
  const coloured = el("input", {
    type: "checkbox",
    onchange: ({ target }) => {
      state.byCommunity = target.checked;
      redraw();
    },
  });
  let timer = null;
  field.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(attempt(search), 250);
  });
  tellKinds();

  /** Show what the address names, once the page stands. */
  async function start() {
    redraw();
    if (!wanted) return;
    const [first] = how === "name" ? await find(wanted, 1) : [await one(wanted)];
    if (first) await begin(first);
    else said.textContent = `Nothing here is called ${wanted}.`;
  }
  setTimeout(attempt(start));
  const clear = () => {
    state.nodes.clear();
    Object.assign(state, { edges: [], selected: null, from: null, trail: [] });
    redraw();
  };
  return [
    el("h1", {}, "Explore"),
    el("div", { class: "ask" }, field),
    choices,
    el(
      "div",
      { class: "controls explore", role: "toolbar", "aria-label": "What is shown" },
      el("button", { class: "primary", onclick: attempt(showWhole) }, "Whole space"),
      el("button", { onclick: clear }, "Clear"),
      [...boxes].map(([kind, box]) =>
        el("label", { class: `kind-${KINDS.indexOf(kind)}` }, box, ` ${called(kind)}`),
      ),
      day("since", "from"),
      day("until", "until"),
      el("label", {}, coloured, " colour by community"),
    ),
    said,
    el("div", { class: "graph-columns" }, canvas, panel),
  ];
}

/** Return what stands before a neighbour: its edge, or in how many memories both are. */
function tag(edge, node) {
  if (edge === undefined) return called(node.kind);
  return typeof edge === "number" ? count(edge, "memory", "memories") : edge;
}

/** Return a link to the page that a node has, if it has one. */
function page({ id, kind, name, key }) {
  if (kind === "Person") return [" · ", link(pathOf("person", name), "their page")];
  if (kind === "Session") return [" · ", link(pathOf("session", key ?? name), "the session")];
  if (kind === "Experience") return [" · ", memoryLink(id, "the memory")];
  return "";
}
