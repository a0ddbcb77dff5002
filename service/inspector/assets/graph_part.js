// The graph of a recall: step through the hops, look at a node or an edge, ask without it.

import { get } from "./api.js";
import { arrange, draw, edgeKey } from "./graph.js";
import { count, el, empty, pathOf, shorten } from "./dom.js";
import { edgePanel, hopPanel, nodePanel } from "./graph_panel.js";

const FIRST = { limit: 300, most: 25 };
const ALL = { limit: 5000, most: 25 };
const MORE = 100;
const PLAY_MS = 1500;

export async function graphPart(recall, [wanted], signal) {
  let graph = await get("activation", { recall: recall.recall, limit: FIRST.limit });
  if (!graph.nodes.length) {
    return empty("No activation moved hop by hop. The traces have all of every score.");
  }
  const hops = Math.max(...graph.nodes.map((node) => node.hop));
  const given = new Set(graph.edges.flatMap((edge) => Object.keys(edge.shares).map(Number)));
  const first = recall.hits.find((hit) => given.has(hit.rank))?.rank ?? 1;
  const state = {
    rank: Number(wanted) || first,
    hop: hops,
    most: FIRST.most,
    selected: null,
    timer: null,
  };
  const canvas = el("div", { class: "canvas" });
  const panel = el("aside", { class: "panel", "aria-label": "What is selected" });
  const controls = makeControls(recall, hops, given, state, { step, play, choose });
  const folded = el("p", { class: "dim" });
  let plan = null;

  function redraw() {
    const focused = canvas.querySelector(":focus")?.dataset.key;
    plan = arrange(graph, { rank: state.rank, most: state.most, room: canvas.clientWidth - 18 });
    const selected = state.selected?.key ?? null;
    canvas.replaceChildren(draw(plan, { hop: state.hop, selected, on: { node, edge, more } }));
    controls.tell(state, hops);
    tellFolded();
    if (focused) canvas.querySelector(`[data-key="${CSS.escape(focused)}"]`)?.focus();
  }

  function tellFolded() {
    const { nodes, edges } = graph.folded;
    folded.replaceChildren(
      nodes || edges
        ? el(
            "span",
            {},
            `Left out as the weakest: ${count(nodes, "node")}, ${count(edges, "edge")}. `,
            graph.nodes.length < ALL.limit && nodes
              ? el("button", { class: "plain", onclick: loadAll }, "Load them too")
              : null,
          )
        : "",
    );
  }

  async function loadAll() {
    graph = await get("activation", { recall: recall.recall, limit: ALL.limit });
    redraw();
  }

  function step(to) {
    state.hop = Math.min(hops, Math.max(0, to));
    redraw();
    const { x } = plan.columns[state.hop];
    canvas.scrollTo({ left: Math.max(0, x - canvas.clientWidth / 3), behavior: "smooth" });
    if (!state.selected) panel.replaceChildren(...hopPanel(plan, state, edge));
  }

  function play() {
    if (state.timer) return stop();
    step(state.hop === hops ? 0 : state.hop + 1);
    state.timer = setInterval(() => (state.hop < hops ? step(state.hop + 1) : stop()), PLAY_MS);
    controls.tell(state, hops);
  }

  function stop() {
    clearInterval(state.timer);
    state.timer = null;
    controls.tell(state, hops);
  }

  function choose(rank) {
    state.rank = rank;
    history.replaceState(null, "", `#${pathOf("recall", recall.recall, "graph", String(rank))}`);
    select(null);
  }

  function select(selected) {
    state.selected = selected;
    redraw();
    if (!selected) panel.replaceChildren(...hopPanel(plan, state, edge));
  }

  function node(chosen) {
    select({ key: chosen.key });
    panel.replaceChildren(...nodePanel(recall, plan, chosen, state, edge));
  }

  function edge(chosen) {
    select({ key: edgeKey(chosen) });
    panel.replaceChildren(...edgePanel(recall, chosen, state));
  }

  function more() {
    state.most += MORE;
    redraw();
  }

  function pressed(event) {
    const isTyping = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
    if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    const here = event.target.closest?.("[data-key], .fold");
    if (event.key === "ArrowRight") step(state.hop + 1);
    else if (event.key === "ArrowLeft") step(state.hop - 1);
    else if (event.key === " " && event.target.tagName !== "BUTTON") play();
    else if (event.key === "Escape") select(null);
    else if (event.key === "Enter" && here) here.dispatchEvent(new MouseEvent("click"));
    else if (event.key.startsWith("Arrow") && here) neighbour(here, event.key)?.focus();
    else return;
    event.preventDefault();
  }

  document.addEventListener("keydown", pressed, { signal });
  // The room is known once it is on the page, and changes with the window.
  let drawnFor = null;
  const watch = new ResizeObserver(() => {
    if (canvas.clientWidth !== drawnFor) redraw();
    drawnFor = canvas.clientWidth;
  });
  watch.observe(canvas);
  signal.addEventListener("abort", () => {
    watch.disconnect();
    stop();
  });
  redraw();
  panel.replaceChildren(...hopPanel(plan, state, edge));
  return el(
    "div",
    {},
    controls.element,
    folded,
    el("div", { class: "graph-columns" }, canvas, panel),
  );
}

function neighbour(here, key) {
  return key === "ArrowDown" ? here.nextElementSibling : here.previousElementSibling;
}

function makeControls(recall, hops, given, state, { step, play, choose }) {
  const label = el("output", { class: "hop", "aria-live": "polite" });
  const playing = el("button", { class: "primary", onclick: play });
  const back = el(
    "button",
    { onclick: () => step(state.hop - 1), "aria-label": "One hop back" },
    "◀",
  );
  const on = el("button", { onclick: () => step(state.hop + 1), "aria-label": "One hop on" }, "▶");
  const ways = el(
    "select",
    { "aria-label": "Ways into", onchange: () => choose(Number(ways.value)) },
    recall.hits.map((hit) =>
      el(
        "option",
        { value: hit.rank, selected: hit.rank === state.rank },
        `#${hit.rank} ${shorten(hit.text, 50)}${given.has(hit.rank) ? "" : " (no activation)"}`,
      ),
    ),
  );
  return {
    element: el(
      "div",
      { class: "controls", role: "toolbar", "aria-label": "Steps" },
      playing,
      back,
      on,
      label,
      el("label", {}, "Ways into ", ways),
    ),
    tell(now, last) {
      label.textContent = `hop ${now.hop} of ${last}`;
      playing.textContent = now.timer ? "Pause" : "Play";
      back.disabled = now.hop === 0;
      on.disabled = now.hop === last;
    },
  };
}
