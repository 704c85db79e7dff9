// The events of a run, folded by the nodes that it came to.

import { h, text } from "./dom.js";
import { dollars, line, span } from "./format.js";
import { tree } from "./tree.js";

/** Words for an event: what happened, in one line. */
const WORDS = {
  started: () => "began",
  called: (event) => (event.tool ? `called ${event.tool}` : `asked the model ${event.role ?? ""}`.trim()),
  resolved: (event) => (event.ok ? "came back" : `failed: ${event.kind ?? event.error?.kind ?? "error"}`),
  late: () => "came back too late",
  asked: (event) => `asked a person: ${event.text}`,
  answered: (event) => `${event.by ?? "a person"} answered ${line(event.answer)}`,
  completed: (event) => (event.writes?.length ? `wrote ${event.writes.map((write) => write.place).join(", ")}` : "done"),
  took: (event) => `went to ${event.to}${event.label ? ` (${event.label})` : ""}`,
  waiting: (event) => `waits until ${event.until}`,
  failed: (event) => `failed: ${event.kind ?? event.error?.kind ?? "error"}`,
  done: (event) => `ended: ${event.outcome}`,
};

function words(event) {
  return (WORDS[event.type] ?? ((other) => other.type.replaceAll("_", " ")))(event);
}

/** The list of visits. What is open in it stays open. */
export class Timeline {
  /** `open` shows what a call was told and what came back. */
  constructor(open) {
    this.open = open;
    this.element = h("ol", { class: "timeline" });
    this.shown = [];
  }

  /** Shows a history, with the step that is looked at. */
  show(history, selected) {
    const { visits } = history;
    for (const { element } of this.shown.splice(visits.length)) element.remove();
    for (const [place, visit] of visits.entries()) {
      const known = this.shown[place];
      const key = `${visit.node} ${visit.step} ${visit.from} ${visit.until} ${visit.events.length}`;
      if (known?.key !== key) {
        const element = item(visit, this.open);
        if (known) {
          const was = known.element.querySelector("details");
          if (was.open && known.node === visit.node) element.querySelector("details").open = true;
          known.element.replaceWith(element);
        } else this.element.append(element);
        this.shown[place] = { key, element, node: visit.node };
      }
      this.shown[place].element.classList.toggle("selected", visit.step === selected);
    }
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
    h("summary", {}, h("span", { class: "step" }, String(visit.step)), " ", h("b", {}, visit.node), about && about !== visit.node ? ` ${about}` : null, " ", h("span", { class: "faint" }, lasted), failed ? " " : null, failed ? h("span", { class: "badge bad" }, "failed") : null),
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
