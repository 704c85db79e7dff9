// Small charts. Each is a table for those who do not see it.

import { h, svg } from "./dom.js";

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

/** A budget as it was spent, beside its limit: `series` are `{step, total}`. */
export function spent(name, series, limit, last) {
  const used = series.at(-1)?.total ?? 0;
  const top = Math.max(limit ?? 0, used, 1);
  const x = (step) => (last ? (step / last) * WIDTH : 0);
  const y = (amount) => HEIGHT - (amount / top) * (HEIGHT - 4) - 2;
  let d = `M 0 ${y(0)}`;
  for (const { step, total } of series) d += ` H ${x(step)} V ${y(total)}`;
  d += ` H ${WIDTH}`;
  const words = `${used}${limit == null ? "" : ` of ${limit}`}`;
  const drawn = svg(
    "svg",
    { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "line-chart", role: "img", "aria-label": `${name}: ${words} spent in ${last} steps` },
    ...(limit == null ? [] : [svg("line", { class: "limit", x1: 0, x2: WIDTH, y1: y(limit), y2: y(limit) })]),
    svg("path", { class: "spent", d }),
  );
  return h("figure", {}, h("figcaption", {}, h("b", {}, name), ` ${words}`), drawn);
}

/** A budget as a small bar with its numbers. */
export function meter(name, { used, limit }) {
  if (limit == null) return h("span", { class: "meter" }, `${name} ${used}`);
  const inner = h("span", { class: used >= limit ? "bar-fill full" : "bar-fill" });
  inner.style.width = `${limit ? Math.min(100, (100 * used) / limit) : 100}%`;
  return h("span", { class: "meter" }, h("span", { class: "bar small", "aria-hidden": "true" }, inner), ` ${name} ${used}/${limit}`);
}
