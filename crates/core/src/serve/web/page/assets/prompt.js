// What a model or a tool was told in a call, and what came back.

import { get, path } from "./api.js";
import { fill, h, text } from "./dom.js";
import { dollars, line } from "./format.js";
import { tree } from "./tree.js";

/** Shows a call in a dialog. */
export async function showCall(run, call) {
  const body = h("div", {}, h("p", { class: "faint" }, "…"));
  const dialog = h("dialog", { class: "wide", close: () => dialog.remove(), "aria-label": `The call ${call}` }, h("form", { method: "dialog" }, h("button", { type: "submit" }, "Close")), body);
  document.body.append(dialog);
  dialog.showModal();
  try {
    fill(body, content(await get(path("runs", run, "prompts", call))));
  } catch (problem) {
    fill(body, h("p", { role: "alert" }, problem.message));
  }
}

function content(exchange) {
  const { call, called, resolved = {} } = exchange;
  const { node, role, tool, prompt, messages, args } = called;
  const { result, error, usage } = resolved;
  const cost = Number(usage?.cost);
  return [
    h("h2", {}, tool ? `${node} called ${tool}` : `${node} asked ${role ?? "a model"}`),
    h("p", { class: "faint" }, call, cost ? ` · ${dollars(cost)}` : ""),
    prompt ? [h("h3", {}, "Prompt"), h("pre", {}, text(prompt))] : null,
    messages?.length ? [h("h3", {}, "Messages"), messages.map((message) => [h("h4", {}, message.role), h("pre", {}, text(line(message.content)))])] : null,
    args ? [h("h3", {}, "Arguments"), tree(args)] : null,
    result !== undefined && result !== null ? [h("h3", {}, "Answer"), typeof result === "object" ? tree(result) : h("pre", {}, text(line(result)))] : null,
    error ? [h("h3", {}, "Failed"), h("pre", { class: "error" }, text(line(error)))] : null,
    usage ? [h("h3", {}, "Used"), tree(usage)] : null,
  ];
}
