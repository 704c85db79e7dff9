// What waits for people.

import { fill, h } from "./dom.js";
import { card, questions } from "./question.js";

/** How often the inbox is read again, in milliseconds. */
const PAUSE = 3000;

export async function inbox(room, _, { session, signal, count }) {
  const list = h("div", { class: "cards" });
  const empty = h("p", { class: "empty" }, "Nothing waits for you.");
  fill(room, h("h1", {}, "Inbox"), list);
  const shown = new Map();
  const show = async () => {
    const open = await questions();
    if (signal.aborted) return;
    count(open.length);
    const asks = new Set(open.map((question) => key(question)));
    for (const [name, element] of shown) {
      if (!asks.has(name)) {
        element.remove();
        shown.delete(name);
      }
    }
    for (const question of open) {
      if (shown.has(key(question))) continue;
      const answered = (problem) => (problem ? setTimeout(show, 4000) : show());
      const element = card(question, { answered, mayAnswer: session.role !== "watch" });
      shown.set(key(question), element);
      list.append(element);
    }
    if (shown.size === 0) list.append(empty);
    else empty.remove();
  };
  await show();
  list.querySelector("button, input, select, textarea")?.focus();
  const timer = setInterval(() => show().catch(() => {}), PAUSE);
  signal.addEventListener("abort", () => clearInterval(timer));
}

const key = (question) => `${question.run} ${question.ask} ${question.etag ?? ""}`;
