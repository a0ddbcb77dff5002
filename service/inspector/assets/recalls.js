// The first page: ask a question, or look at one that was asked.

import { all, get, post } from "./api.js";
import { count, el, empty, link, moment, pathOf } from "./dom.js";

const STARTS = 6;

export async function recallsPage() {
  const first = await get("recalls", { limit: 30 });
  const list = el("ul", { class: "rows" }, first.items.map(row));
  const more = el("button", { hidden: !first.next_before }, "Older recalls");
  let before = first.next_before;
  more.addEventListener("click", async () => {
    const page = await get("recalls", { limit: 30, before });
    list.append(...page.items.map(row));
    before = page.next_before;
    more.hidden = !before;
  });
  return [
    el("h1", {}, "Recalls"),
    questionForm(),
    el("h2", {}, "Asked lately"),
    first.items.length
      ? list
      : empty(
          "Nothing was asked in this space yet. Ask above, or with ",
          el("code", {}, "meridia recall"),
          ".",
        ),
    more,
    el("div", { class: "columns" }, ...(await starts())),
  ];
}

/** Other places to begin: who was met last, and the newest sessions. */
async function starts() {
  const [people, sessions] = await Promise.all([all("people"), all("sessions")]);
  const newest = (list) => list.sort((a, b) => b.last.localeCompare(a.last)).slice(0, STARTS);
  return [
    ["People met last", "person", "name", people],
    ["Newest sessions", "session", "session", sessions],
  ].map(([title, page, name, list]) =>
    el(
      "section",
      {},
      el("h2", {}, title),
      list.length
        ? el(
            "ul",
            { class: "rows" },
            newest(list).map((one) =>
              el(
                "li",
                { "data-row": true },
                link(pathOf(page, one[name]), one[name]),
                el(
                  "span",
                  { class: "dim" },
                  `${count(one.messages, "message")} · ${moment(one.last)}`,
                ),
              ),
            ),
          )
        : empty("None yet."),
    ),
  );
}

function row(recall) {
  return el(
    "li",
    { "data-row": true },
    link(pathOf("recall", recall.recall), recall.question || "(an empty question)"),
    el(
      "span",
      { class: "dim" },
      `${count(recall.memories ?? 0, "memory", "memories")} · `,
      moment(recall.at),
    ),
  );
}

function questionForm() {
  const field = el("input", {
    type: "search",
    name: "question",
    required: true,
    maxlength: 10000,
    placeholder: "When is the race?",
    "aria-label": "Question",
    autocomplete: "off",
  });
  const problem = el("p", { class: "problem", role: "alert", hidden: true });
  const button = el("button", { class: "primary" }, "Ask");
  async function ask(event) {
    event.preventDefault();
    button.disabled = true;
    try {
      const { recall } = await post("recall", { question: field.value });
      location.hash = pathOf("recall", recall);
    } catch (error) {
      problem.textContent = error.message;
      problem.hidden = false;
    }
    button.disabled = false;
  }
  return el("form", { class: "ask", onsubmit: ask }, field, button, problem);
}
