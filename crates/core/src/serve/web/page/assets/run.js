// A run: its drawing with the way it took, what it waits for, its events, its state, and what it spent; now, or as it was.

import { get, path, Problem, post, query, tagOf, watch } from "./api.js";
import { bars, spent } from "./charts.js";
import { announce, fill, h } from "./dom.js";
import { drawing } from "./drawing.js";
import { dollars, moment } from "./format.js";
import { add, back, empty, marks, upTo } from "./history.js";
import { showCall } from "./prompt.js";
import { card } from "./question.js";
import { badge } from "./runs.js";
import { Timeline } from "./timeline.js";
import { tree } from "./tree.js";

/** How much of a streamed text is shown, in characters. The answer comes as an event. */
const STREAMED = 20_000;

export async function run(room, [id], { session, signal, go }) {
  const view = new RunView(id, session, go);
  fill(room, view.element);
  await view.load();
  view.listen(signal);
}

class RunView {
  constructor(id, session, go) {
    this.id = id;
    this.session = session;
    this.go = go;
    this.history = empty();
    this.report = null;
    this.drawn = null;
    // The first step that it has; that of a branch is where it was forked.
    this.first = 0;
    // The step that is looked at; null is now.
    this.step = null;
    this.parts = Object.fromEntries(["head", "asks", "stream", "picture", "events", "state", "spent"].map((name) => [name, h("div", { class: name })]));
    this.timeline = new Timeline((call) => showCall(this.id, call));
    this.parts.events.append(this.timeline.element);
    this.slider = h("input", { type: "range", id: "step", min: "0", max: "0", step: "1", input: () => this.lookAt(Number(this.slider.value)) });
    this.now = h("button", { type: "button", click: () => this.lookAt(null) }, "Now");
    this.where = h("output", { for: "step" });
    const { head, asks, stream, picture, events, state, spent } = this.parts;
    const steps = h("div", { class: "steps" }, h("label", { for: "step" }, "Step"), this.slider, this.where, this.now);
    const section = (title, part, open = true) => h("details", { class: "panel", open }, h("summary", {}, h("h2", {}, title)), part);
    this.element = h("div", { class: "run" }, head, asks, steps, h("div", { class: "columns" }, h("div", { class: "left" }, picture, stream, section("Spent", spent)), h("div", { class: "right" }, section("Events", events), section("State", state))));
  }

  async load() {
    this.report = await get(path("runs", this.id));
    await this.draw();
    this.paint();
  }

  async draw() {
    const name = this.report.served_as;
    const asked = name && get(`${path("graphs", name, "drawing")}${query({ as: "svg" })}`);
    const text = await Promise.resolve(asked).catch((problem) => {
      if (problem instanceof Problem) return null;
      throw problem;
    });
    this.drawn = text && drawing(text, `The graph ${this.report.graph}`);
    fill(this.parts.picture, this.drawn ? this.drawn.host : h("p", { class: "faint" }, name ? "This program draws no pictures." : "The graph of this run is not among those that are served."));
  }

