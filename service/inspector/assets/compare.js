// The same question again, and two recalls side by side.

import { get } from "./api.js";
import { el, empty, link, memoryLink, moment, pathOf, shorten, signed, table } from "./dom.js";

/** Ask the question again as then, and compare. */
export async function replayPart(recall) {
  const replay = await get("replay", { recall: recall.recall });
  const texts = new Map(recall.hits.map((hit) => [hit.id, hit.text]));
  const rows = replay.then.map((then, place) => {
    const now = replay.now[place];
    const isSame = now && now.id === then.id && Math.abs(now.score - then.score) < 1e-9;
    return [
      `${place + 1}`,
      memoryLink(then.id, shorten(texts.get(then.id) ?? then.id, 90)),
      then.score.toFixed(3),
      now ? now.score.toFixed(3) : "–",
      isSame ? "the same" : now && now.id === then.id ? "another score" : "another memory",
    ];
  });
  return [
    el(
      "p",
      { class: replay.identical ? "verdict good" : "verdict poor", role: "status" },
      replay.identical
        ? `Identical: ${replay.now.length} memories in the same order, with the same scores.`
        : "Not the same.",
    ),
    replay.differences.length || replay.missing.length
      ? el(
          "ul",
          {},
          [...replay.differences, ...replay.missing].map((line) => el("li", {}, line)),
        )
      : null,
    rows.length ? table(["rank", "memory", "then", "now", ""], rows) : empty("It had no memories."),
  ];
}

/** Put another recall beside this one. */
export async function comparePart(recall, [other]) {
  const { items } = await get("recalls", { limit: 50 });
  const others = items.filter((item) => item.recall !== recall.recall);
  if (!others.length && !other) return empty("There is no other recall to compare with.");
  const path = (id) => `${pathOf("recall", recall.recall, "compare", id)}`;
  const choose = el(
    "select",
    { "aria-label": "Compare with" },
    el("option", { value: "" }, "Choose a recall…"),
    others.map((item) =>
      el(
        "option",
        { value: item.recall, selected: item.recall === other },
        `${shorten(item.question, 70)} (${moment(item.at)})`,
      ),
    ),
  );
  choose.addEventListener("change", () => {
    if (choose.value) location.hash = path(choose.value);
  });
  const chosen = other ? await get("explain", { recall: other }) : null;
  return [
    el("p", { class: "choose" }, "Compare with ", choose),
    chosen ? sideBySide(recall, chosen) : null,
  ].filter(Boolean);
}

function sideBySide(first, second) {
  const ranks = new Map();
  for (const [side, recall] of [
    [0, first],
    [1, second],
  ]) {
    for (const hit of recall.hits) {
      const pair = ranks.get(hit.id) ?? [null, null];
      pair[side] = hit;
      ranks.set(hit.id, pair);
    }
  }
  const best = (pair) => Math.min(...pair.filter(Boolean).map((hit) => hit.rank));
  const rows = [...ranks.values()]
    .sort((a, b) => best(a) - best(b))
    .map(([here, there]) => {
      const hit = here ?? there;
      return [
        memoryLink(hit.uri, shorten(hit.text, 90)),
        here ? `#${here.rank}` : null,
        here ? here.score.toFixed(2) : null,
        there ? `#${there.rank}` : null,
        there ? there.score.toFixed(2) : null,
        here && there ? signed(there.score - here.score) : here ? "only here" : "only there",
        here && there ? greatest(here, there) : null,
      ];
    });
  return el(
    "div",
    {},
    el("p", {}, "There: ", link(pathOf("recall", second.recall), second.question)),
    table(["memory", "here", "score", "there", "score", "difference", "mostly by"], rows),
  );
}

/** Return the term by which two scores of a memory differ most. */
function greatest(here, there) {
  const values = (hit) => new Map((hit.trace.children ?? []).map((b) => [b.label, b.value]));
  const [before, after] = [values(here), values(there)];
  let most = ["", 0];
  for (const term of new Set([...before.keys(), ...after.keys()])) {
    const change = (after.get(term) ?? 0) - (before.get(term) ?? 0);
    if (Math.abs(change) > Math.abs(most[1])) most = [term, change];
  }
  return most[0] ? `${most[0]} ${signed(most[1])}` : "the same";
}
