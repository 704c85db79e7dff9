// A field with the text of a graph, which is checked and drawn anew as one types. Nothing is saved by it.

import { post } from "./api.js";
import { fill, h } from "./dom.js";
import { drawing } from "./drawing.js";

/** How long one must not have typed before the text is checked, in milliseconds. */
const PAUSE = 400;

export function editor(id, { texts, file }) {
  const area = h("textarea", { class: "code", id: "editor", rows: "24", spellcheck: "false", autocapitalize: "off" });
  area.value = texts[file];
  const findings = h("div", { "aria-live": "polite" });
  const picture = h("div", { class: "picture" });
  let round = 0;
  const check = async () => {
    const own = ++round;
    const files = { ...texts, [file]: area.value };
    const [checked, drawn] = await Promise.all([post("/check", { files, graphs: [file] }), post("/render", { files, graph: file, as: "svg" }).catch(() => null)]).catch((problem) => [problem.document ?? { detail: problem.message }, null]);
    if (own !== round) return;
    fill(findings, report(checked));
    if (drawn) fill(picture, drawing(drawn.text ?? drawn, `The graph ${id} as it is in the editor`).host);
  };
  let waits;
  area.addEventListener("input", () => {
    clearTimeout(waits);
    waits = setTimeout(check, PAUSE);
  });
  return h("details", { class: "panel", toggle: (event) => event.target.open && round === 0 && check() }, h("summary", {}, h("h2", {}, "Try a change")), h("p", { class: "faint" }, "What you type is checked and drawn. It is not saved."), h("label", { for: "editor" }, file), h("div", { class: "columns" }, h("div", { class: "left" }, area, findings), h("div", { class: "right" }, picture)));
}

function report(checked) {
  const found = checked.findings ?? [];
  if (!found.length && !checked.detail) return h("p", { class: "good" }, "Nothing is found.");
  if (!found.length) return h("pre", {}, checked.detail);
  return h("ul", { class: "findings" }, found.map(({ severity, rule, message, line, column }) => h("li", { class: severity }, h("span", { class: "badge" }, rule ?? severity), ` ${line}:${column} ${message}`)));
}
