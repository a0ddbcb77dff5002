// Asks the service, and nobody else. A key stays in this tab's session storage.

const KEY = "meridia-key";

/** An answer that is an error: `code` and `status` are the service's. */
export class Problem extends Error {
  constructor(status, code, detail) {
    super(detail);
    this.status = status;
    this.code = code;
  }
}

/** The space that is looked at; empty for the key's own. */
export function space() {
  return new URLSearchParams(location.search).get("space") ?? "";
}

export function hasKey() {
  return sessionStorage.getItem(KEY) !== null;
}

export function useKey(key) {
  sessionStorage.setItem(KEY, key);
}

export function dropKey() {
  sessionStorage.removeItem(KEY);
}

/** Return what the page should know before it asks: whether a key is needed. */
export async function config() {
  return read(await fetch("config"));
}

/** Ask an operation that takes a query. */
export async function get(operation, given = {}) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(withSpace(given))) query.set(name, String(value));
  return read(await fetch(`../v1/${operation}?${query}`, { headers: headers() }));
}

/** Ask an operation that takes a body. */
export async function post(operation, given = {}) {
  const sent = { ...headers(), "content-type": "application/json" };
  const body = JSON.stringify(withSpace(given));
  return read(await fetch(`../v1/${operation}`, { method: "POST", headers: sent, body }));
}

/** Return all pages of a list, up to `most` items. */
export async function all(operation, given = {}, most = 1000) {
  const items = [];
  let after = 0;
  while (after !== null && items.length < most) {
    const page = await get(operation, { ...given, after, limit: Math.min(1000, most) });
    items.push(...page.items);
    after = page.next_after;
  }
  return items;
}

function withSpace(given) {
  const known = Object.entries(given).filter(([, value]) => value !== null && value !== undefined);
  return { ...(space() ? { space: space() } : {}), ...Object.fromEntries(known) };
}

function headers() {
  const key = sessionStorage.getItem(KEY);
  return key ? { authorization: `Bearer ${key}` } : {};
}

async function read(answer) {
  const document = await answer.json().catch(() => ({}));
  if (answer.ok) return document;
  throw new Problem(answer.status, document.code ?? "failed", document.detail ?? answer.statusText);
}
