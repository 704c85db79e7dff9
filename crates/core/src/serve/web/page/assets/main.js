// The page: where one is, and what is shown there.

import { beginSession, get, Problem } from "./api.js";
import { fill, h } from "./dom.js";
import { graph } from "./graph.js";
import { graphs } from "./graphs.js";
import { inbox } from "./inbox.js";
import { run } from "./run.js";
import { runs } from "./runs.js";

const VIEWS = [
  [/^\/$/, "inbox", inbox],
  [/^\/runs$/, "runs", runs],
  [/^\/runs\/([^/]+)$/, "runs", run],
  [/^\/graphs$/, "graphs", graphs],
  [/^\/graphs\/([^/]+)$/, "graphs", graph],
];

const KEYS = { i: "/", r: "/runs", g: "/graphs" };

const room = document.getElementById("room");
let session;
let leaving = new AbortController();

async function show() {
  leaving.abort();
  leaving = new AbortController();
  const { signal } = leaving;
  const found = VIEWS.find(([pattern]) => pattern.test(location.pathname));
  if (!found) return fill(room, h("h1", {}, "There is no such page"), h("p", {}, h("a", { href: "/" }, "Inbox")));
  const [pattern, name, view] = found;
  for (const link of document.querySelectorAll("nav a")) {
    if (link.dataset.view === name) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  const names = location.pathname.match(pattern).slice(1).map(decodeURIComponent);
  try {
    const known = (await get("/graphs", { signal })).graphs;
    await view(room, names, { session, signal, graphs: known, count, go });
    document.title = `${room.querySelector("h1")?.textContent ?? name} · Loopwright`;
  } catch (problem) {
    if (!signal.aborted) failed(problem);
  }
}

function failed(problem) {
  const words = problem instanceof Problem || problem instanceof TypeError ? problem.message : String(problem);
  fill(room, h("h1", {}, "This did not work"), h("p", { role: "alert" }, words), h("p", {}, h("button", { type: "button", click: show }, "Try again")));
}

/** Shows another place of the page. */
function go(address) {
  history.pushState(null, "", address);
  show();
  window.scrollTo(0, 0);
}

function count(questions) {
  const badge = document.getElementById("count");
  badge.textContent = questions ? String(questions) : "";
}

document.addEventListener("click", (event) => {
  const link = event.target.closest?.("a[href^='/']");
  if (!link || event.button || event.metaKey || event.ctrlKey || event.shiftKey || link.hasAttribute("download")) return;
  event.preventDefault();
  go(link.getAttribute("href"));
});
document.addEventListener("keydown", (event) => {
  const typing = /^(input|textarea|select)$/i.test(event.target.tagName);
  if (typing || event.metaKey || event.ctrlKey || event.altKey || !KEYS[event.key]) return;
  event.preventDefault();
  go(KEYS[event.key]);
});
window.addEventListener("popstate", show);

try {
  session = await beginSession();
  document.getElementById("who").textContent = `${session.name} (${session.role})`;
  await show();
} catch (problem) {
  if (problem.status === 401) fill(room, h("h1", {}, "Who are you?"), h("p", {}, "Open the link that ", h("code", {}, "loopwright serve"), " printed: it carries your token."));
  else failed(problem);
}