  listen(signal) {
    let waits = null;
    const later = () => {
      waits ??= setTimeout(async () => {
        waits = null;
        this.report = await get(path("runs", this.id)).catch(() => this.report);
        this.paint();
      }, 100);
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
        if (act.type === "rolled_back") back(this.history, act.to);
        if (act.type === "forked") this.history.steps = this.first = act.at_step;
        announce(act.type.replaceAll("_", " "));
        later();
      },
      piece: ({ text }) => this.parts.stream.textContent.length < STREAMED && this.parts.stream.append(text),
      dropped: () => fill(this.parts.stream),
    });
    signal.addEventListener("abort", () => (close(), clearTimeout(waits)));
  }

  lookAt(step) {
    this.step = step === null || step >= this.history.steps ? null : step;
    this.paint();
  }

  paint() {
    const shown = this.step === null ? this.history : upTo(this.history, this.step);
    const ended = this.step === null && this.report.outcome != null;
    this.slider.min = String(this.first);
    this.slider.max = String(this.history.steps);
    if (this.step === null) this.slider.value = this.slider.max;
    fill(this.where, this.step === null ? `${this.history.steps}, now` : `${this.step} of ${this.history.steps}`);
    this.now.disabled = this.step === null;
    this.paintHead();
    this.paintQuestions();
    this.drawn?.mark(marks(shown, { ended }));
    this.timeline.show(shown, this.step);
    this.paintSpent(shown);
    this.paintState();
  }

  paintHead() {
    const { report } = this;
    const act = (name, does) => h("button", { type: "button", click: does }, name);
    const mayRun = this.session.role === "run";
    const open = report.outcome == null;
    const others = (report.watchers ?? []).filter((name) => name !== this.session.name);
    const stands = open && mayRun && ["interrupted", "ready", "running"].includes(report.status) && !report.driver;
    const buttons = [
      stands && act("Go on", async () => (await post(path("runs", this.id, "resume")), this.load())),
      open && mayRun && act("Cancel…", () => this.ask("Cancel this run", "It ends; its graph may still clean up.", "Cancel the run", { reason: "" }, (body) => post(path("runs", this.id, "cancel"), body))),
      mayRun && act("Go back…", () => this.goBack()),
      mayRun && act("Fork…", () => this.ask("Fork this run", `A new run begins as this one was after step ${this.step ?? this.history.steps}.`, "Fork", { run: `${this.id}-fork` }, (body) => post(path("runs", this.id, "fork"), { ...body, at: this.step ?? this.history.steps }), (made) => this.go(path("runs", made.run)))),
    ];
    fill(
      this.parts.head,
      h("h1", {}, this.id, " ", h("span", { class: `badge ${badge(report)}` }, report.outcome ?? report.status)),
      h("p", { class: "faint" }, h("a", { href: path("graphs", report.graph) }, report.graph), report.started ? ` · began ${moment(report.started)}` : "", report.driver ? " · is being driven" : ""),
      others.length ? h("p", { class: "watchers" }, `Also looking: ${others.join(", ")}`) : null,
      report.error ? h("pre", { class: "error" }, report.error.message ?? String(report.error)) : null,
      report.output ? h("details", { class: "output", open: true }, h("summary", {}, "Output"), tree(report.output)) : null,
      h("div", { class: "buttons" }, buttons),
    );
  }

  paintQuestions() {
    const asks = this.step === null ? (this.report.asks ?? []) : [];
    const known = new Map([...this.parts.asks.children].map((element) => [element.dataset.ask, element]));
    for (const [ask, element] of known) if (!asks.some((open) => open.ask === ask)) element.remove();
    for (const ask of asks) {
      if (known.has(ask.ask)) continue;
      const question = { ...ask, run: this.id, graph: this.report.graph };
      this.parts.asks.append(card(question, { answered: () => this.load(), mayAnswer: this.session.role !== "watch" }));
    }
  }

  paintSpent(shown) {
    const budgets = this.report.lanes?.[0]?.budgets ?? {};
    const names = new Set([...Object.keys(budgets), ...shown.spent.keys()]);
    const charts = [...names].map((name) => spent(name, shown.spent.get(name) ?? [], budgets[name]?.limit, this.history.steps));
    const costs = (this.report.cost?.by_node ?? []).map(({ node, usd, calls }) => [node, Number(usd), `${dollars(Number(usd))} in ${calls} calls`]).filter(([, cost]) => cost > 0);
    costs.sort(([, a], [, b]) => b - a);
    fill(this.parts.spent, charts.length ? h("div", { class: "charts" }, charts) : h("p", { class: "faint" }, "This graph has no budgets."), costs.length ? bars("Cost by node", costs) : null);
  }

  async paintState() {
    const { step } = this;
    const last = step ?? this.history.steps;
    this.stateOf = step;
    const at = path("runs", this.id);
    const [state, changed] = await Promise.all([get(`${at}/state${query({ step })}`), last > this.first ? get(`${at}/diff${query({ from: last - 1, to: step })}`) : { changes: [] }]).catch(() => [null]);
    // Another step may have been asked for meanwhile.
    if (!state || this.stateOf !== step) return;
    const paths = (changed.changes ?? []).map((change) => change.path ?? "");
    const lanes = state.lanes.map((lane) => {
      const prefix = `/${lane.lane || "root"}/state`;
      const own = paths.filter((path) => path.startsWith(`${prefix}/`)).map((path) => path.slice(prefix.length));
      return [state.lanes.length > 1 ? h("h3", {}, `${lane.graph} ${lane.lane}`) : null, tree(lane.state, new Set(own))];
    });
    fill(this.parts.state, lanes);
  }

  async goBack() {
    const to = this.step ?? Math.max(0, this.history.steps - 1);
    const plan = await get(`${path("runs", this.id)}/rollback${query({ to })}`).catch(() => null);
    const stays = plan?.left.filter((call) => !call.undone).map((call) => call.call) ?? [];
    const words = stays.length ? `What cannot be undone: ${stays.join(", ")}` : "All that was done since can be undone, or needs no undoing.";
    this.ask(`Go back to step ${to}`, words, "Go back", {}, () => post(path("runs", this.id, "rollback"), { to }, { match: tagOf(this.report) ?? "*" }));
  }

  /** Asks for what an act needs, in a dialog. */
  ask(title, words, button, fields, act, then = () => this.load()) {
    const inputs = Object.entries(fields).map(([name, value]) => [name, h("input", { name, id: `ask-${name}`, value, required: true })]);
    const note = h("p", { class: "note", role: "alert" });
    const dialog = h(
      "dialog",
      { close: () => dialog.remove(), "aria-labelledby": "ask-title" },
      h("form", { method: "dialog", submit: async (event) => {
        event.preventDefault();
        try {
          const done = await act(Object.fromEntries(inputs.map(([name, input]) => [name, input.value])));
          dialog.close();
          then(done);
        } catch (problem) {
          fill(note, problem.message);
        }
      } }, h("h2", { id: "ask-title" }, title), h("p", {}, words), inputs.map(([name, input]) => h("div", { class: "field" }, h("label", { for: input.id }, name), input)), note, h("div", { class: "buttons" }, h("button", { type: "submit", class: "primary" }, button), h("button", { type: "button", click: () => dialog.close() }, "Leave it"))),
    );
    document.body.append(dialog);
    dialog.showModal();
  }
}
