// The shell: which page is shown, the space, the key, and what went wrong.

import * as api from "./api.js";
import { el, link } from "./dom.js";
import { entitiesPage } from "./entities.js";
import { explorePage } from "./explore.js";
import { journalPage } from "./journal.js";
import { memoryPage } from "./memory.js";
import { peoplePage, personPage } from "./people.js";
import { recallPage } from "./recall.js";
import { recallsPage } from "./recalls.js";
import { sessionPage, sessionsPage } from "./sessions.js";

const PAGES = {
  "": ["recalls", recallsPage],
  recall: ["recalls", recallPage],
  memory: ["recalls", memoryPage],
  people: ["people", peoplePage],
  person: ["people", personPage],
  sessions: ["sessions", sessionsPage],
  session: ["sessions", sessionPage],
  entities: ["entities", entitiesPage],
  explore: ["explore", explorePage],
  journal: ["journal", journalPage],
};
const main = document.getElementById("main");
const keyDialog = document.getElementById("key-dialog");
/** Counts what is shown, so that a late answer does not replace a newer page. */
let shown = 0;
/** Ends what the page before left running, and its keys. */
let leave = new AbortController();

async function show() {
  const number = ++shown;
  leave.abort();
  leave = new AbortController();
  const [name = "", ...words] = location.hash.replace(/^#\/?/, "").split("/").map(decoded);
  const [section, page] = Object.hasOwn(PAGES, name) ? PAGES[name] : ["", missingPage];
  for (const entry of document.querySelectorAll("nav a")) {
    const isHere = entry.dataset.page === section;
    if (isHere) entry.setAttribute("aria-current", "page");
    else entry.removeAttribute("aria-current");
  }
  const waiting = setTimeout(() => {
    if (number === shown) main.replaceChildren(el("p", { class: "loading" }, "Loading…"));
  }, 150);
  let made;
  try {
    made = await page(words, leave.signal);
  } catch (error) {
    made = problem(error);
  }
  clearTimeout(waiting);
  if (number !== shown) return;
  if (!document.querySelector("#space-names option")) offerSpaces().catch(() => {});
  main.replaceChildren(...[made].flat(Infinity).filter(Boolean));
  document.title = `${main.querySelector("h1")?.textContent ?? "Inspector"} – Meridia`;
  if (!main.querySelector("[autofocus]")) main.focus({ preventScroll: true });
}

function decoded(word) {
  try {
    return decodeURIComponent(word);
  } catch {
    return word;
  }
}

function missingPage() {
  return [el("h1", {}, "There is no such page"), el("p", {}, link("/", "All recalls"))];
}

/** Return what is shown instead of a page that cannot be made. */
function problem(error) {
  if (error instanceof api.Problem && error.status === 401) {
    askForKey("The service does not accept this key.");
    return el("p", { class: "empty" }, "A key is needed.");
  }
  const isKnown = error instanceof api.Problem;
  if (!isKnown) console.error(error);
  const unreachable = error instanceof TypeError && /fetch/i.test(error.message);
  return el(
    "section",
    { class: "failure", role: "alert" },
    el("h1", {}, error.status === 404 ? "There is no such thing" : "This could not be shown"),
    el("p", {}, unreachable ? "The service does not answer: is it still running?" : error.message),
    el(
      "p",
      {},
      el("button", { class: "primary", onclick: show }, "Try again"),
      " ",
      link("/", "All recalls"),
    ),
  );
}

function askForKey(text = "") {
  api.dropKey();
  const place = document.getElementById("key-problem");
  place.textContent = text;
  place.hidden = !text;
  if (!keyDialog.open) keyDialog.showModal();
}

document.getElementById("key-form").addEventListener("submit", (event) => {
  event.preventDefault();
  const field = document.getElementById("key");
  api.useKey(field.value.trim());
  field.value = "";
  keyDialog.close();
  show();
});

// Without a key there is nothing to go back to.
keyDialog.addEventListener("cancel", (event) => event.preventDefault());

document.getElementById("space").addEventListener("submit", (event) => {
  event.preventDefault();
  const name = document.getElementById("space-name").value.trim();
  // A page of one space means nothing in another.
  location.assign(
    `${location.pathname}${name ? `?${new URLSearchParams({ space: name })}` : ""}#/`,
  );
});

const help = document.getElementById("help-dialog");
document.getElementById("help-button").addEventListener("click", () => help.showModal());

document.addEventListener("keydown", (event) => {
  const isTyping = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName);
  if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  if (document.querySelector("dialog[open]")) return;
  if (event.key === "?") help.showModal();
  else if (event.key === "/") focusOn(main.querySelector("input[type=search]"), event);
  else if (event.key === "j" || event.key === "k") moveRow(event.key === "j" ? 1 : -1, event);
  else if (/^[1-9]$/.test(event.key)) main.querySelectorAll(".tabs a")[event.key - 1]?.click();
});

function focusOn(element, event) {
  if (!element) return;
  event.preventDefault();
  element.focus();
}

/** Move the focus to the next or previous row of the page. */
function moveRow(step, event) {
  const rows = [...main.querySelectorAll("[data-row]")];
  const here = rows.findIndex((row) => row.contains(document.activeElement));
  const next = rows[here < 0 && step < 0 ? rows.length - 1 : here + step];
  focusOn(
    next?.matches("a, summary, button") ? next : next?.querySelector("a, summary, button"),
    event,
  );
}

/** Offer the spaces that the key opens. */
async function offerSpaces() {
  const { items } = await api.get("spaces");
  const offered = items.map((name) => el("option", { value: name }));
  document.getElementById("space-names").replaceChildren(...offered);
}

async function start() {
  document.getElementById("space-name").value = api.space();
  window.addEventListener("hashchange", show);
  try {
    const { needs_key: needsKey } = await api.config();
    if (needsKey && !api.hasKey()) {
      main.replaceChildren(el("p", { class: "empty" }, "A key is needed."));
      askForKey();
      return;
    }
  } catch (error) {
    main.replaceChildren(problem(error));
    return;
  }
  show();
}

start();
