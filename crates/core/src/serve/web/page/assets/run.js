// A run: its drawing with the way it took, what it waits for, its events, its state, and what it spent; now, or as it was.

import { buttons } from "./acts.js";
import { get, path, Problem, query, watch } from "./api.js";
import { announce, fill, h, refill } from "./dom.js";
import { drawing } from "./drawing.js";
import { moment } from "./format.js";
import { add, back, empty, lastFault, marks, upTo } from "./history.js";
import { shortcut } from "./keys.js";
import { showCall } from "./prompt.js";
import { card, showWatchers } from "./question.js";
import { badge } from "./runs.js";
import { spent } from "./spent.js";
import { faultWords, Timeline } from "./timeline.js";
import { tree } from "./tree.js";

/** How much of a streamed text is shown, in characters. The answer comes as an event. */
const STREAMED = 20_000;

/** How long what came is gathered before it is shown, in milliseconds. */
const GATHERED = 100;

/** How long one must stay at a step before its state is asked for, in milliseconds. */
const STAY = 80;

export async function run(room, [id], { session, signal, go }) {
  const view = new RunView(id, session, go);
  fill(room, view.element);
  await view.load();
  view.listen(signal);
  view.keys(signal);
}

class RunView {
  constructor(id, session, go) {
    this.id = id;
    this.session = session;
    this.go = go;
    this.history = empty();
    this.report = null;
    this.drawn = null;
    // The step that is looked at; null is now.
    this.step = null;
    this.parts = Object.fromEntries(["buttons", "about", "asks", "stream", "picture", "events", "state", "spent"].map((name) => [name, h("div", { class: name })]));
    this.timeline = new Timeline((call) => showCall(this.id, call));
    this.parts.events.append(this.timeline.element);
    this.heading = h("h1");
    this.note = h("p", { class: "note", role: "alert" });
    this.slider = h("input", { type: "range", id: "step", min: "0", max: "0", step: "1", input: () => this.lookAt(Number(this.slider.value)) });
    this.now = h("button", { type: "button", click: () => this.lookAt(null) }, "Now");
    this.where = h("output", { for: "step" });
    const { buttons, about, asks, stream, picture, events, state, spent } = this.parts;
    const watchers = h("p", { class: "watchers", role: "status" });
    const steps = h("div", { class: "steps" }, h("label", { for: "step" }, "Step"), this.slider, this.where, this.now);
    const section = (title, part) => h("details", { class: "panel", open: true }, h("summary", {}, h("h2", {}, title)), part);
    const left = h("div", { class: "left" }, picture, stream, section("Spent", spent));
    const right = h("div", { class: "right" }, section("Events", events), section("State", state));
    const top = h("div", { class: "headline" }, this.heading, buttons);
    this.element = h("div", { class: "run" }, top, watchers, about, this.note, steps, h("div", { class: "columns" }, asks, left, right));
  }

  async load() {
    this.report = await get(path("runs", this.id));
    await this.draw();
    this.paint();
  }

  /** Draws the version of the graph that the run goes by. */
  async draw() {
    const { program, graph, served_as } = this.report;
    if (this.drawnOf === program) return;
    const text = await get(`${path("runs", this.id, "drawing")}${query({ as: "svg" })}`).catch((problem) => {
      if (problem instanceof Problem) return null;
      throw problem;
    });
    this.drawnOf = program;
    this.drawn = text && drawing(text, `The graph ${graph}`);
    const older = served_as ? null : h("p", { class: "faint" }, "This version of the graph is not served any more.");
    fill(this.parts.picture, this.drawn ? [this.drawn.host, older] : h("p", { class: "faint" }, "The graph of this run cannot be drawn here."));
  }

  listen(signal) {
    let waits = null;
    const later = () => {
      waits ??= setTimeout(async () => {
        waits = null;
        this.report = await get(path("runs", this.id)).catch(() => this.report);
        await this.draw();
        if (!signal.aborted) this.paint();
      }, GATHERED);
    };
    const close = watch(`${path("runs", this.id, "events")}`, {
      event: (event) => {
        if (!add(this.history, event)) return;
        fill(this.parts.stream);
        if (event.type === "done") announce(`The run ended: ${event.outcome}`);
        if (event.type === "asked") announce(`The run asks: ${event.text}`);
        later();
      },
      act: (act) => {
        if (act.type === "rolled_back") {
          back(this.history, act.to);
          this.step = null;
        }
        if (act.type === "forked") this.history = empty(act.at_step);
        announce(act.type.replaceAll("_", " "));
        later();
      },
      piece: ({ text }) => this.parts.stream.textContent.length < STREAMED && this.parts.stream.append(text),
      dropped: () => fill(this.parts.stream),
      watchers: ({ watchers }) => showWatchers(this.element, watchers, this.session.name),
    });
    signal.addEventListener("abort", () => (close(), clearTimeout(waits), clearTimeout(this.stays)));
  }

