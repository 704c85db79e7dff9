// The table of runs.

import { get, path, query } from "./api.js";
import { meter } from "./charts.js";
import { fill, h, refill } from "./dom.js";
import { distance, dollars, moment } from "./format.js";
import { shortcut } from "./keys.js";

const STATES = ["running", "ready", "waiting", "ended", "failed"];
const HEAD = ["Run", "Graph", "State", "Node", "Budgets", "Cost", "Steps", "Began"];
const NUMBERS = new Set(["Cost", "Steps"]);

/** How often the table is read again, in milliseconds. */
const PAUSE = 2000;

/** The runs of a page. */
const PAGE = 50;

export async function runs(room, _, { signal, graphs }) {
  const given = new URLSearchParams(location.search);
  const status = h("select", { id: "status" }, h("option", { value: "" }, "any state"), STATES.map((name) => h("option", { value: name, selected: given.get("status") === name }, name)));
  const graph = h("select", { id: "graph" }, h("option", { value: "" }, "any graph"), graphs.map(({ id: name }) => h("option", { value: name, selected: given.get("graph") === name }, name)));
  const more = h("button", { type: "button" }, "Older runs");
  const none = h("p", { class: "empty", hidden: true }, "There is no such run.");
  const table = new RunTable();
  fill(
    room,
    h("h1", {}, "Runs"),
    h("form", { class: "filters", role: "search" }, h("label", { for: "status" }, "State"), status, h("label", { for: "graph" }, "Graph"), graph),
    h("div", { class: "scroll" }, h("table", { class: "runs" }, h("thead", {}, h("tr", {}, HEAD.map((name) => h("th", { scope: "col", class: NUMBERS.has(name) ? "number" : null }, name)))), table.body)),
    none,
    more,
  );
  let after = null;
  // Answers to what was asked before another filter was chosen are left out.
  let filters = 0;
  const page = async (cursor) => {
    const own = filters;
    const found = await get(`/runs${query({ status: status.value, graph: graph.value, after: cursor, limit: PAGE })}`, { signal });
    return own === filters ? found : null;
  };
  const show = async () => {
    const first = await page(null);
    if (!first) return;
    if (table.isOnePage) after = first.next;
    table.show(first.runs);
    none.hidden = first.runs.length > 0;
    more.hidden = !after;
  };
  const filter = async () => {
    filters += 1;
    history.replaceState(null, "", `/runs${query({ status: status.value, graph: graph.value })}`);
    table.clear();
    await show();
  };
  status.addEventListener("change", filter);
  graph.addEventListener("change", filter);
  more.addEventListener("click", async () => {
    const next = await page(after);
    if (!next) return;
    table.append(next.runs);
    after = next.next;
    more.hidden = !after;
  });
  shortcut("/", "the filters of the runs", () => status.focus(), signal);
  await show();
  table.body.querySelector("a")?.focus({ preventScroll: true });
  const timer = setInterval(() => show().catch(() => {}), PAUSE);
  signal.addEventListener("abort", () => clearInterval(timer));
}

/** The rows, the newest run first. A row is changed only where its run has changed, so that nobody loses their place. */
class RunTable {
  constructor() {
    this.body = h("tbody");
    this.clear();
  }

  clear() {
    this.rows = new Map();
    // What lies behind the first page stays as it is.
    this.isOnePage = true;
    this.body.replaceChildren();
  }

  /** Shows the first page. */
  show(runs) {
    if (this.isOnePage) {
      const names = new Set(runs.map(({ run }) => run));
      for (const [name, { element }] of this.rows) {
        if (names.has(name)) continue;
        element.remove();
        this.rows.delete(name);
      }
    }
    for (const [place, run] of runs.entries()) {
      const element = this.row(run);
      if (this.body.children[place] !== element) this.body.insertBefore(element, this.body.children[place] ?? null);
    }
  }

  append(runs) {
    this.isOnePage = false;
    this.body.append(...runs.map((run) => this.row(run)));
  }

  row(run) {
    const known = this.rows.get(run.run) ?? { element: h("tr"), was: null };
    const now = JSON.stringify(run);
    if (known.was !== now) refill(known.element, cells(run));
    known.was = now;
    known.element.querySelector("time").textContent = distance(run.started);
    this.rows.set(run.run, known);
    return known.element;
  }
}

function cells(run) {
  return [
    h("th", { scope: "row" }, h("a", { href: path("runs", run.run), "data-key": run.run }, run.run)),
    h("td", {}, run.graph),
    h("td", {}, h("span", { class: `badge ${badge(run)}` }, run.outcome ?? run.status)),
    h("td", {}, run.node ?? ""),
    h("td", {}, Object.entries(run.budgets ?? {}).map(([name, budget]) => meter(name, budget))),
    h("td", { class: "number" }, run.usd ? dollars(Number(run.usd)) : ""),
    h("td", { class: "number" }, String(run.steps ?? "")),
    h("td", {}, h("time", { datetime: run.started, title: moment(run.started) }, distance(run.started))),
  ];
}

export function badge(run) {
  if (run.questions || run.status === "waiting") return "waits";
  if (run.ok === true) return "good";
  if (run.ok === false) return "bad";
  return "";
}
