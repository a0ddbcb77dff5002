// A chart of feelings over time: valence from −1 to 1, a dot for each thing that was felt.

import { el, empty, moment, shorten, signed, svg } from "./dom.js";

const [WIDTH_MIN, HEIGHT, EDGE] = [320, 190, 38];
/** Room of a label of time, in pixels. */
const LABEL = 120;

/**
 * Return a chart of points `{at, valence, words, href?}` in order, at even distances; `marks` are
 * places of points where something begins, with a label.
 */
export function valenceChart(points, marks = []) {
  const felt = points.filter((point) => point.valence !== null && point.valence !== undefined);
  if (!felt.length) return empty("No feeling was recorded.");
  const width = Math.max(WIDTH_MIN, document.getElementById("main").clientWidth - 2 * EDGE);
  const apart = (width - 2 * EDGE) / felt.length;
  const x = (place) => EDGE + apart * (place + 0.5);
  const y = (valence) => HEIGHT / 2 - valence * (HEIGHT / 2 - 22);
  const lines = [
    [1, "good"],
    [0, "even"],
    [-1, "bad"],
  ].map(([valence, label]) => [
    svg("line", {
      class: valence ? "grid" : "grid zero",
      x1: EDGE,
      x2: width - EDGE / 2,
      y1: y(valence),
      y2: y(valence),
    }),
    svg("text", { x: EDGE - 4, y: y(valence) + 4, class: "axis" }, label),
  ]);
  const path = felt.map((point, place) => `${place ? "L" : "M"}${x(place)} ${y(point.valence)}`);
  const dots = felt.map((point, place) =>
    dot(point, x(place), y(point.valence), Math.min(4.5, Math.max(2, 0.6 * apart))),
  );
  let free = 0;
  const labels = marks.map(({ place, label }) => {
    const at = x(place) - apart / 2;
    const line = svg("line", { class: "mark", x1: at, x2: at, y1: 8, y2: HEIGHT - 18 });
    if (at < free || at + LABEL * 0.7 > width) return [line];
    free = at + LABEL;
    return [line, svg("text", { class: "time", x: at, y: HEIGHT - 4 }, label)];
  });
  const drawn = svg(
    "svg",
    {
      class: "chart",
      viewBox: `0 0 ${width} ${HEIGHT}`,
      role: "img",
      "aria-label": `feelings from ${moment(felt[0].at)} to ${moment(felt.at(-1).at)}`,
    },
    lines.flat(),
    labels.flat(),
    svg("path", { class: "curve", d: path.join(" ") }),
    dots,
  );
  return el("div", { class: "scroll" }, drawn);
}

function dot(point, x, y, r) {
  const kind = point.valence >= 0.3 ? "good" : point.valence <= -0.3 ? "bad" : "even";
  const label = `${moment(point.at)}: ${point.words} ${signed(point.valence)}`;
  const circle = svg("circle", { cx: x, cy: y, r, class: `dot ${kind}` }, svg("title", {}, label));
  return point.href
    ? svg("a", { href: point.href, "aria-label": shorten(label, 80) }, circle)
    : circle;
}

/** Return a small bar of a valence, from the middle to the left or right. */
export function valenceBar(valence) {
  if (valence === null || valence === undefined) return "–";
  const width = Math.abs(valence) * 40;
  return el(
    "span",
    { class: "valence" },
    svg(
      "svg",
      { viewBox: "0 0 80 10", width: 80, height: 10, "aria-hidden": "true" },
      svg("rect", { x: 39.5, y: 0, width: 1, height: 10, class: "zero" }),
      svg("rect", {
        x: valence < 0 ? 40 - width : 40,
        y: 2,
        width,
        height: 6,
        class: valence < 0 ? "bad" : "good",
      }),
    ),
    signed(valence),
  );
}
