// A field with the texts of a graph. What is typed is checked and drawn; where the server allows it, it can be saved.

import { get, path, post, put } from "./api.js";
import { announce, fill, h } from "./dom.js";
import { drawing } from "./drawing.js";
import { finding } from "./findings.js";

/** How long one must not have typed before the text is checked, in milliseconds. */
const PAUSE = 400;

/** The element of an editor, and `jump`, which moves its caret to a place. `saved` is called once a text is saved. */
export function editor(about, { session, saved }) {
  const graph = about.name;
  const typed = { ...about.texts };
  const stored = { ...about.texts };
  const tags = { ...about.editable };
  const mayEdit = session.role === "run" && Object.keys(tags).length > 0;
  const names = [...new Set([about.file, ...Object.keys(tags), ...Object.keys(typed)])].filter((name) => name in typed);
  const area = h("textarea", { class: "code", id: "editor", rows: "24", spellcheck: "false", autocapitalize: "off", wrap: "off" });
  const caption = h("label", { for: "editor" });
  const chosen = h("select", { id: "editor-file", change: () => open(chosen.value) }, names.map((name) => h("option", { value: name }, name)));
  const findings = h("div", { "aria-live": "polite" });
  const picture = h("div", { class: "picture" });
  const note = h("p", { class: "note", role: "alert" });
  const save = h("button", { type: "button", class: "primary", click: () => store() }, "Save");
  let file = about.file;
  let round = 0;
  let waits;

  const open = (name) => {
    file = name;
    chosen.value = name;
    caption.textContent = name;
    area.value = typed[name];
    fill(note);
    update();
    check();
  };
  const update = () => {
    save.disabled = !(file in tags) || same(typed[file], stored[file]);
    save.title = file in tags ? "" : "Only graph files and scenario files in the served folder are saved";
  };
  const jump = (place) => {
    element.open = true;
    if (place.file !== file && place.file in typed) open(place.file);
    caret(area, place);
  };

  const check = async () => {
    const own = ++round;
    const files = typed;
    const scenarios = /\.scenarios\.ya?ml$/.test(file);
    const wanted = scenarios ? post("/test", { files, scenarios: [file] }) : post("/check", { files, graphs: [about.file] });
    const drawn = scenarios ? null : post("/render", { files, graph: about.file, as: "svg" }).catch(() => null);
    const [reply, image] = await Promise.all([wanted, drawn]).catch((problem) => [problem.document ?? { detail: problem.message }, null]);
    if (own !== round) return;
    fill(findings, report(reply, jump));
    if (image) fill(picture, drawing(image.text ?? image, `The graph ${graph} as it is in the editor`).host);
  };

  const store = async () => {
    if (save.disabled) return;
    const [name, text] = [file, typed[file]];
    save.disabled = true;
    try {
      const reply = await put(path("graphs", graph, "texts", name), { text }, { match: tags[name] });
      tags[name] = reply.etag;
      stored[name] = text;
      const words = reply.runnable ? "Saved. New runs go by it, open ones by what they began with." : "Saved, and not run: the graph has errors, or the server has said why on its standard error.";
      fill(note, h("span", { class: reply.runnable ? "good" : "error" }, words));
      announce(words);
      await saved();
    } catch (problem) {
      if (problem.status === 412) await conflict(name, problem);
      else fill(note, problem.message, h("ul", { class: "findings" }, (problem.document?.findings ?? []).map((found) => finding(found, jump))));
    }
    update();
  };

  /** Somebody else saved the file. The person decides which text stays. */
  const conflict = async (name, problem) => {
    const theirs = await get(path("graphs", graph, "texts", name));
    const take = (text) => {
      tags[name] = problem.document.etag;
      stored[name] = theirs;
      typed[name] = text;
      open(name);
      area.focus();
    };
    const mine = typed[name];
    const choose = (words, text) => h("button", { type: "button", click: () => take(text) }, words);
    fill(note, "Somebody has saved another text meanwhile. ", h("span", { class: "buttons" }, choose("Show theirs", theirs), choose("Go on with mine", mine)));
  };

  area.addEventListener("input", () => {
    typed[file] = lineEnds(stored[file], area.value);
    update();
    clearTimeout(waits);
    waits = setTimeout(check, PAUSE);
  });
  area.addEventListener("keydown", (event) => {
    if (!mayEdit || event.key !== "s" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    store();
  });

  const title = mayEdit ? "Edit" : "Try a change";
  const words = mayEdit ? "What you type is checked and drawn. It is stored when you save it." : "What you type is checked and drawn. It is not saved.";
  const left = h("div", { class: "left" }, caption, area, mayEdit ? h("div", { class: "buttons" }, save) : null, note, findings);
  const element = h(
    "details",
    { class: "panel editor", toggle: (event) => event.target.open && round === 0 && check() },
    h("summary", {}, h("h2", {}, title)),
    h("p", { class: "faint" }, words),
    names.length > 1 ? h("div", { class: "filters" }, h("label", { for: "editor-file" }, "File"), chosen) : null,
    h("div", { class: "columns" }, left, h("div", { class: "right" }, picture)),
  );
  caption.textContent = file;
  area.value = typed[file];
  update();
  return { element, jump };
}

const plain = (text) => text.replaceAll("\r\n", "\n");
const same = (one, other) => plain(one) === plain(other);

/** What stands in a field with the line ends that the file has: a field has its own. */
function lineEnds(before, now) {
  return before.includes("\r\n") ? plain(now).replaceAll("\n", "\r\n") : now;
}

/** Moves the caret to a place, and selects what is there. */
function caret(area, { line, column, end }) {
  const lines = area.value.split("\n");
  const at = ({ line, column }) => lines.slice(0, line - 1).reduce((sum, text) => sum + text.length + 1, 0) + [...(lines[line - 1] ?? "")].slice(0, column - 1).join("").length;
  const start = at({ line, column });
  area.focus();
  area.setSelectionRange(start, end?.line === line ? at(end) : start);
  const height = area.scrollHeight / lines.length;
  area.scrollTop = Math.max(0, (line - 1) * height - area.clientHeight / 2);
  area.scrollIntoView({ block: "center" });
}

/** What a check or a test says. */
function report(reply, jump) {
  const played = reply.files?.flatMap((one) => one.scenarios ?? []);
  const found = reply.findings ?? reply.files?.flatMap((one) => one.findings ?? []) ?? [];
  if (found.length) return h("ul", { class: "findings" }, found.map((one) => finding(one, jump)));
  if (reply.detail) return h("pre", {}, reply.detail);
  if (!played) return h("p", { class: "good" }, "Nothing is found.");
  return h("p", { class: reply.failed ? "error" : "good" }, `${reply.passed} passed, ${reply.failed} failed`);
}