  keys(signal) {
    const first = (part) => () => part.querySelector("button, summary, input, select, textarea")?.focus();
    shortcut("q", "the question of the run", () => this.parts.asks.querySelector(".card")?.focus(), signal);
    shortcut("s", "the step that is shown; arrows lead to others", () => this.slider.focus(), signal);
    shortcut("e", "the last event of the run", () => this.timeline.focus(), signal);
    shortcut("b", "what was spent of its budgets", first(this.parts.spent), signal);
    shortcut("v", "the values of its state", first(this.parts.state), signal);
  }

  lookAt(step) {
    this.step = step === null || step >= this.history.steps ? null : step;
    this.paint();
  }

  paint() {
    const shown = this.step === null ? this.history : upTo(this.history, this.step);
    const ended = this.step === null && this.report.outcome != null;
    this.slider.min = String(this.history.first);
    this.slider.max = String(this.history.steps);
    this.slider.value = String(this.step ?? this.history.steps);
    fill(this.where, this.step === null ? `${this.history.steps}, now` : `${this.step} of ${this.history.steps}`);
    this.now.disabled = this.step === null;
    this.paintHead();
    this.paintQuestions();
    // Where a branch stands no event of it says before it goes on.
    const here = this.step === null && !ended ? this.report.lanes : [];
    this.drawn?.mark([...marks(shown, { ended }), ...here.map(({ graph, node }) => [graph, "node", node, "here"])]);
    this.timeline.show(shown, this.step);
    refill(this.parts.spent, spent(this.report, shown, this.history.steps, (step) => this.lookAt(step)));
    this.paintState();
  }

  paintHead() {
    const { report } = this;
    fill(this.heading, this.id, " ", h("span", { class: `badge ${badge(report)}` }, report.outcome ?? report.status));
    showWatchers(this.element, report.watchers, this.session.name);
    refill(this.parts.buttons, buttons(this));
    refill(
      this.parts.about,
      h("p", { class: "faint" }, h("a", { href: path("graphs", report.served_as ?? report.graph), "data-key": "graph" }, report.graph), report.started ? [" · began ", h("time", { datetime: report.started }, moment(report.started))] : null, report.driver ? " · is being driven" : null),
      report.ok === false ? this.fault() : null,
      report.output ? h("details", { class: "output", open: true }, h("summary", { "data-key": "output" }, "Output"), tree(report.output)) : null,
    );
  }

  /** Says why the run failed: with what it ended, and what failed last on the way there. */
  fault() {
    const { error, outcome } = this.report;
    const last = lastFault(this.history);
    const at = last && h("button", { type: "button", class: "link", "data-key": "fault", click: () => this.lookAt(last.step) }, `step ${last.step}`);
    return h(
      "section",
      { class: "fault", "aria-label": "Why it failed" },
      h("p", {}, error ? `It ended with the error ${faultWords(error)}` : `It ended at ${outcome}.`),
      last && h("p", {}, "What failed last is ", h("b", {}, last.node), " at ", at, `: ${faultWords(last.error)}`),
    );
  }

  paintQuestions() {
    const asks = this.step === null ? (this.report.asks ?? []) : [];
    const known = new Map([...this.parts.asks.children].map((element) => [element.dataset.ask, element]));
    for (const [ask, element] of known) {
      if (asks.some((open) => open.ask === ask)) continue;
      const isHere = element.contains(document.activeElement);
      element.remove();
      if (isHere) this.heading.focus({ preventScroll: true });
    }
    for (const ask of asks) {
      if (known.has(ask.ask)) continue;
      const question = { ...ask, run: this.id, graph: this.report.graph };
      this.parts.asks.append(card(question, { answered: () => this.load(), mayAnswer: this.session.role !== "watch" }));
    }
  }

  /** Shows the state at the step, once one stays there. */
  paintState() {
    clearTimeout(this.stays);
    this.stays = setTimeout(() => this.showState(), STAY);
  }

  async showState() {
    const { step } = this;
    const last = step ?? this.history.steps;
    this.asking?.abort();
    const { signal } = (this.asking = new AbortController());
    const at = path("runs", this.id);
    const asked = [get(`${at}/state${query({ step })}`, { signal }), last > this.history.first ? get(`${at}/diff${query({ from: last - 1, to: step })}`, { signal }) : { changes: [] }];
    const [state, changed] = await Promise.all(asked).catch(() => [null]);
    // Another step may have been asked for meanwhile.
    if (!state || signal.aborted) return;
    const paths = (changed.changes ?? []).map((change) => change.path ?? "");
    const open = new Set([...this.parts.state.querySelectorAll("details[open]:not([data-changed])")].map((details) => details.dataset.path));
    const lanes = state.lanes.map((lane) => {
      const prefix = `/${lane.lane || "root"}/state`;
      const own = paths.filter((path) => path.startsWith(`${prefix}/`)).map((path) => path.slice(prefix.length));
      return [state.lanes.length > 1 ? h("h3", {}, `${lane.graph} ${lane.lane}`) : null, tree(lane.state, new Set(own))];
    });
    refill(this.parts.state, lanes);
    this.parts.state.dataset.step = String(last);
    for (const details of this.parts.state.querySelectorAll("details")) if (open.has(details.dataset.path)) details.open = true;
  }
}
