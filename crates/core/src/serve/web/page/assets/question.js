// A question that a run asks a person, and the form that answers it.

import { get, path, post, query } from "./api.js";
import { announce, fill, h, text } from "./dom.js";
import { field, schemaOf } from "./form.js";
import { distance, moment } from "./format.js";
import { tree } from "./tree.js";

/** The most questions that are shown at once. */
const MOST = 200;

let cards = 0;

/** The card of a question. `answered` is called once it is settled, by whomever. */
export function card(question, { answered, mayAnswer, state }) {
  const heading = h("h2", { id: `card-${++cards}` }, h("a", { href: path("runs", question.run) }, question.run), ` · ${question.node}`);
  const about = h(
    "p",
    { class: "faint" },
    question.graph,
    question.at ? [" · asked ", h("time", { datetime: question.at, title: moment(question.at) }, distance(question.at))] : null,
    question.deadline ? [" · expires ", h("time", { datetime: question.deadline, title: moment(question.deadline) }, distance(question.deadline))] : null,
  );
  const watchers = h("p", { class: "watchers", role: "status" });
  const note = h("p", { class: "note", role: "alert" });
  const settle = async (answer) => {
    fill(note);
    try {
      await post(`${path("runs", question.run, "answers", question.ask)}`, { answer }, { match: question.etag });
      announce(`Answered ${question.node} of ${question.run}`);
      answered();
    } catch (problem) {
      fill(note, problem.message);
      if (problem.status === 412 || problem.status === 409 || problem.status === 404) answered(problem);
    }
  };
  const form = mayAnswer ? (question.approve ? approval(question, settle) : answerForm(question, settle)) : h("p", { class: "faint" }, "You may look at this, and not answer it.");
  const seen = state ?? question.state;
  const beside = seen ? h("details", { class: "beside" }, h("summary", {}, "State"), tree(seen)) : null;
  return h("article", { class: "card question", "data-ask": question.ask, "data-stop": "", tabindex: "-1", "aria-labelledby": heading.id }, heading, about, h("div", { class: "text", tabindex: "0", role: "region", "aria-label": "The question" }, text(question.text)), watchers, form, note, beside);
}

/** Says on a card, or the head of a run, who looks at the run besides oneself. */
export function showWatchers(element, names, own) {
  const others = (names ?? []).filter((name) => name !== own);
  const words = others.length ? `Also looking: ${others.join(", ")}` : "";
  const line = element.querySelector(".watchers");
  if (line.textContent !== words) line.textContent = words;
}

/** Few words are buttons; all else is a form. */
function answerForm(question, settle) {
  const options = question.schema?.enum;
  if (options && options.length <= 6) {
    const buttons = options.map((option) => h("button", { type: "button", click: () => settle(option) }, String(option)));
    return h("div", { class: "buttons", role: "group", "aria-label": `Answer to ${question.node}` }, buttons);
  }
  const input = field(question.schema ?? {}, { label: "Answer" });
  return h("form", { submit: (event) => send(event, () => settle(input.read())) }, input.element, h("div", { class: "buttons" }, h("button", { type: "submit", class: "primary" }, "Answer")));
}

/** A call that is to be approved: what it would do in full, and its arguments to change. */
function approval(question, settle) {
  const { tool, args } = question.call;
  const input = field(schemaOf(args), { value: args });
  const change = h("details", {}, h("summary", {}, "Change the arguments"), input.element);
  const answer = () => {
    const given = change.open ? input.read() : args;
    const changed = Object.entries(given).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(args[name]));
    return changed.length ? { approve: question.approve, args: Object.fromEntries(changed) } : { approve: question.approve };
  };
  return h(
    "form",
    { submit: (event) => send(event, () => settle(answer())) },
    h("div", { role: "group", "aria-label": `The arguments of ${tool}` }, tree(args)),
    change,
    h("div", { class: "buttons" }, h("button", { type: "submit", class: "primary" }, "Approve"), h("button", { type: "button", click: () => settle("deny") }, "Deny")),
  );
}

function send(event, act) {
  event.preventDefault();
  try {
    act();
  } catch {
    // The field says what is wrong with it.
  }
}

/** All open questions. */
export async function questions() {
  const all = [];
  let after = null;
  do {
    const page = await get(`/questions${query({ after })}`);
    all.push(...page.questions);
    after = page.next;
  } while (after && all.length < MOST);
  return all;
}
