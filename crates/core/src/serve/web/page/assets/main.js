// The page: where one is, and what is shown there.

import { beginSession, get, Problem } from "./api.js";
import { fill, h } from "./dom.js";
import { graph } from "./graph.js";
import { graphs } from "./graphs.js";
import { inbox } from "./inbox.js";
import { helpButton, listen, shortcut } from "./keys.js";
import { run } from "./run.js";
import { runs } from "./runs.js";

const VIEWS = [
  [/^\/$/, "inbox", inbox],
  [/^\/runs$/, "runs", runs],
  [/^\/runs\/([^/]+)$/, "runs", run],
  [/^\/graphs$/, "graphs", graphs],
  [/^\/graphs\/([^/]+)$/, "graphs", graph],
];

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
    if (signal.aborted) return;
    document.title = `${room.querySelector("h1")?.textContent ?? name} · Loopwright`;
    arrive();
  } catch (problem) {
    if (!signal.aborted) failed(problem);
  }
}

/** Puts whoever has come to a view at its beginning: what the view says, or its heading. A view may have put them somewhere itself. */
function arrive() {
  if (room.contains(document.activeElement) && document.activeElement !== room) return;
  const heading = room.querySelector("h1");
  if (!heading) return;
  heading.tabIndex = -1;
  heading.focus({ preventScroll: true });
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
shortcut("i", "the inbox", () => go("/"));
shortcut("r", "the runs", () => go("/runs"));
shortcut("g", "the graphs", () => go("/graphs"));
listen();
window.addEventListener("popstate", show);

try {
  session = await beginSession();
  const who = document.getElementById("who");
  who.textContent = `${session.name} (${session.role})`;
  who.after(helpButton());
  await show();
} catch (problem) {
  if (problem.status === 401) fill(room, h("h1", {}, "Who are you?"), h("p", {}, "Open the link that ", h("code", {}, "loopwright serve"), " printed: it carries your token."));
  else failed(problem);
}
