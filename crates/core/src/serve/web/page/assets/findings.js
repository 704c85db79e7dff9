// Findings, and places in texts.

import { h } from "./dom.js";

/** A place in a text as people write it. `jump` moves the editor's caret there. */
export function placeLink(place, jump) {
  const { file, line, column } = place;
  const words = `${file}:${line}:${column}`;
  return h("button", { type: "button", class: "link place", title: "Show it in the editor", click: () => jump(place) }, words);
}

/** The place in words such as `talk.yaml:7:3`. */
export function placeOf(words) {
  const [, file, line, column] = words.match(/^(.*):(\d+):(\d+)$/) ?? [];
  return file && { file, line: Number(line), column: Number(column) };
}

/** A finding, with a link to its place. */
export function finding(found, jump) {
  const { severity, rule, message } = found;
  return h("li", { class: severity }, h("span", { class: "badge" }, rule ?? severity), ` ${message} `, placeLink(found, jump));
}
