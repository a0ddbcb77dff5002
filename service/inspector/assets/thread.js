// A session as a thread: who speaks, who answers whom, what was recalled, what came back later.

import { get, post } from "./api.js";
import { count, el, link, memoryLink, moment, pathOf, shorten } from "./dom.js";

/** Who speaks without a name, by the kind of event. */
const NAMELESS = { user_message: "you", assistant_message: "assistant", tool_result: "tool" };
const COLOURS = 7;
const LINKS_MAX = 1000;
/** How long after its last message a question still belongs to a session. */
const AFTER_MS = 10 * 60 * 1000;

const OF_SESSION = "-[:IN_SESSION]->(:Session {key: $session})";
const OTHER = (name) =>
  `MATCH (${name})-[:IN_SESSION]->(t:Session) WHERE t.key <> $session ` +
  `RETURN m.id, ${name}.id, ${name}.seq, ${name}.at, t.key, ${name}.text`;
const ASKED = {
  named: `MATCH (m:Experience)${OF_SESSION} MATCH (m)-[:INVOLVES]->(p:Person) RETURN m.id, p.name`,
  later: `MATCH (a:Experience)-[:RELATED]->(m:Experience)${OF_SESSION} ${OTHER("a")}
    ORDER BY a.seq`,
  earlier: `MATCH (m:Experience)${OF_SESSION} MATCH (m)-[:RELATED]->(b:Experience) ${OTHER("b")}
    ORDER BY b.seq`,
  ended:
    `MATCH (o:Fact)-[:STATED_IN]->(m:Experience)${OF_SESSION} ` +
    `MATCH (n:Fact)-[:SUPERSEDES]->(o) MATCH (n)-[:STATED_IN]->(a:Experience) ${OTHER("a")}`,
};

/** Return what the graph and the kept recalls know of a session, by the ids of its memories. */
export async function surroundings(session, first, last) {
  const ask = async (asked) => {
    const statement = `${asked} LIMIT ${LINKS_MAX}`;
    return (await post("query", { statement, parameters: { session } })).rows;
  };
  const until = new Date(Date.parse(last) + AFTER_MS).toISOString();
  const [named, later, earlier, ended, period, kept] = await Promise.all([
    ...Object.values(ASKED).map(ask),
    get("reflect", { since: first, until }),
    get("recalls", { limit: 1000 }),
  ]);
  const times = period.recalled.map(({ uri, times }) => [uri.replace("meridia://", ""), times]);
  return {
    named: grouped(named.map(([id, name]) => [id, name])),
    later: grouped(later.map(other)),
    earlier: grouped(earlier.map(other)),
    ended: grouped(ended.map(other)),
    times: new Map(times),
    asked: kept.items
      .filter(({ at }) => first <= at && Date.parse(at) <= Date.parse(until))
      .reverse(),
  };
}

function other([id, ...rest]) {
  const [of, seq, at, session, text] = rest;
  return [id, { id: of, seq, at, session, text }];
}

function grouped(pairs) {
  const found = new Map();
  for (const [id, value] of pairs) found.set(id, [...(found.get(id) ?? []), value]);
  return found;
}

/** Draws the messages of a session in order; what it has drawn, later ones can answer. */
export class Thread {
  constructor(known, changes) {
    this.known = known;
    this.changes = changes;
    this.speakers = new Map();
    this.before = null;
    this.drawn = new Map();
    this.answers = new Map();
    this.legend = el("ul", { class: "speakers", "aria-label": "Speakers" });
  }

  /** Return the elements of some messages, which follow those drawn before. */
  add(memories) {
    const items = memories.map((one) => this.#message(one));
    this.legend.replaceChildren(...[...this.speakers].map(([name, its]) => speaker(name, its)));
    return items;
  }

  #message(one) {
    const name = speakerOf(one);
    const answered = one.kind === "tool_result" ? null : this.#answered(one, name);
    const its = this.speakers.get(name) ?? {
      place: this.speakers.size,
      isPerson: one.kind === "user_message" && one.person,
      messages: 0,
    };
    its.messages += 1;
    this.speakers.set(name, its);
    const later = this.known.later.get(one.id) ?? [];
    const times = this.known.times.get(one.id);
    const item = el(
      "li",
      { "data-row": true, tabindex: -1 },
      el(
        "p",
        { class: "who" },
        mark(its.place),
        el("b", {}, name),
        el("span", { class: "dim" }, memoryLink(one.id, `@${one.seq}`), " ", moment(one.at)),
        answered ? this.#answers(answered) : null,
        times ? el("span", { class: "tag" }, `recalled ${count(times, "time")}`) : null,
      ),
      el("p", { class: "text" }, one.text),
      this.changes(one.id),
      said("No longer so, by", this.known.ended.get(one.id) ?? []),
      said("Goes back to", this.known.earlier.get(one.id) ?? []),
      later.length > 2
        ? el(
            "details",
            { class: "back" },
            el("summary", {}, `Later words came back to it ${count(later.length, "time")}`),
            said("", later),
          )
        : said("Later words came back to it", later),
    );
    this.before = { name, item, one };
    this.drawn.set(name, this.before);
    return item;
  }

  /** Who is named and spoke before is answered, else who spoke last. */
  #answered(one, name) {
    const before = this.before?.name === name ? this.answers.get(name) : this.before;
    const there = this.known.named.get(one.id) ?? [];
    const named = there.filter((n) => n !== name && this.drawn.has(n));
    const found =
      named.length && !named.includes(before?.name) ? this.drawn.get(named[0]) : before ?? null;
    this.answers.set(name, found);
    return found;
  }

  #answers({ name, item, one }) {
    const go = () => {
      item.scrollIntoView({ block: "center" });
      item.focus({ preventScroll: true });
    };
    const label = `answers ${name}, @${one.seq}`;
    const title = shorten(one.text, 200);
    return el("button", { class: "plain answers", title, onclick: go }, label);
  }
}

function speakerOf({ person, kind, tool }) {
  return person ?? tool ?? NAMELESS[kind] ?? kind.replaceAll("_", " ");
}

function mark(place) {
  return el("span", { class: `mark term-${place % COLOURS}`, "aria-hidden": "true" });
}

function speaker(name, { place, isPerson, messages }) {
  const shown = isPerson ? link(pathOf("person", name), name) : name;
  return el("li", {}, mark(place), shown, el("span", { class: "dim" }, count(messages, "message")));
}

function said(title, others) {
  if (!others.length) return null;
  const items = others.map(({ id, seq, at, session, text }) =>
    el(
      "li",
      {},
      memoryLink(id, `@${seq}`),
      ` ${shorten(text ?? "", 140)} `,
      el(
        "span",
        { class: "dim" },
        at.slice(0, 10),
        " in ",
        link(pathOf("session", session), session),
      ),
    ),
  );
  const heading = title ? el("p", { class: "dim" }, title) : null;
  return el("div", { class: "back" }, heading, el("ul", {}, items));
}

/** Return the questions that were asked while a session ran. */
export function askedWithin(asked) {
  return asked.map(({ recall, question, at, memories }) =>
    el(
      "li",
      { "data-row": true },
      link(pathOf("recall", recall), question || "(an empty question)"),
      el("span", { class: "dim" }, `${count(memories ?? 0, "memory", "memories")} · `, moment(at)),
    ),
  );
}
