// Makes elements. Text is always inserted as text: nothing that a memory says becomes HTML.

const SVG = "http://www.w3.org/2000/svg";

// Control characters, direction marks, characters without width, tags; nearly as in core/text.py.
const UNSEEN = /(?![\t\n\u0600-\u0605\u200c\u200d])[\p{Cc}\p{Cf}\u034f\u2028\u2029\u3164]/gu;

/** Return a text with a mark in place of each sign that a reader would not see. */
export function printable(text) {
  return typeof text === "string" ? text.replace(/\r\n/g, "\n").replace(UNSEEN, "\ufffd") : text;
}

/** Return an element with attributes (`on…` are listeners) and children (texts or elements). */
export function el(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

/** The same for an element of SVG. */
export function svg(tag, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}

function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(
    ...children
      .flat(Infinity)
      .filter((child) => child !== null && child !== undefined)
      .map(printable),
  );
  return element;
}

/** Return a link within the inspector. */
export function link(path, ...children) {
  return el("a", { href: `#${path}` }, ...children);
}

/** Return a path of encoded words, such as `/recall/x`. */
export function pathOf(...words) {
  return "/" + words.map(encodeURIComponent).join("/");
}

/** Return a link to the page of a memory; `address` is a URI, an id or `@12`. */
export function memoryLink(address, label) {
  return link(pathOf("memory", address.replace(/^meridia:\/\//, "")), label ?? address);
}

/** Return a table. Cells are texts or elements; a column of numbers stands to the right. */
export function table(columns, rows, attributes = {}) {
  const isNumeric = columns.map(
    (_, place) => rows.length > 0 && rows.every((row) => isNumber(row[place])),
  );
  const side = (place) => (isNumeric[place] ? "number" : null);
  const head = columns.map((name, place) => el("th", { scope: "col", class: side(place) }, name));
  const body = rows.map((row) =>
    el(
      "tr",
      {},
      row.map((cell, place) => el("td", { class: side(place) }, shown(cell))),
    ),
  );
  const drawn = el("table", {}, el("thead", {}, el("tr", {}, head)), el("tbody", {}, body));
  return el("div", { class: "scroll", ...attributes }, drawn);
}

function isNumber(cell) {
  return typeof cell === "number" || /^[+−]?[\d.,]+$/.test(cell ?? "");
}

function shown(cell) {
  if (cell === null || cell === undefined) return "–";
  return typeof cell === "number" ? String(cell) : cell;
}

/** Return a number with its sign and two digits, such as `+0.25`. */
export function signed(value, digits = 2) {
  const text = Math.abs(value).toFixed(digits);
  return (value < 0 && Number(text) ? "−" : "+") + text;
}

/** Return a time to the minute, in UTC, as the command line shows it. */
export function moment(time) {
  return time ? new Date(time).toISOString().slice(0, 16).replace("T", " ") : "–";
}

/** Return the beginning of a text. */
export function shorten(text, most) {
  const letters = [...text.replace(/\s+/g, " ").trim()];
  return letters.length > most ? letters.slice(0, most - 1).join("") + "…" : letters.join("");
}

/** Return "1 memory" or "3 memories". */
export function count(number, one, many = one + "s") {
  return `${number.toLocaleString("en")} ${number === 1 ? one : many}`;
}

/** Return what stands where there is nothing to show. */
export function empty(...children) {
  return el("p", { class: "empty" }, ...children);
}
