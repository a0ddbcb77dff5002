// What the explorer asks of the graph: read-only Cypher, through the operation `query`.

import { post } from "./api.js";

/** Nodes of these kinds can be shown, in this order; the others are how the graph is kept. */
export const KINDS = [
  "Person",
  "Entity",
  "Concept",
  "Fact",
  "Session",
  "Episode",
  "Experience",
  "Relationship",
  "Transition",
  "Artifact",
];
/** Where this kind is not shown, its nodes are folded into edges between what they join. */
export const FOLDED = "Experience";
/** The type of such an edge. */
const TOGETHER = "in one memory";
/** What is asked for at once. */
export const NEIGHBOURS_MAX = 60;
/** Of so many things at most that one memory joins, each pair is an edge. */
const JOINED_MAX = 8;
export const WHOLE_MAX = 5000;

const NODE = (name) =>
  `[${name}.id, labels(${name}), ${name}.name, ` +
  `coalesce(${name}.at, ${name}.t_valid, ${name}.since), ` +
  `coalesce(${name}.text, ${name}.description), ${name}.key]`;

async function ask(statement, parameters = {}) {
  return (await post("query", { statement, parameters })).rows;
}

function node([id, labels, name, at, text, key]) {
  const kind = labels.find((label) => label !== "Memory") ?? "Memory";
  return { id, kind, name: name || key || text || kind, at: at ?? null, text: text ?? "", key };
}

/** Return up to `most` nodes whose name contains some words: people first, then the shortest. */
export async function find(words, most = 12) {
  const rows = await ask(
    `MATCH (n) WHERE toLower(n.name) CONTAINS $words RETURN ${NODE("n")} AS node, ` +
      "size(n.name) AS length ORDER BY length LIMIT 200",
    { words: words.toLowerCase() },
  );
  const rank = ({ kind }) => KINDS.indexOf(kind);
  return rows
    .map(([found]) => node(found))
    .sort((a, b) => rank(a) - rank(b) || a.name.length - b.name.length)
    .slice(0, most);
}

/** Return the node of an id, or null. */
export async function one(id) {
  const [row] = await ask(`MATCH (n {id: $id}) RETURN ${NODE("n")} AS node`, { id });
  return row ? node(row[0]) : null;
}

/** Return the nodes beside one, the newest first; through memories, those it shares most with. */
export async function neighbours(id, kinds, most = NEIGHBOURS_MAX) {
  const wanted = "any(label IN labels(m) WHERE label IN $kinds) AND m.id <> $id";
  const [beside, through] = await Promise.all([
    ask(
      `MATCH (n {id: $id})--(m) WHERE ${wanted} WITH DISTINCT m RETURN ${NODE("m")} AS node, ` +
        `coalesce(m.at, m.t_valid, "") AS at ORDER BY at DESC LIMIT ${most}`,
      { id, kinds },
    ),
    kinds.includes(FOLDED)
      ? []
      : ask(
          `MATCH (n {id: $id})--(e:${FOLDED})--(m) WHERE ${wanted} WITH m, count(DISTINCT e) AS ` +
            `shared RETURN ${NODE("m")} AS node, shared ORDER BY shared DESC LIMIT ${most / 2}`,
          { id, kinds },
        ),
  ]);
  return [...beside, ...through].map(([found]) => node(found));
}

/** Return the edges among some nodes, and those that memories which are no node of these make. */
export async function edgesAmong(ids) {
  const [rows, joined] = await Promise.all([
    ask(
      "MATCH (a)-[r]->(b) WHERE a.id IN $ids AND b.id IN $ids " +
        "RETURN collect([a.id, type(r), b.id]) AS edges",
      { ids },
    ),
    ask(
      `MATCH (e:${FOLDED})--(m) WHERE m.id IN $ids AND NOT e.id IN $ids ` +
        "RETURN collect([e.id, m.id]) AS joined",
      { ids },
    ),
  ]);
  return [...rows[0][0].map(edge), ...folded(joined[0][0])];
}

