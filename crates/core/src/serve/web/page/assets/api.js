// The way to the server: everything this page does is a request below /api/v1.

const ROOT = "/api/v1";

/** An answer that is no success, with the words of the server. */
export class Problem extends Error {
  constructor(status, document) {
    super(document.detail ?? document.title ?? `the server answered with ${status}`);
    this.status = status;
    this.document = document;
  }
}

const tags = new WeakMap();

async function request(method, path, { body, match, signal } = {}) {
  const headers = {};
  if (body !== undefined) headers["content-type"] = "application/json";
  if (match !== undefined) headers["if-match"] = match;
  const answer = await fetch(ROOT + path, {
    method,
    headers,
    body: body === undefined ? undefined : JSON.stringify(body),
    credentials: "same-origin",
    signal,
  });
  const type = answer.headers.get("content-type") ?? "";
  const content = type.includes("json") ? await answer.json() : await answer.text();
  if (content && typeof content === "object") tags.set(content, answer.headers.get("etag"));
  if (!answer.ok) throw new Problem(answer.status, typeof content === "string" ? { detail: content } : content);
  return content;
}

/** The tag of an answer, which says what one saw of it. */
export const tagOf = (content) => tags.get(content);

export const get = (path, options) => request("GET", path, options);
export const post = (path, body = {}, options = {}) => request("POST", path, { ...options, body });
export const put = (path, body, options = {}) => request("PUT", path, { ...options, body });

/** A path of names, each of which may hold any character. */
export function path(...names) {
  return names.map((name) => `/${encodeURIComponent(name)}`).join("");
}

/** What follows a `?`; parameters without a value are left out. */
export function query(parameters) {
  const given = Object.entries(parameters).filter(([, value]) => value != null && value !== "");
  return given.length ? `?${new URLSearchParams(given)}` : "";
}

/** Swaps the token behind the link's `#` for a cookie, and takes it out of the address. */
export async function beginSession() {
  const token = new URLSearchParams(location.hash.slice(1)).get("token");
  if (token) {
    history.replaceState(null, "", location.pathname + location.search);
    await post("/session", { token });
  }
  return get("/session");
}

/** The time after which a stream is asked for again that was refused, in milliseconds. */
const AGAIN = 2000;

/**
 * Hears of the events of a run from the first on: `hear` has what to do by the name of the event. A browser comes back by itself where the
 * line is lost, and says which event it had last, so that none is missed and none comes twice. Where it was refused, as by a
 * proxy whose server is away, it does not; then this comes back.
 */
export function watch(path, hear) {
  let source, timer, last;
  const open = () => {
    source = new EventSource(ROOT + path + query({ after: last }));
    for (const [name, act] of Object.entries(hear)) {
      source.addEventListener(name, (event) => {
        if (event.lastEventId) last = event.lastEventId;
        act(JSON.parse(event.data));
      });
    }
    source.addEventListener("error", () => {
      if (source.readyState === EventSource.CLOSED) timer = setTimeout(open, AGAIN);
    });
  };
  open();
  return () => (clearTimeout(timer), source.close());
}
