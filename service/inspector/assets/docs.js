// The page of the API: what openapi.json says of each operation, in the order of access.

import { el, table } from "./dom.js";

const GROUPS = { read: "Read", write: "Write", admin: "Administer", health: "For monitors" };

const main = document.getElementById("main");
const answer = await fetch("openapi.json");
if (answer.ok) show(await answer.json());
else main.append(el("p", { class: "problem" }, `openapi.json: HTTP status ${answer.status}`));

function show(api) {
  const operations = Object.entries(api.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, about]) => ({ path, method, about })),
  );
  main.append(
    el("h1", {}, `${api.info.title} API ${api.info.version}`),
    el("p", {}, api.info.description),
    ...Object.entries(GROUPS).map(([tag, title]) =>
      el(
        "section",
        {},
        el("h2", {}, title),
        operations.filter(({ about }) => about.tags?.includes(tag)).map((one) => entry(one, api)),
      ),
    ),
  );
  const wanted = document.getElementById(location.hash.slice(1));
  if (wanted) wanted.open = true;
  wanted?.scrollIntoView();
}

function entry({ path, method, about }, api) {
  const name = `${method.toUpperCase()} ${path}`;
  const texts = (about.description ?? "").split("\n\n");
  const rows = inputs(about, api);
  return el(
    "details",
    { class: "operation", id: about.operationId },
    el("summary", {}, el("code", {}, name), " ", about.summary ?? ""),
    texts.filter((text) => text !== `${about.summary}.`).map((text) => el("p", {}, text)),
    rows.length ? table(["name", "type", "meaning"], rows) : null,
    el("pre", {}, example(path, method, about, api)),
  );
}

/** Return a row for each input, the required ones first: name, type, and what it means. */
function inputs(about, api) {
  const body = bodyOf(about, api);
  const required = new Set(body?.required ?? []);
  const inBody = Object.entries(body?.properties ?? {}).map(([name, schema]) =>
    row(name, schema, required.has(name), api),
  );
  const given = (about.parameters ?? []).map((one) =>
    row(one.name, { description: one.description, ...one.schema }, one.required, api),
  );
  const all = [...given, ...inBody];
  return [...all.filter((one) => one.required), ...all.filter((one) => !one.required)].map(
    ({ cells }) => cells,
  );
}

function row(name, schema, required, api) {
  const described = [schema, ...kinds(schema, api)].find((one) => one.description);
  const kind = type(schema, api) + (required ? ", required" : "");
  return { required, cells: [el("code", {}, name), kind, described?.description ?? ""] };
}

function bodyOf(about, api) {
  return resolved(about.requestBody?.content?.["application/json"]?.schema, api);
}

function resolved(schema, api) {
  const name = schema?.$ref?.split("/").pop();
  return name ? api.components.schemas[name] : schema;
}

/** Return the alternatives that a schema has, without null. */
function kinds(schema, api) {
  const own = resolved(schema, api);
  return own.anyOf ? own.anyOf.flatMap((one) => kinds(one, api)) : [own].filter(isValue);
}

function isValue(schema) {
  return schema.type !== "null";
}

function type(schema, api) {
  const names = kinds(schema, api).map((one) => {
    if (one.enum) return one.enum.join(" | ");
    if (one.const) return one.const;
    if (one.type === "array") return `list of ${type(one.items ?? {}, api) || "values"}`;
    return one.type ?? "any";
  });
  return [...new Set(names)].join(" or ");
}

/** Return a command that asks for the operation, with its own examples where it has some. */
function example(path, method, about, api) {
  const url = `${location.origin}${location.pathname.replace(/docs$/, "")}${path.slice(1)}`;
  const key = about.tags?.includes("health") ? "" : ' -H "Authorization: Bearer $KEY"';
  const given = (about.parameters ?? []).filter((one) => one.required && one.in === "query");
  const pairs = given.map((one) => `${one.name}=${encodeURIComponent(sample(one, api))}`);
  const query = pairs.length ? `?${pairs.join("&")}` : "";
  const schema = bodyOf(about, api);
  const verb = method === "get" ? "" : ` -X ${method.toUpperCase()}`;
  if (!schema) return `curl${verb}${key} '${url}${query}'`;
  const names = Object.entries(schema.properties ?? {});
  const chosen = names.filter(([name]) => schema.required?.includes(name));
  const made = Object.fromEntries(chosen.map(([name, one]) => [name, sample(one, api)]));
  const body = JSON.stringify(schema.examples?.[0] ?? made).replaceAll("'", "\\u0027");
  return `curl${key} -H 'Content-Type: application/json' \\\n  -d '${body}' '${url}'`;
}

function sample(one, api) {
  const schema = one.schema ?? one;
  return one.examples?.[0] ?? schema.examples?.[0] ?? (kinds(schema, api)[0]?.enum?.[0] || "…");
}
