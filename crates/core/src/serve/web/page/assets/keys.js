// Shortcuts: keys that lead somewhere while nobody types, and the list of them.

import { h } from "./dom.js";

/** The place in the browser that says whether keys are off. Who speaks to a computer may not want single letters to act. */
const OFF = "loopwright-keys-off";

/** What leads from one thing of a view to the next. */
const STOPS = "main [data-stop], main tbody th[scope=row] a";

const known = new Map();

/** Makes a key do something until the view is left; without a view for good. */
export function shortcut(key, words, act, signal) {
  known.set(key, { words, act });
  signal?.addEventListener("abort", () => known.get(key)?.act === act && known.delete(key));
}

/** The keys that work everywhere. */
export function listen() {
  shortcut("j", "the next run, question or event", () => move(1));
  shortcut("k", "the one before", () => move(-1));
  shortcut("?", "this list", help);
  document.addEventListener("keydown", (event) => {
    const isTyped = /^(input|textarea|select)$/i.test(event.target.tagName) && event.target.type !== "range";
    if (isTyped || event.metaKey || event.ctrlKey || event.altKey || document.querySelector("dialog[open]")) return;
    const found = known.get(event.key);
    if (!found || (localStorage.getItem(OFF) && event.key !== "?")) return;
    event.preventDefault();
    found.act();
  });
}

/** The button of the list, for those who know no key yet. */
export function helpButton() {
  return h("button", { type: "button", class: "keys", click: help, "aria-label": "Keys" }, "?");
}

function help() {
  const rows = [...known].map(([key, { words }]) => h("tr", {}, h("th", { scope: "row" }, h("kbd", {}, key)), h("td", {}, words)));
  const off = h("input", { type: "checkbox", id: "keys-off", change: () => (off.checked ? localStorage.setItem(OFF, "1") : localStorage.removeItem(OFF)) });
  off.checked = localStorage.getItem(OFF) !== null;
  const dialog = h(
    "dialog",
    { close: () => dialog.remove(), "aria-labelledby": "keys-title" },
    h("form", { method: "dialog" }, h("h2", { id: "keys-title" }, "Keys"), h("table", {}, h("tbody", {}, rows)), h("div", { class: "field inline" }, off, h("label", { for: "keys-off" }, "Leave single keys alone")), h("div", { class: "buttons" }, h("button", { type: "submit", autofocus: true }, "Close"))),
  );
  document.body.append(dialog);
  dialog.showModal();
}

/** Leads to the next stop after where one is, or to the one before. */
function move(by) {
  const stops = [...document.querySelectorAll(STOPS)].filter((stop) => stop.checkVisibility());
  const here = document.activeElement;
  const own = stops.findIndex((stop) => stop === here || stop.contains(here));
  let next = own + by;
  if (own < 0) {
    // One is between two stops.
    const after = stops.findIndex((stop) => here.compareDocumentPosition(stop) & Node.DOCUMENT_POSITION_FOLLOWING);
    next = by > 0 ? after : (after < 0 ? stops.length : after) - 1;
  }
  stops[next]?.focus();
  stops[next]?.scrollIntoView({ block: "nearest" });
}
