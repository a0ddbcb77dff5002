// Sessions, and the page of one: its arc, its transitions, and its thread.

import { all, get, post } from "./api.js";
import { valenceChart } from "./chart.js";
import { count, el, empty, link, moment, pathOf, shorten, table } from "./dom.js";
import { Thread, askedWithin, surroundings } from "./thread.js";

const MESSAGES_PAGE = 200;
const FIELDS = { emotionalSignature: "feeling" };

export async function sessionsPage() {
  const sessions = (await all("sessions")).reverse();
  return [
    el("h1", {}, "Sessions"),
    sessions.length
      ? table(
          ["session", "messages", "first", "last"],
          sessions.map((one) => [
            el("span", { "data-row": true }, link(pathOf("session", one.session), one.session)),
            one.messages,
            moment(one.first),
            moment(one.last),
          ]),
        )
      : empty("There is no session in this space yet."),
  ];
}

export async function sessionPage([session]) {
  const [
    {
      items: [arc],
    },
    first,
  ] = await Promise.all([
    get("transitions", { session }),
    post("list", { session, limit: MESSAGES_PAGE }),
  ]);
  const times = [...arc.points, ...first.memories].map(({ at }) => at).sort();
  const [begun, ended] = [times[0], times.at(-1)];
  const known = await surroundings(session, begun, ended);
  const changes = byExperience(arc.transitions);
  const thread = new Thread(known, (id) => (changes.get(id) ?? []).map(transition));
  const said = messages(session, first, thread);
  return [
    el("p", { class: "crumbs" }, link("/sessions", "Sessions")),
    el("h1", {}, session),
    el(
      "p",
      { class: "dim" },
      count(arc.experiences, "experience"),
      " · ",
      count(arc.transitions.length, "transition"),
      " · ",
      `${moment(begun)} to ${moment(ended)}`,
    ),
    thread.legend,
    el("section", {}, el("h2", {}, "Arc"), chart(arc), now(arc.register)),
    known.asked.length
      ? el(
          "section",
          {},
          el("h2", {}, "What was asked meanwhile"),
          el("ul", { class: "rows" }, askedWithin(known.asked)),
        )
      : null,
    el("section", {}, el("h2", {}, "What was said"), said),
  ];
}

function chart(arc) {
  return valenceChart(
    arc.points.map((point) => ({
      ...point,
      words: point.words.join(" and ") || "no word for it",
      href: `#${pathOf("memory", point.experience)}`,
    })),
  );
}

function now(register) {
  const open = register.uncertainties ?? [];
  const parts = [
    register.engagement ? `engagement: ${register.engagement}` : null,
    register.topic ? `about ${shorten(register.topic, 80)}` : null,
    open.length ? `open: ${open.map((text) => shorten(text, 80)).join("; ")}` : null,
  ].filter(Boolean);
  return parts.length ? el("p", { class: "dim" }, `Now: ${parts.join(" · ")}`) : null;
}

function byExperience(transitions) {
  const found = new Map();
  for (const change of transitions) {
    found.set(change.experience, [...(found.get(change.experience) ?? []), change]);
  }
  return found;
}

function messages(session, first, thread) {
  const list = el("ol", { class: "messages" }, thread.add(first.memories));
  let after = first.next_after;
  const more = el("button", { hidden: !after }, "More");
  more.addEventListener("click", async () => {
    const page = await post("list", { session, limit: MESSAGES_PAGE, after });
    list.append(...thread.add(page.memories));
    after = page.next_after;
    more.hidden = !after;
  });
  return [list, more];
}

function transition(change) {
  return el(
    "p",
    { class: "transition" },
    el("span", { class: "tag" }, FIELDS[change.field] ?? change.field),
    ` ${changed(change)}`,
  );
}

function changed({ field, from, to }) {
  if (field !== "uncertainty") return `${words(from)} → ${words(to)}`;
  return to === null || to === undefined ? `resolved: ${words(from)}` : `opened: ${words(to)}`;
}

/** Return one end of a transition in few words. */
function words(value) {
  if (value === null || value === undefined) return "–";
  if (typeof value !== "object") return shorten(String(value), 100);
  return (value.primary ?? []).join(", ") || "no word for it";
}
