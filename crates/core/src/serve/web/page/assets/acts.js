// What a person does with a run besides answering it.

import { get, path, post, query, tagOf } from "./api.js";
import { fill, h } from "./dom.js";

/** The buttons for a run: those that fit its state and the role of whoever looks. `view` is the run's. */
export function buttons(view) {
  const { id, report, session } = view;
  const at = path("runs", id);
  const mayRun = session.role === "run";
  const isOpen = report.outcome == null;
  const stands = ["interrupted", "ready", "running"].includes(report.status) && !report.driver;
  const step = view.step ?? view.history.steps;
  const cancel = () =>
    ask(view, { title: "Cancel this run", words: "It ends; its graph may still clean up.", button: "Cancel the run", fields: { reason: "" }, act: (body) => post(`${at}/cancel`, body) });
  const fork = () =>
    ask(view, {
      title: "Fork this run",
      words: `A new run begins as this one was after step ${step}.`,
      button: "Fork",
      fields: { run: `${id}-fork` },
      act: (body) => post(`${at}/fork`, { ...body, at: step }),
      then: (made) => view.go(path("runs", made.run)),
    });
  const act = (is, name, does) => is && h("button", { type: "button", "data-key": name, click: does }, name);
  return [
    act(isOpen && mayRun && stands, "Go on", async () => (await post(`${at}/resume`), view.load())),
    act(isOpen && mayRun, "Cancel…", cancel),
    act(mayRun, "Go back…", () => goBack(view, at)),
    act(mayRun, "Fork…", fork),
    act(!isOpen || report.status === "waiting", "Save as scenario", () => save(view, at)),
  ];
}

async function goBack(view, at) {
  const to = view.step ?? Math.max(0, view.history.steps - 1);
  const plan = await get(`${at}/rollback${query({ to })}`).catch(() => null);
  const stays = plan?.left.filter((call) => !call.undone).map((call) => call.call) ?? [];
  const words = stays.length ? `What cannot be undone: ${stays.join(", ")}` : "All that was done since can be undone, or needs no undoing.";
  ask(view, { title: `Go back to step ${to}`, words, button: "Go back", act: () => post(`${at}/rollback`, { to }, { match: tagOf(view.report) ?? "*" }) });
}

/** Hands the run out as a scenario file. */
async function save(view, at) {
  fill(view.note);
  try {
    const text = await get(`${at}/scenario`);
    const link = h("a", { href: URL.createObjectURL(new Blob([text], { type: "application/yaml" })), download: `${view.id}.scenarios.yaml` });
    link.click();
    // The browser has taken it by then.
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  } catch (problem) {
    fill(view.note, problem.message);
  }
}

/** Asks in a dialog for what an act needs. */
function ask(view, { title, words, button, fields = {}, act, then = () => view.load() }) {
  const inputs = Object.entries(fields).map(([name, value]) => [name, h("input", { name, id: `ask-${name}`, value, required: true })]);
  const note = h("p", { class: "note", role: "alert" });
  const submit = async (event) => {
    event.preventDefault();
    try {
      const done = await act(Object.fromEntries(inputs.map(([name, input]) => [name, input.value])));
      dialog.close();
      then(done);
    } catch (problem) {
      fill(note, problem.message);
    }
  };
  const dialog = h(
    "dialog",
    { close: () => dialog.remove(), "aria-labelledby": "ask-title" },
    h(
      "form",
      { method: "dialog", submit },
      h("h2", { id: "ask-title" }, title),
      h("p", {}, words),
      inputs.map(([name, input]) => h("div", { class: "field" }, h("label", { for: input.id }, name), input)),
      note,
      h("div", { class: "buttons" }, h("button", { type: "submit", class: "primary" }, button), h("button", { type: "button", click: () => dialog.close() }, "Leave it")),
    ),
  );
  document.body.append(dialog);
  dialog.showModal();
}
