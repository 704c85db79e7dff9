// Graphs: what is found in them, how they are drawn, how their runs ended.

import { get, path, post, query } from "./api.js";
import { bars } from "./charts.js";
import { fill, h } from "./dom.js";
import { drawing } from "./drawing.js";
import { dollars } from "./format.js";
import { field } from "./form.js";
import { editor } from "./editor.js";

export async function graphs(room, _, { signal }) {
  const known = (await get("/graphs", { signal })).graphs;
  const rows = known.map((graph) =>
    h("tr", {}, h("th", { scope: "row" }, h("a", { href: path("graphs", graph.name) }, graph.name)), h("td", {}, graph.title ?? ""), h("td", {}, graph.file), h("td", {}, graph.runnable ? "" : h("span", { class: "badge waits" }, "shown, not run"))),
  );
  const head = ["Graph", "Title", "File", ""].map((name) => h("th", { scope: "col" }, name));
  fill(room, h("h1", {}, "Graphs"), h("div", { class: "scroll" }, h("table", {}, h("thead", {}, h("tr", {}, head)), h("tbody", {}, rows))));
}

export async function graph(room, [id], { session, signal, go }) {
  const about = await get(path("graphs", id), { signal });
  const untaken = about.scenarios?.coverage?.untaken ?? [];
  const picture = h("div", { class: "picture" });
  const show = async (view) => {
    const text = await get(`${path("graphs", id)}/drawing${query({ view, as: "svg" })}`);
    const drawn = drawing(text, `The graph ${id}`);
    if (untaken.length) drawn.mark(untaken.map((edge) => [id, "edge", edge, "untaken"]));
    fill(picture, drawn.host);
  };
  const views = (about.views ?? []).map((view) => h("button", { type: "button", click: () => show(view) }, view));
  fill(
    room,
    h("h1", {}, id),
    about.title ? h("p", {}, about.title) : null,
    session.role === "run" && about.runnable ? begin(id, about, go) : null,
    h("div", { class: "buttons", role: "group", "aria-label": "Views" }, views),
    picture,
    h("h2", {}, "Findings"),
    about.findings.length ? h("ul", { class: "findings" }, about.findings.map(finding)) : h("p", { class: "faint" }, "none"),
    bounds(about),
    scenarios(about),
    await outcomes(about),
    about.texts ? editor(id, about) : null,
  );
  await show().catch((problem) => fill(picture, h("p", { class: "faint" }, problem.message)));
}

function finding({ severity, rule, message, file, line, column }) {
  return h("li", { class: severity }, h("span", { class: "badge" }, rule ?? severity), ` ${message} `, h("span", { class: "faint" }, `${file}:${line}:${column}`));
}

function begin(id, about, go) {
  const input = field(about.input ?? { type: "object", properties: {} }, {});
  const note = h("p", { class: "note", role: "alert" });
  const submit = async (event) => {
    event.preventDefault();
    try {
      const made = await post("/runs", { graph: id, input: input.read() });
      go(path("runs", made.run));
    } catch (problem) {
      fill(note, problem.message);
    }
  };
  return h("details", { class: "panel begin" }, h("summary", {}, h("h2", {}, "Begin a run")), h("form", { submit }, input.element, note, h("div", { class: "buttons" }, h("button", { type: "submit", class: "primary" }, "Begin"))));
}

function bounds({ bounds }) {
  const rows = (bounds ?? []).flatMap(({ file, transitions, model_calls, tool_calls }) => {
    const all = [["transitions", transitions], ["model calls", model_calls], ["tool calls", tool_calls]];
    return all.filter(([, bound]) => bound).map(([name, { number, formula }]) => h("tr", {}, h("th", { scope: "row" }, name), h("td", { class: "number" }, number ?? ""), h("td", {}, h("code", {}, formula)), h("td", { class: "faint" }, file)));
  });
  return rows.length ? [h("h2", {}, "A run makes at most"), h("div", { class: "scroll" }, h("table", {}, h("tbody", {}, rows)))] : null;
}

function scenarios({ scenarios }) {
  const all = (scenarios?.files ?? []).flatMap((file) => file.scenarios ?? []);
  if (!all.length) return null;
  const rows = all.map(({ name, passed, ok }) => h("li", {}, h("span", { class: `badge ${(passed ?? ok) ? "good" : "bad"}` }, (passed ?? ok) ? "passed" : "failed"), ` ${name}`));
  return [h("h2", {}, "Scenarios"), h("ul", {}, rows)];
}

/** How the last runs of a graph ended. */
async function outcomes({ id }) {
  const { runs } = await get(`/runs${query({ graph: id, limit: 200 })}`);
  if (!runs.length) return null;
  const counts = new Map();
  for (const run of runs) counts.set(run.outcome ?? run.status, (counts.get(run.outcome ?? run.status) ?? 0) + 1);
  const steps = runs.map((run) => run.steps).filter((steps) => steps != null);
  const costs = runs.map((run) => Number(run.usd ?? 0));
  const mean = (amounts) => amounts.reduce((sum, amount) => sum + amount, 0) / amounts.length;
  return [
    h("h2", {}, `The last ${runs.length} runs`),
    bars("How they ended", [...counts].map(([name, count]) => [name, count, String(count)])),
    steps.length ? h("p", {}, `${Math.round(mean(steps))} steps each on average, ${Math.max(...steps)} at most`) : null,
    costs.some(Boolean) ? h("p", {}, `${dollars(mean(costs))} each on average, ${dollars(Math.max(...costs))} at most`) : null,
  ];
}
