// Why a memory is not among the results: look for it by its words, then ask.

import { get, post } from "./api.js";
import { el, empty, memoryLink, moment, shorten, signed, table } from "./dom.js";

const FOUND_MAX = 12;

export async function whyNotPart(recall, [address]) {
  const field = el("input", {
    type: "search",
    required: true,
    autocomplete: "off",
    maxlength: 600,
    placeholder: "words of a memory, or @12, or an id",
    "aria-label": "Which memory",
    autofocus: true,
  });
  const list = el("ul", { class: "rows choices" });
  const answer = el("div", { class: "answer", role: "status" });

  async function ask(which) {
    answer.replaceChildren(el("p", { class: "loading" }, "Asking…"));
    try {
      const shown = await get("show", { address: which });
      const found = await get("why-not", { recall: recall.recall, address: shown.id });
      answer.replaceChildren(...explained(shown, found));
      answer.scrollIntoView({ block: "nearest" });
    } catch (error) {
      answer.replaceChildren(el("p", { class: "problem", role: "alert" }, error.message));
    }
  }

  async function look(event) {
    event.preventDefault();
    const wanted = field.value.trim();
    list.replaceChildren();
    if (/^(@\d+|meridia:\/\/.+|[0-9a-f]{8}-[0-9a-f-]{27})$/.test(wanted)) {
      await ask(wanted);
      return;
    }
    answer.replaceChildren(el("p", { class: "loading" }, "Looking…"));
    // By words alone, and not kept: looking is no recall of its own.
    const given = { question: wanted, profile: "simple", limit: FOUND_MAX, keep: false };
    try {
      const { hits } = await post("recall", given);
      answer.replaceChildren(hits.length ? "" : empty("No memory has these words."));
      list.append(...hits.map((hit) => choice(hit, recall, ask)));
    } catch (error) {
      answer.replaceChildren(el("p", { class: "problem", role: "alert" }, error.message));
    }
  }

  if (address) await ask(address);
  return [
    el("p", { class: "dim" }, "Which memory did you expect?"),
    el("form", { class: "ask", onsubmit: look }, field, el("button", { class: "primary" }, "Look")),
    el("div", { class: "columns" }, list, answer),
  ];
}

function choice(hit, recall, ask) {
  const rank = recall.hits.find((other) => other.id === hit.id)?.rank;
  return el(
    "li",
    { "data-row": true },
    el("button", { class: "plain", onclick: () => ask(hit.id) }, shorten(hit.text, 120)),
    el(
      "span",
      { class: "dim" },
      `@${hit.seq} · ${hit.person ?? hit.kind} · ${moment(hit.at)}`,
      rank ? ` · is result ${rank}` : "",
    ),
  );
}

function explained(shown, found) {
  return [
    el("h3", {}, found.cause),
    el("blockquote", {}, shorten(shown.text, 300)),
    el("p", { class: "dim" }, memoryLink(shown.uri, `@${shown.seq}`)),
    el(
      "ul",
      {},
      found.because.map((line) => el("li", {}, line)),
    ),
    found.lacked.length
      ? table(
          ["term", "its", "the last result's", "difference"],
          found.lacked.map((gap) => [
            gap.term,
            signed(gap.its),
            signed(gap.last),
            signed(gap.its - gap.last),
          ]),
        )
      : null,
  ].filter(Boolean);
}
