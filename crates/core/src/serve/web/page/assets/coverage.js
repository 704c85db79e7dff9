// What the scenarios of a graph take of it.

import { h } from "./dom.js";
import { placeLink, placeOf } from "./findings.js";

/** The edges that no scenario takes, as names `graph/number`. */
export function untaken({ scenarios }) {
  const missed = scenarios?.coverage?.missed ?? [];
  return new Set(missed.filter(({ part }) => part === "edge").map(({ graph, edge }) => `${graph}/${edge}`));
}

/** The scenarios, and what none of them takes. */
export function coverage({ scenarios, scenarios: { failed, files = [], coverage } = {} }, jump) {
  if (!scenarios) return null;
  const all = files.flatMap((file) => file.scenarios ?? []);
  const found = files.flatMap((file) => file.findings ?? []);
  const row = ({ name, passed, faults = [] }) => h("li", {}, h("span", { class: `badge ${passed ? "good" : "bad"}` }, passed ? "passed" : "failed"), ` ${name}`, faults.map((fault) => h("div", { class: "faint" }, fault.message, " ", place(fault.at, jump))));
  const missed = (coverage?.missed ?? []).filter(({ part }) => part === "edge");
  return [
    h("h2", {}, "Scenarios"),
    typeof failed === "string" ? h("p", { class: "error" }, `They cannot be played: ${failed}`) : null,
    found.length ? h("ul", { class: "findings" }, found.map(({ severity, message, ...at }) => h("li", { class: severity }, `${message} `, placeLink(at, jump)))) : null,
    all.length ? h("ul", { class: "scenarios" }, all.map(row)) : null,
    coverage ? h("p", {}, `They take ${share(coverage.edges, "edges")} and enter ${share(coverage.nodes, "nodes")}.`) : null,
    missed.length ? [h("h3", {}, "Edges that no scenario takes"), h("ul", { class: "missed" }, missed.map(({ name, at }) => h("li", {}, h("code", {}, name), " ", place(at, jump))))] : null,
  ];
}

const share = ({ taken, all }, name) => `${taken} of ${all} ${name}`;

function place(words, jump) {
  const at = placeOf(words);
  return at ? placeLink(at, jump) : words;
}
