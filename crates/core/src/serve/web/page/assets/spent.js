// What a run spent: its budgets over its steps, and the dollars of each node.

import { bars, growth } from "./charts.js";
import { h } from "./dom.js";
import { dollars, unitOf } from "./format.js";
import { spentName } from "./history.js";

/** The steps that are named for each budget. */
const NAMED = 3;

/** The charts of a run, of a report and a history up to the step that is looked at. `look` leads to a step. */
export function spent({ lanes, cost }, history, last, look) {
  const budgets = new Map();
  for (const { graph, budgets: own } of lanes ?? []) {
    for (const [name, budget] of Object.entries(own ?? {})) budgets.set(spentName(graph, name), { name, budget });
  }
  const charts = [...budgets].map(([key, { name, budget }]) => chart(name, budget, history.spent.get(key) ?? [], last, look));
  const costs = (cost?.by_node ?? []).map(({ node, usd, calls }) => [node, Number(usd), `${dollars(usd)} in ${calls} calls`]);
  const paid = costs.filter(([, amount]) => amount > 0).sort(([, a], [, b]) => b - a);
  return [charts.length ? h("div", { class: "charts" }, charts) : h("p", { class: "faint" }, "This graph has no budgets."), paid.length ? bars("Cost by node", paid) : null];
}

function chart(name, { limit }, series, last, look) {
  const unit = unitOf(limit);
  const top = limit == null ? null : unit.number(limit);
  const used = series.at(-1)?.total ?? 0;
  const words = `${unit.words(used)}${top === null ? "" : ` of ${unit.words(top)}`}`;
  return h("figure", {}, h("figcaption", {}, h("b", {}, name), ` ${words}`), growth(`${name}: ${words} spent in ${last} steps`, series, top, last), steps(name, series, top, unit, look));
}

/** The steps that took the most, and the one that used a budget up. */
function steps(name, series, limit, unit, look) {
  if (!series.length) return null;
  const up = limit === null ? undefined : series.find(({ total }) => total >= limit);
  const others = series.filter((spend) => spend !== up).sort((a, b) => b.amount - a.amount || a.step - b.step);
  const shown = [up, ...others].filter(Boolean).slice(0, NAMED);
  const row = (spend) =>
    h(
      "li",
      {},
      h("button", { type: "button", class: "link", "data-key": `${name} ${spend.step}`, click: () => look(spend.step) }, `Step ${spend.step}`),
      ` ${spend.node}: ${unit.words(spend.amount)}`,
      spend === up ? h("span", { class: "badge bad" }, "used up") : null,
    );
  return h("ul", { class: "spends" }, shown.map(row));
}
