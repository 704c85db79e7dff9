// What waits for people.

import { path, watch } from "./api.js";
import { fill, h } from "./dom.js";
import { card, questions, showWatchers } from "./question.js";

/** How often the inbox is read again, in milliseconds. */
const PAUSE = 3000;

export async function inbox(room, _, { session, signal, count }) {
  const list = h("div", { class: "cards" });
  const empty = h("p", { class: "empty" }, "Nothing waits for you.");
  const waiting = h("p", { class: "faint" });
  fill(room, h("h1", {}, "Inbox"), waiting, list);
  const shown = new Map();
  const look = looking(signal);
  const show = async () => {
    const open = await questions();
    if (signal.aborted) return;
    count(open.length);
    fill(waiting, open.length ? `${open.length === 1 ? "1 question waits" : `${open.length} questions wait`} for an answer.` : "");
    const asks = new Set(open.map((question) => key(question)));
    for (const [name, element] of shown) {
      if (asks.has(name)) continue;
      leave(element);
      shown.delete(name);
    }
    for (const question of open) {
      let element = shown.get(key(question));
      if (!element) {
        const answered = (problem) => (problem ? setTimeout(show, 4000) : show());
        element = card(question, { answered, mayAnswer: session.role !== "watch" });
        for (const touch of ["keydown", "pointerdown"]) element.addEventListener(touch, () => look(question.run));
        shown.set(key(question), element);
        list.append(element);
      }
      showWatchers(element, question.watchers, session.name);
    }
    if (shown.size === 0) list.append(empty);
    else empty.remove();
  };
  await show();
  list.querySelector(".card")?.focus({ preventScroll: true });
  const timer = setInterval(() => show().catch(() => {}), PAUSE);
  signal.addEventListener("abort", () => clearInterval(timer));
}

const key = (question) => `${question.run} ${question.ask} ${question.etag ?? ""}`;

/** Takes a card away. Whoever was in it is at the one after it. */
function leave(element) {
  const next = element.nextElementSibling ?? element.previousElementSibling;
  const isHere = element.contains(document.activeElement);
  element.remove();
  if (isHere) (next ?? document.querySelector("h1"))?.focus({ preventScroll: true });
}

/** Others see that one looks at a run: at the one whose card was touched last. */
function looking(signal) {
  let run, close;
  signal.addEventListener("abort", () => close?.());
  return (other) => {
    if (other === run || signal.aborted) return;
    close?.();
    run = other;
    close = watch(path("runs", run, "events"), {});
  };
}
