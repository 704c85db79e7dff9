// A value as a tree that opens and closes, with what has changed in it.

import { h, text } from "./dom.js";
import { line } from "./format.js";

/** How many items of a list or fields of a map are shown at once. */
const SHOWN = 50;

/** The fields of a value. `changed` holds the paths that the last step changed, as `/a/b/2`. */
export function tree(value, changed = new Set(), path = "") {
  const entries = Array.isArray(value)
    ? value.map((item, place) => [`[${place}]`, item, `${path}/${place}`])
    : Object.entries(value).map(([name, item]) => [name, item, `${path}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`]);
  if (entries.length === 0) return h("p", { class: "faint" }, "nothing");
  const rows = entries.slice(0, SHOWN).map(([name, item, at]) => h("li", {}, row(name, item, at, changed)));
  if (entries.length > SHOWN) {
    const more = h("button", { type: "button", class: "link", click: () => more.parentElement.replaceWith(...rest()) }, `${entries.length - SHOWN} more`);
    const rest = () => entries.slice(SHOWN).map(([name, item, at]) => h("li", {}, row(name, item, at, changed)));
    rows.push(h("li", {}, more));
  }
  return h("ul", { class: "tree" }, rows);
}

function row(name, value, path, changed) {
  const isChanged = [...changed].some((other) => other === path || other.startsWith(`${path}/`));
  const mark = isChanged ? h("span", { class: "badge changed" }, "changed") : null;
  if (value !== null && typeof value === "object") {
    const size = Array.isArray(value) ? `${value.length} items` : `${Object.keys(value).length} fields`;
    const inner = h("div");
    const toggle = () => {
      if (details.open && !inner.firstChild) inner.append(tree(value, changed, path));
    };
    const details = h("details", { toggle, "data-path": path, "data-changed": isChanged }, h("summary", {}, h("b", {}, name), " ", h("span", { class: "faint" }, size), " ", mark), inner);
    details.open = isChanged;
    if (isChanged) inner.append(tree(value, changed, path));
    return details;
  }
  return [h("b", {}, name), " ", value === "" ? h("span", { class: "faint" }, "empty") : h("span", { class: "value" }, text(line(value))), " ", mark];
}
