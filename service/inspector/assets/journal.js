// Where the space stands: journal, projections and their lag, what failed, the newest entries.

import { all, get } from "./api.js";
import { el, empty, link, moment, pathOf, svg, table } from "./dom.js";

const PAGE = 50;

export async function journalPage() {
  const [status, failures] = await Promise.all([get("status"), all("failures", {}, 200)]);
  const dead = failures.filter((one) => one.dead).length;
  return [
    el("h1", {}, "Journal"),
    el(
      "dl",
      { class: "cards" },
      card("space", status.space),
      card("entries", number(status.entries)),
      card("events", status.ingest.events.toLocaleString("en")),
      card("dead letters", String(dead), dead > 0),
      card("to be tried again", String(failures.length - dead)),
    ),
    status.notes.map((note) => el("p", { class: "note" }, note)),
    el("section", {}, el("h2", {}, "Projections"), projections(status)),
    el("section", {}, el("h2", {}, "Dead letters and failures"), failed(failures)),
    el(
      "div",
      { class: "columns" },
      el("section", {}, el("h2", {}, "Entries by kind"), counts(status.entries)),
      el("section", {}, el("h2", {}, "Outcomes of events"), counts(status.ingest.outcomes)),
    ),
    el("section", {}, el("h2", {}, "Newest entries"), await entries()),
  ];
}

/** Return the sum of some counts, as text. */
function number(counts) {
  return Object.values(counts)
    .reduce((sum, value) => sum + value, 0)
    .toLocaleString("en");
}

function card(name, value, isBad = false) {
  return el("div", { class: isBad ? "bad" : null }, el("dt", {}, name), el("dd", {}, value));
}

function projections(status) {
  return table(
    ["projection", "up to", "behind", ""],
    Object.entries(status.cursors).map(([name, cursor]) => [
      name,
      cursor,
      status.lag[name],
      progress(cursor, status.seq),
    ]),
  );
}

function progress(done, total) {
  const part = total ? Math.min(1, done / total) : 1;
  return svg(
    "svg",
    {
      class: "progress",
      viewBox: "0 0 100 6",
      preserveAspectRatio: "none",
      role: "img",
      "aria-label": `${Math.round(part * 100)} %`,
    },
    svg("rect", { width: 100, height: 6, class: "track" }),
    svg("rect", { width: 100 * part, height: 6, class: part < 1 ? "behind" : "done" }),
  );
}

function failed(failures) {
  if (!failures.length) return empty("Nothing failed.");
  return table(
    ["entry", "stage", "attempts", "state", "error"],
    failures.map((one) => [
      one.experience ? link(pathOf("memory", one.experience), `@${one.seq}`) : `@${one.seq}`,
      one.stage,
      one.attempts,
      one.dead ? "dead letter" : `again at ${moment(one.due)}`,
      one.error,
    ]),
  );
}

function counts(byName) {
  const rows = Object.entries(byName)
    .filter(([, number]) => number)
    .sort((a, b) => b[1] - a[1]);
  return rows.length ? table(["", "count"], rows) : empty("Nothing yet.");
}

async function entries() {
  const place = el("div");
  let before = null;
  const older = el("button", { onclick: load }, "Older");
  async function load() {
    const page = await get("journal", { limit: PAGE, before });
    place.append(page.items.length ? drawn(page.items) : empty("The journal is empty."));
    before = page.next_before;
    older.hidden = !before;
  }
  await load();
  return [el("p", { class: "dim" }, "Their content is not shown here."), place, older];
}

function drawn(items) {
  return table(
    ["seq", "kind", "", "happened", "recorded"],
    items.map((entry) => [
      entry.seq,
      entry.kind,
      entry.erased
        ? "erased"
        : entry.kind === "ExperienceCaptured"
          ? link(pathOf("memory", entry.id), "memory")
          : "",
      moment(entry.at),
      moment(entry.recorded_at),
    ]),
  );
}