function edge([source, type, target]) {
  return { source, type, target };
}

/** Return an edge for each pair of nodes that one memory or more join, from (memory, node). */
function folded(joined) {
  const byMemory = new Map();
  for (const [memory, id] of joined) {
    byMemory.set(memory, [...(byMemory.get(memory) ?? []), id]);
  }
  const pairs = new Map();
  for (const all of byMemory.values()) {
    const ids = [...new Set(all)].sort().slice(0, JOINED_MAX);
    ids.forEach((source, place) =>
      ids.slice(place + 1).forEach((target) => {
        const key = `${source} ${target}`;
        const known = pairs.get(key) ?? { source, target, type: TOGETHER, memories: 0 };
        known.memories += 1;
        pairs.set(key, known);
      }),
    );
  }
  return [...pairs.values()];
}

/** Return the nodes of some kinds, at most `most`, and all edges among them. */
export async function whole(kinds, most = WHOLE_MAX) {
  const ends = [...new Set([...kinds, FOLDED])];
  const some = "any(label IN labels(n) WHERE label IN $kinds)";
  const [rows, edges] = await Promise.all([
    ask(`MATCH (n) WHERE ${some} WITH n LIMIT ${most} RETURN collect(${NODE("n")}) AS nodes`, {
      kinds,
    }),
    ask(
      "MATCH (n)-[r]->(b) WHERE any(label IN labels(n) WHERE label IN $ends) AND " +
        "any(label IN labels(b) WHERE label IN $ends) " +
        `WITH n, r, b LIMIT ${6 * most} RETURN collect([n.id, type(r), b.id]) AS edges`,
      { ends },
    ),
  ]);
  const nodes = rows[0][0].map(node);
  const known = new Set(nodes.map((one) => one.id));
  const all = edges[0][0].map(edge);
  const among = all.filter(({ source, target }) => known.has(source) && known.has(target));
  // An edge of which one end is known leads to a memory that is not shown.
  const joined = all.flatMap(({ source, target }) => {
    if (known.has(source) === known.has(target)) return [];
    return [known.has(target) ? [source, target] : [target, source]];
  });
  return { nodes, edges: [...among, ...folded(joined)] };
}

/** Return the nodes of a shortest path between two, of at most six edges; none: an empty list. */
export async function path(from, to) {
  const [row] = await ask(
    "MATCH (a {id: $from}), (b {id: $to}) MATCH p = shortestPath((a)-[*..6]-(b)) " +
      `RETURN [n IN nodes(p) | ${NODE("n")}] AS nodes`,
    { from, to },
  );
  return row ? row[0].map(node) : [];
}

/** Return the community of each node: labels spread along edges until they stay (8 rounds). */
export function communities(nodes, edges) {
  const beside = new Map(nodes.map(({ id }) => [id, []]));
  for (const { source, target } of edges) {
    beside.get(source)?.push(target);
    beside.get(target)?.push(source);
  }
  const label = new Map(nodes.map(({ id }) => [id, id]));
  const order = [...beside.keys()].sort();
  for (let round = 0; round < 8; round++) {
    let moved = false;
    for (const id of order) {
      const votes = new Map();
      for (const other of beside.get(id)) {
        const vote = label.get(other);
        votes.set(vote, (votes.get(vote) ?? 0) + 1 / Math.sqrt(beside.get(other).length));
      }
      const best = [...votes].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))[0];
      if (best && best[0] !== label.get(id)) {
        label.set(id, best[0]);
        moved = true;
      }
    }
    if (!moved) break;
  }
  const sizes = new Map();
  for (const name of label.values()) sizes.set(name, (sizes.get(name) ?? 0) + 1);
  const ranked = [...sizes].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
  const place = new Map(ranked.map(([name], index) => [name, index]));
  return new Map([...label].map(([id, name]) => [id, place.get(name)]));
}
