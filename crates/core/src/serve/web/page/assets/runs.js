// The table of runs.

import { get, path, query } from "./api.js";
import { meter } from "./charts.js";
import { fill, h } from "./dom.js";
import { distance, dollars, moment } from "./format.js";

const STATES = ["running", "ready", "waiting", "ended", "failed"];
const PAUSE = 2000;

export async function runs(room, _, { signal, graphs }) {
  const given = new URLSearchParams(location.search);
  const status = h("select", { id: "status" }, h("option", { value: "" }, "any state"), STATES.map((name) => h("option", { value: name, selected: given.get("status") === name }, name)));
  const graph = h("select", { id: "graph" }, h("option", { value: "" }, "any graph"), graphs.map(({ id: name }) => h("option", { value: name, selected: given.get("graph") === name }, name)));
  const body = h("tbody");
  const more = h("button", { type: "button" }, "Older runs");
  const head = ["Run", "Graph", "State", "Node", "Budgets", "Cost", "Steps", "Began"].map((name) => h("th", { scope: "col" }, name));
  fill(
    room,
    h("h1", {}, "Runs"),
    h("form", { class: "filters", role: "search" }, h("label", { for: "status" }, "State"), status, h("label", { for: "graph" }, "Graph"), graph),
    h("div", { class: "scroll" }, h("table", { class: "runs" }, h("thead", {}, h("tr", {}, head)), body)),
    more,
  );
  let after = null;
  const page = async (cursor) => get(`/runs${query({ status: status.value, graph: graph.value, after: cursor, limit: 50 })}`, { signal });
  const show = async () => {
    const first = await page(null);
    const open = body.children.length <= first.runs.length;
    if (open || !body.firstChild) {
      fill(body, first.runs.map(row));
      after = first.next;
    } else for (const [place, run] of first.runs.entries()) body.children[place]?.replaceWith(row(run));
    more.hidden = !after;
  };
  const filter = async () => {
    history.replaceState(null, "", `/runs${query({ status: status.value, graph: graph.value })}`);
    fill(body);
    await show();
  };
  status.addEventListener("change", filter);
  graph.addEventListener("change", filter);
  more.addEventListener("click", async () => {
    const next = await page(after);
    body.append(...next.runs.map(row));
    after = next.next;
    more.hidden = !after;
  });
  await show();
  const timer = setInterval(() => show().catch(() => {}), PAUSE);
  signal.addEventListener("abort", () => clearInterval(timer));
}

function row(run) {
  const state = run.outcome ?? run.status;
  return h(
    "tr",
    {},
    h("th", { scope: "row" }, h("a", { href: path("runs", run.run) }, run.run)),
    h("td", {}, run.graph),
    h("td", {}, h("span", { class: `badge ${badge(run)}` }, state)),
    h("td", {}, run.node ?? ""),
    h("td", {}, Object.entries(run.budgets ?? {}).map(([name, budget]) => meter(name, budget))),
    h("td", { class: "number" }, run.usd ? dollars(Number(run.usd)) : ""),
    h("td", { class: "number" }, String(run.steps ?? "")),
    h("td", {}, h("time", { datetime: run.started, title: moment(run.started) }, distance(run.started))),
  );
}

export function badge(run) {
  if (run.questions || run.status === "waiting") return "waits";
  if (run.ok === true) return "good";
  if (run.ok === false) return "bad";
  return "";
}
