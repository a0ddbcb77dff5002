// People, concepts and entities; what stands for what, and pairs that may be the same.

import { all, get } from "./api.js";
import { el, empty, link, pathOf, table } from "./dom.js";

const SHOWN_MAX = 500;

export async function entitiesPage() {
  const [entities, pairs] = await Promise.all([
    get("entities", { limit: SHOWN_MAX }),
    all("duplicates", {}, 200),
  ]);
  const field = el("input", {
    type: "search",
    placeholder: "part of a name",
    autocomplete: "off",
    "aria-label": "Find an entity",
  });
  const place = el("div");
  const merged = entities.items.filter((one) => one.stands_for);

  function redraw() {
    const wanted = field.value.trim().toLowerCase();
    const rows = entities.items.filter((one) => one.entity.toLowerCase().includes(wanted));
    place.replaceChildren(rows.length ? drawn(rows) : empty("No entity has such a name."));
  }

  field.addEventListener("input", redraw);
  redraw();
  return [
    el("h1", {}, "Entities"),
    el(
      "section",
      {},
      el("h2", {}, `Merged (${merged.length})`),
      merged.length
        ? drawn(merged)
        : empty(
            "Nothing is merged. ",
            el("code", {}, "meridia entities merge A B"),
            " replaces A by B, and can be undone.",
          ),
    ),
    el(
      "section",
      {},
      el("h2", {}, `May be the same (${pairs.length})`),
      pairs.length
        ? table(
            ["entity", "may be", "type", "score", "why"],
            pairs.map((pair) => [
              pair.entity.name,
              pair.into.name,
              pair.type,
              pair.score.toFixed(2),
              pair.reason,
            ]),
          )
        : empty("No two names look like one thing."),
    ),
    el(
      "section",
      {},
      el("h2", {}, "All, the most shared first"),
      entities.next_after ? el("p", { class: "dim" }, `The first ${SHOWN_MAX}.`) : null,
      el("div", { class: "ask" }, field),
      place,
    ),
  ];
}

function drawn(rows) {
  return table(
    ["entity", "label", "memories", "rarity", "replaced by"],
    rows.map((one) => [
      link(pathOf("explore", "name", one.entity), one.entity),
      one.label,
      one.memories,
      one.weight.toFixed(2),
      one.stands_for,
    ]),
  );
}
