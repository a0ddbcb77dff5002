// One memory: its text, how it was lived, its versions.

import { get } from "./api.js";
import { el, link, moment, pathOf, shorten, table } from "./dom.js";

export async function memoryPage([address]) {
  const [shown, { items: versions }] = await Promise.all([
    get("show", { address }),
    get("history", { address }),
  ]);
  const felt = shown.phenomenology?.signature;
  const rows = [
    ["kind", shown.kind],
    ["person", shown.person ? link(pathOf("person", shown.person), shown.person) : null],
    ["session", shown.session ? link(pathOf("session", shown.session), shown.session) : null],
    ["happened", moment(shown.at)],
    ["status", shown.status],
    ["feeling", felt ? (felt.primary ?? []).join(" and ") || "no word for it" : null],
    ["repeats", shown.repeats ? link(pathOf("memory", shown.repeats), "another memory") : null],
    ["metadata", Object.keys(shown.metadata).length ? JSON.stringify(shown.metadata) : null],
    [
      "redacted",
      Object.entries(shown.redacted)
        .map((pair) => pair.join(": "))
        .join(", ") || null,
    ],
    ["your id", shown.event_id],
    ["address", el("code", {}, shown.uri)],
  ].filter(([, value]) => value);
  return [
    el("p", { class: "crumbs" }, link("/", "Recalls")),
    el("h1", {}, `Memory @${shown.seq}`),
    el("blockquote", { class: "whole" }, shown.text || "(no text)"),
    shown.artifacts.map((one) =>
      el("p", { class: "dim" }, `${one.kind}: ${one.uri} `, one.description ?? ""),
    ),
    el(
      "dl",
      { class: "facts" },
      rows.map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value))),
    ),
    versions.length > 1
      ? el(
          "section",
          {},
          el("h2", {}, "Versions"),
          table(
            ["memory", "at", "text"],
            versions.map((one) => [
              link(pathOf("memory", one.id), `@${one.seq}`),
              moment(one.at),
              shorten(one.text, 200),
            ]),
          ),
        )
      : null,
  ].filter(Boolean);
}
