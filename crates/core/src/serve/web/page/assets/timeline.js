// The events of a run, folded by the nodes that it came to.

import { h, text } from "./dom.js";
import { dollars, line, span } from "./format.js";
import { tree } from "./tree.js";

/** Words for an event: what happened, in one line. */
const WORDS = {
  started: () => "began",
  called: (event) => (event.tool ? `called ${event.tool}` : `asked the model ${event.role ?? ""}`.trim()),
  resolved: (event) => (event.ok ? "came back" : `failed: ${faultWords(event.error)}`),
  late: () => "came back too late",
  asked: (event) => `asked a person: ${event.text}`,
  answered: (event) => `${event.by ?? "a person"} answered ${line(event.answer)}`,
  completed: (event) => (event.writes?.length ? `wrote ${event.writes.map((write) => write.place).join(", ")}` : "done"),
  took: (event) => `went to ${event.to}${event.label ? ` (${event.label})` : ""}`,
  waiting: (event) => `waits until ${event.until}`,
  failed: (event) => `failed: ${faultWords(event.error)}`,
  done: (event) => `ended: ${event.outcome}`,
};

/** Words for a fault: its kind, and what was said. */
export function faultWords(error) {
  return [error?.kind ?? "error", error?.message].filter(Boolean).join(": ");
}

function words(event) {
  return (WORDS[event.type] ?? ((other) => other.type.replaceAll("_", " ")))(event);
}

/** The visits that are shown at once, and by how many more each time earlier ones are wanted. */
const SHOWN = 200;

/** The list of visits: the last of them. What is open in it stays open. */
export class Timeline {
  /** `open` shows what a call was told and what came back. */
  constructor(open) {
    this.open = open;
    this.list = h("ol", { class: "timeline" });
    this.earlier = h("button", { type: "button", class: "link", hidden: true, click: () => this.showEarlier() });
    this.element = h("div", {}, this.earlier, this.list);
    // The places that are shown, each with what was shown there.
    this.shown = new Map();
    this.wanted = SHOWN;
  }

  /** Shows a history, with the step that is looked at. */
  show(history, selected) {
    const { visits } = history;
    this.history = history;
    this.selected = selected;
    const from = Math.max(0, visits.length - this.wanted);
    const isAtEnd = this.list.scrollTop + this.list.clientHeight >= this.list.scrollHeight - 4;
    for (const [place, { element }] of this.shown) {
      if (place >= from && place < visits.length) continue;
      element.remove();
      this.shown.delete(place);
    }
    let before = null;
    for (let place = visits.length - 1; place >= from; place -= 1) before = this.showVisit(visits[place], place, before);
    this.earlier.hidden = from === 0;
    this.earlier.textContent = `${from.toLocaleString("en")} earlier ones: show ${Math.min(from, SHOWN)} of them`;
    if (isAtEnd || selected !== null) this.list.scrollTop = this.list.scrollHeight;
  }

  /** Shows a visit before an element that is there already. */
  showVisit(visit, place, before) {
    const known = this.shown.get(place);
    const key = `${visit.node} ${visit.step} ${visit.from} ${visit.until} ${visit.events.length}`;
    let element = known?.element;
    if (known?.key !== key) {
      element = item(visit, this.open);
      if (known) {
        const [was, now] = [known.element, element].map((item) => item.querySelector("details"));
        now.open = was.open && known.node === visit.node;
        const isHere = known.element.contains(document.activeElement);
        known.element.replaceWith(element);
        if (isHere) now.querySelector("summary").focus({ preventScroll: true });
      } else this.list.insertBefore(element, before);
      this.shown.set(place, { key, element, node: visit.node });
    }
    element.classList.toggle("selected", visit.step === this.selected);
    return element;
  }

  showEarlier() {
    this.wanted += SHOWN;
    const first = this.list.firstElementChild;
    const height = this.list.scrollHeight;
    this.show(this.history, this.selected);
    // What was looked at stays where it is.
    this.list.scrollTop += this.list.scrollHeight - height;
    first?.querySelector("summary").focus({ preventScroll: true });
  }

  /** Puts whoever reads at the last visit. */
  focus() {
    this.list.lastElementChild?.querySelector("summary").focus();
  }
}

function item(visit, open) {
  const lasted = visit.until ? span((Date.parse(visit.until) - Date.parse(visit.from)) / 1000) : "here";
  const call = visit.events.find((event) => event.type === "called");
  const about = call ? (call.tool ?? call.role) : null;
  const failed = visit.events.some((event) => event.type === "failed" || (event.type === "resolved" && !event.ok));
  const events = h("ul", { class: "events" });
  const details = h(
    "details",
    { toggle: () => details.open && !events.firstChild && events.append(...visit.events.map((event) => entry(event, open))) },
    h("summary", { "data-stop": "" }, h("span", { class: "step" }, String(visit.step)), " ", h("b", {}, visit.node), about && about !== visit.node ? ` ${about}` : null, " ", h("span", { class: "faint" }, lasted), failed ? " " : null, failed ? h("span", { class: "badge bad" }, "failed") : null),
    events,
  );
  return h("li", { "data-step": String(visit.step) }, details);
}

function entry(event, open) {
  const parts = [h("span", { class: "what" }, text(words(event)))];
  if (Number(event.usage?.cost)) parts.push(" ", h("span", { class: "faint" }, dollars(event.usage.cost)));
  if (event.call && event.type === "called") parts.push(" ", h("button", { type: "button", class: "link", click: () => open(event.call) }, "show"));
  else if (event.type !== "entered") parts.push(h("details", { class: "raw" }, h("summary", {}, "all of it"), tree(event)));
  return h("li", {}, parts);
}
