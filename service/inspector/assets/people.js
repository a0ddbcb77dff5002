// People, and the page of one: what to know of them, how it felt over time, meetings.

import { all, get, post } from "./api.js";
import { valenceBar, valenceChart } from "./chart.js";
import { count, el, empty, link, memoryLink, moment, pathOf, table } from "./dom.js";

export async function peoplePage() {
  const people = await all("people");
  people.sort((a, b) => (a.last < b.last ? 1 : -1));
  return [
    el("h1", {}, "People"),
    people.length
      ? table(
          ["name", "relationship", "messages", "sessions", "first", "last"],
          people.map((one) => [
            el("span", { "data-row": true }, link(pathOf("person", one.name), one.name)),
            one.relationship,
            one.messages,
            one.sessions,
            moment(one.first),
            moment(one.last),
          ]),
        )
      : empty("Nobody has spoken in this space yet."),
  ];
}

export async function personPage([name]) {
  const story = await get("relationship", { person: name });
  if (story.stranger !== undefined) return stranger(story);
  const [pack, facts] = await Promise.all([
    post("resume", { person: name }),
    all("facts", { about: name }, 500),
  ]);
  return [
    el("p", { class: "crumbs" }, link("/people", "People")),
    el("h1", {}, story.person),
    el(
      "p",
      { class: "dim" },
      `${count(story.messages, "message")} in ${count(story.sessions, "session")}`,
      ` · first met ${moment(story.first_met)} · last met ${moment(story.last_met)} · `,
      link(pathOf("explore", "name", story.person), "in the graph"),
    ),
    section("How it felt", trajectory(story)),
    section("In their words", words(pack.text)),
    section("Timeline", timeline(story.meetings, facts)),
    section("Meetings", meetings(story.meetings)),
    el(
      "div",
      { class: "columns" },
      section("Turns", cited(story.turns, "No feeling gave way to another one.")),
      section("Who else is there", cited(story.companions, "Nobody else.")),
    ),
  ];
}

function stranger(story) {
  return [
    el("h1", {}, story.stranger),
    empty(
      "Nobody of this name has spoken here. ",
      story.near.length ? "Near: " : "",
      story.near.map((name) => [link(pathOf("person", name), name), " "]).flat(),
    ),
  ];
}

function section(title, ...content) {
  return el("section", {}, el("h2", {}, title), content.flat());
}

function trajectory(story) {
  const points = story.points.map((point) => ({
    ...point,
    href: `#${pathOf("memory", point.uri.replace("meridia://", ""))}`,
  }));
  const marks = [];
  points.forEach((point, place) => {
    if (!place || point.session !== points[place - 1].session) {
      marks.push({ place, label: point.at.slice(0, 10) });
    }
  });
  return valenceChart(points, marks);
}

// A pack: a line a day, its headings as such.
function words(text) {
  const lines = text.trim().split("\n").slice(1);
  return lines.map((line) =>
    line.startsWith("## ") ? el("h3", {}, line.slice(3)) : el("p", {}, line),
  );
}

/** Return what is known by time: meetings, and facts from when and until when they hold. */
function timeline(meetings, facts) {
  const met = meetings.map((one) => [
    one.at,
    "met",
    `${count(one.messages, "message")}${one.words ? `, ${one.words}` : ""}`,
    one.session ? link(pathOf("session", one.session), one.session) : null,
  ]);
  const known = facts.flatMap((fact) => {
    const source = fact.experience ? memoryLink(fact.experience, "said here") : null;
    const ended = fact.t_invalid ? [[fact.t_invalid, "no longer", fact.text, source]] : [];
    return [[fact.t_valid ?? fact.t_created, "holds", fact.text, source], ...ended];
  });
  const rows = [...met, ...known].sort((a, b) => (a[0] < b[0] ? -1 : 1));
  return el(
    "ol",
    { class: "timeline" },
    rows.map(([at, what, text, source]) =>
      el("li", {}, el("time", { datetime: at }, moment(at)), el("span", { class: "tag" }, what),
        el("span", {}, text, " ", source)),
    ),
  );
}

function cited(list, nothing) {
  if (!list.length) return empty(nothing);
  return el(
    "ul",
    { class: "items" },
    list.map((one) =>
      el(
        "li",
        {},
        one.text,
        sources(one.uris),
      ),
    ),
  );
}

function sources(uris) {
  const some = uris.slice(0, 3).map((uri, place) => [" ", memoryLink(uri, `[${place + 1}]`)]);
  return el("span", { class: "sources" }, some.flat());
}

function meetings(list) {
  return table(
    ["session", "began", "messages", "strongest feeling", "mean valence"],
    [...list]
      .reverse()
      .map((one) => [
        one.session ? link(pathOf("session", one.session), one.session) : "no session",
        moment(one.at),
        one.messages,
        one.words,
        valenceBar(one.valence),
      ]),
  );
}
