// What changed between two versions of a graph.

import { get, path, query } from "./api.js";
import { fill, h, text } from "./dom.js";
import { distance } from "./format.js";

/** How much of a digest is shown, in characters. */
const SHORT = 8;

const EFFECTS = { run: "in what runs do", order: "in order only", shown: "in what is shown only" };

export function versions(name, about) {
  const inner = h("div");
  const show = async () => fill(inner, compared(name, await get(`${path("graphs", name)}/versions`)));
  const toggle = (event) => {
    if (event.target.open && !inner.firstChild) show().catch((problem) => fill(inner, h("p", { class: "error" }, problem.message)));
  };
  const served = about.program ? h("span", { class: "faint" }, ` served now: ${about.program.slice(0, SHORT)}`) : null;
  return h("details", { class: "panel versions", toggle }, h("summary", {}, h("h2", {}, "Compare versions"), served), inner);
}

function compared(name, { versions, runs, more }) {
  const looked = more ? h("p", { class: "faint" }, `The newest ${runs.toLocaleString()} runs were looked at; there are older ones.`) : null;
  if (versions.length < 2) {
    return h("p", { class: "empty" }, versions.length ? "There is only one version. Another one stands here once the graph was changed and runs went by both." : "No version is known yet.");
  }
  // The served one stands first, if there is one; the others by their last run.
  const from = select("from", versions, 1);
  const to = select("to", versions, 0);
  const result = h("div", { class: "changes", "aria-live": "polite" });
  const compare = async () => {
    try {
      fill(result, changes(await get(`${path("graphs", name)}/diff${query({ from: from.value, to: to.value })}`)));
    } catch (problem) {
      const found = problem.document?.findings ?? [];
      fill(result, h("p", { class: "error" }, problem.message), found.length ? h("ul", {}, found.map(({ message }) => h("li", {}, message))) : null);
    }
  };
  for (const choice of [from, to]) choice.addEventListener("change", compare);
  compare();
  return [looked, h("div", { class: "filters" }, h("label", { for: from.id }, "From"), from, h("label", { for: to.id }, "to"), to), result];
}

function select(id, versions, chosen) {
  const option = ({ digest, served, runs, last }, place) => {
    const began = runs ? `${runs === 1 ? "1 run" : `${runs.toLocaleString()} runs`}, the last ${distance(last)}` : "no runs";
    return h("option", { value: digest, selected: place === chosen }, `${digest.slice(0, SHORT)}${served ? ", served now" : ""}: ${began}`);
  };
  return h("select", { id: `version-${id}` }, versions.map(option));
}

function changes({ changes, counts, bounds }) {
  const of = Object.entries(EFFECTS).filter(([effect]) => counts[effect]);
  const many = changes.length === 1 ? "1 change" : `${changes.length} changes`;
  const words = changes.length ? `${many}: ${of.map(([effect, words]) => `${counts[effect]} ${words}`).join(", ")}.` : "Nothing changed.";
  return [h("p", {}, words), changes.length ? h("ul", { class: "diff" }, changes.map(change), limits(bounds)) : null];
}

function change({ path, graph, message, effect, before, after }) {
  const [word, look] = !before ? ["added", "good"] : !after ? ["removed", "bad"] : ["changed", "waits"];
  return h(
    "li",
    {},
    h("span", { class: `badge ${look}` }, word),
    " ",
    h("code", {}, graph ? `${graph}: ${path}` : path),
    h("div", {}, message, effect === "run" ? null : h("span", { class: "faint" }, ` (${EFFECTS[effect]})`)),
    h("dl", {}, side("was", before), side("is", after)),
  );
}

function side(word, part) {
  if (!part?.text) return null;
  return [h("dt", {}, word), h("dd", {}, h("span", { class: "value" }, text(part.text)), part.at ? h("span", { class: "faint" }, ` ${part.at.file}:${part.at.line}:${part.at.column}`) : null)];
}

/** How the bounds of a run changed. */
function limits({ before, after }) {
  const names = Object.keys({ ...before, ...after });
  const number = (bound) => (bound ? String(bound.number ?? bound.formula) : "no bound");
  const rows = names.filter((name) => number(before?.[name]) !== number(after?.[name]));
  return rows.map((name) => h("li", {}, h("span", { class: "badge waits" }, "changed"), " ", h("code", {}, `bound: ${name.replaceAll("_", " ")}`), h("dl", {}, side("was", { text: number(before?.[name]) }), side("is", { text: number(after?.[name]) }))));
}
