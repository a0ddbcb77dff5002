// Sessions, and the page of one: its arc, its transitions, and what was said.

import { all, get, post } from "./api.js";
import { valenceChart } from "./chart.js";
import { count, el, empty, link, memoryLink, moment, pathOf, shorten, table } from "./dom.js";

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
  return [
    el("p", { class: "crumbs" }, link("/sessions", "Sessions")),
    el("h1", {}, session),
    el(
      "p",
      { class: "dim" },
      count(arc.experiences, "experience"),
      " · ",
      count(arc.transitions.length, "transition"),
    ),
    el("section", {}, el("h2", {}, "Arc"), chart(arc), now(arc.register)),
    el(
      "section",
      {},
      el("h2", {}, "What was said"),
      messages(session, first, byExperience(arc.transitions)),
    ),
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

function messages(session, first, changes) {
  const list = el(
    "ol",
    { class: "messages" },
    first.memories.map((one) => message(one, changes)),
  );
  let after = first.next_after;
  const more = el("button", { hidden: !after }, "More");
  more.addEventListener("click", async () => {
    const page = await post("list", { session, limit: MESSAGES_PAGE, after });
    list.append(...page.memories.map((one) => message(one, changes)));
    after = page.next_after;
    more.hidden = !after;
  });
  return [list, more];
}

function message(one, changes) {
  return el(
    "li",
    { "data-row": true },
    el(
      "p",
      { class: "dim" },
      memoryLink(one.id, `@${one.seq}`),
      ` ${one.person ?? one.kind} · `,
      moment(one.at),
    ),
    el("p", { class: "text" }, one.text),
    (changes.get(one.id) ?? []).map((change) =>
      el(
        "p",
        { class: "transition" },
        el("span", { class: "tag" }, FIELDS[change.field] ?? change.field),
        ` ${changed(change)}`,
      ),
    ),
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
