// Small charts. Each is a table for those who do not see it.

import { h, svg } from "./dom.js";
import { unitOf } from "./format.js";

const WIDTH = 320;
const HEIGHT = 80;

/** Bars of one amount each: `rows` are `[name, amount, words]`. */
export function bars(caption, rows) {
  const most = Math.max(...rows.map(([, amount]) => amount), 0);
  const bar = (amount) => {
    const inner = h("span", { class: "bar-fill" });
    inner.style.width = `${most ? (100 * amount) / most : 0}%`;
    return h("span", { class: "bar", "aria-hidden": "true" }, inner);
  };
  return h(
    "table",
    { class: "chart" },
    h("caption", {}, caption),
    h("tbody", {}, rows.map(([name, amount, words]) => h("tr", {}, h("th", { scope: "row" }, name), h("td", { class: "wide" }, bar(amount)), h("td", { class: "number" }, words)))),
  );
}

/** An amount that grows by steps, beside its limit: `series` are `{step, total}`. `words` says what it shows. */
export function growth(words, series, limit, last) {
  const top = Math.max(limit ?? 0, series.at(-1)?.total ?? 0, 1);
  const x = (step) => Math.round(last ? (step / last) * WIDTH : 0);
  const y = (amount) => HEIGHT - (amount / top) * (HEIGHT - 4) - 2;
  // Of what lies in one column the last is seen.
  const columns = new Map(series.map(({ step, total }) => [x(step), total]));
  const d = [...columns].map(([column, total]) => ` H ${column} V ${y(total)}`).join("");
  return svg(
    "svg",
    { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "line-chart", role: "img", preserveAspectRatio: "none", "aria-label": words },
    ...(limit == null ? [] : [svg("line", { class: "limit", x1: 0, x2: WIDTH, y1: y(limit), y2: y(limit) })]),
    svg("path", { class: "spent", d: `M 0 ${y(0)}${d} H ${WIDTH}` }),
  );
}

/** A budget as a small bar with its numbers. */
export function meter(name, { used, limit }) {
  const unit = unitOf(limit ?? used);
  const [spent, top] = [unit.number(used), limit == null ? null : unit.number(limit)];
  if (top === null) return h("span", { class: "meter" }, `${name} ${unit.words(spent)}`);
  const inner = h("span", { class: spent >= top ? "bar-fill full" : "bar-fill" });
  inner.style.width = `${top ? Math.min(100, (100 * spent) / top) : 100}%`;
  return h("span", { class: "meter" }, h("span", { class: "bar small", "aria-hidden": "true" }, inner), ` ${name} ${unit.words(spent)} of ${unit.words(top)}`);
}

/**
 * An amount of each of several things, as bars that lead to them: `rows` are `{href, amount, label, kind}`, `words` says an amount. Whoever
 * does not see it has the summary, and the table of the same things beside it.
 */
export function amounts(name, rows, words) {
  const all = rows.map(({ amount }) => amount);
  const most = Math.max(...all);
  const width = WIDTH / Math.max(rows.length, 12);
  const mean = all.reduce((sum, amount) => sum + amount, 0) / all.length;
  const bar = ({ href, amount, label, kind }, place) => {
    const height = Math.max(1, most ? (amount / most) * (HEIGHT - 4) : 1);
    const at = { x: place * width + width * 0.1, width: width * 0.8 };
    const link = svg("a", { href, tabindex: "-1" }, svg("rect", { ...at, class: "reach", y: 0, height: HEIGHT }), svg("rect", { ...at, class: `amount ${kind}`, y: HEIGHT - height, height }));
    const title = svg("title");
    title.textContent = label;
    link.prepend(title);
    return link;
  };
  const drawn = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "line-chart", preserveAspectRatio: "none", "aria-hidden": "true" }, ...rows.map(bar));
  const summary = rows.length === 1 ? words(most) : `${words(Math.round(mean * 1e4) / 1e4 >= 10 ? Math.round(mean) : Math.round(mean * 100) / 100)} on average, ${words(most)} at most`;
  return h("figure", {}, h("figcaption", {}, h("b", {}, name), ` ${summary}`), drawn);
}
