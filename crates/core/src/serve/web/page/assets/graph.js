// A graph: how it is drawn, what is found in it, how its runs ended, how it changed.

import { get, path, post, query } from "./api.js";
import { amounts, bars } from "./charts.js";
import { coverage, untaken } from "./coverage.js";
import { fill, h } from "./dom.js";
import { drawing } from "./drawing.js";
import { editor } from "./editor.js";
import { finding } from "./findings.js";
import { distance, dollars, moment } from "./format.js";
import { field } from "./form.js";
import { shortcut } from "./keys.js";
import { versions } from "./versions.js";

/** The runs of which the history is made, the newest ones. */
const RUNS = 200;

export async function graph(room, [name], { session, signal, go }) {
  const shown = h("div");
  const below = h("div");
  const read = () => get(path("graphs", name), { signal });
  let text;
  const show = async (about) => {
    const jump = (place) => text.jump(place);
    const picture = await pictures(name, about);
    fill(
      shown,
      h("h1", {}, name),
      about.title ? h("p", {}, about.title) : null,
      about.runnable ? null : h("p", { class: "error" }, "This graph is shown, and not run."),
      session.role === "run" && about.runnable ? begin(name, about, go) : null,
      picture,
      h("h2", {}, "Findings"),
      about.findings.length ? h("ul", { class: "findings" }, about.findings.map((found) => finding(found, jump))) : h("p", { class: "faint" }, "none"),
      bounds(about),
      coverage(about, jump),
    );
    fill(below, await history(about, signal), versions(name, about));
  };
  const about = await read();
  text = editor(about, { session, saved: async () => show(await read()) });
  await show(about);
  fill(room, shown, text.element, below);
  shortcut("t", "the text of the graph", () => open(text.element, "textarea"), signal);
  shortcut("c", "what changed between two versions of the graph", () => open(below.querySelector(".versions"), "summary"), signal);
}

/** Opens a part of the page, and leads to something in it. */
function open(details, inner) {
  details.open = true;
  details.querySelector(inner).focus();
}

/** The drawing with buttons for its views, and what its marks mean. */
async function pictures(name, about) {
  const missed = untaken(about);
  const picture = h("div", { class: "picture" });
  const legend = h("p", { class: "legend" });
  const show = async (view) => {
    const text = await get(`${path("graphs", name)}/drawing${query({ view, as: "svg" })}`);
    const drawn = drawing(text, `The graph ${name}`);
    const pale = drawn.fade(missed);
    fill(legend, pale ? [h("span", { class: "pale-line", "aria-hidden": "true" }), `Pale arrows: no scenario takes them (${pale}).`] : null);
    fill(picture, drawn.host);
  };
  const failed = (problem) => fill(picture, h("p", { class: "faint" }, problem.message));
  const views = (about.views ?? []).map((view) => h("button", { type: "button", click: () => show(view).catch(failed) }, view));
  if (views.length) views.unshift(h("button", { type: "button", click: () => show().catch(failed) }, "all of it"));
  await show().catch(failed);
  return [views.length ? h("div", { class: "buttons", role: "group", "aria-label": "Views" }, views) : null, picture, legend];
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

/** How the last runs of a graph ended, how many steps they took, and what they cost. */
async function history({ id }, signal) {
  if (!id) return null;
  const { runs } = await get(`/runs${query({ graph: id, limit: RUNS })}`, { signal });
  if (!runs.length) return [h("h2", {}, "Its runs"), h("p", { class: "faint" }, "There are none yet.")];
  const ends = new Map();
  for (const run of runs) ends.set(end(run), (ends.get(end(run)) ?? 0) + 1);
  const inOrder = [...runs].reverse();
  const chart = (name, amount, words) => {
    const known = inOrder.filter((run) => amount(run) != null);
    return known.length ? amounts(name, known.map((run) => ({ href: path("runs", run.run), amount: Number(amount(run)), label: `${run.run}: ${words(amount(run))}, ${end(run)}`, kind: kind(run) })), words) : null;
  };
  const cost = chart("Cost", (run) => run.usd, dollars);
  return [
    h("h2", {}, runs.length < RUNS ? "Its runs" : `Its last ${runs.length} runs`),
    h("div", { class: "history" }, bars("How they ended", [...ends].map(([name, count]) => [name, count, String(count)])), chart("Steps", (run) => run.steps, String), cost),
    h("p", { class: "legend" }, h("span", { class: "key good" }), "ended well ", h("span", { class: "key bad" }), "failed ", h("span", { class: "key waits" }), "not ended. Each bar leads to its run, the newest is on the right."),
    cost ? null : h("p", { class: "faint" }, "Of what they cost nothing is known: no budget of the graph is charged with dollars."),
    h("details", {}, h("summary", {}, "These runs as a table"), h("div", { class: "scroll tall" }, table(runs))),
  ];
}

const end = (run) => run.outcome ?? run.status;
const kind = (run) => (run.ok === true ? "good" : run.ok === false ? "bad" : "waits");

function table(runs) {
  const head = ["Run", "Ended as", "Steps", "Cost", "Began"].map((name) => h("th", { scope: "col" }, name));
  const row = (run) =>
    h("tr", {}, h("th", { scope: "row" }, h("a", { href: path("runs", run.run) }, run.run)), h("td", {}, end(run)), h("td", { class: "number" }, String(run.steps ?? "")), h("td", { class: "number" }, run.usd ? dollars(run.usd) : ""), h("td", {}, h("time", { datetime: run.started, title: moment(run.started) }, distance(run.started))));
  return h("table", {}, h("thead", {}, h("tr", {}, head)), h("tbody", {}, runs.map(row)));
}
