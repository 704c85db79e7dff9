// A drawing of a graph, made by the server. It stands in a room of its own, with its own style sheets.

import { h } from "./dom.js";

const ELEMENTS = new Set(
  "svg g defs marker path rect circle ellipse line polyline polygon text tspan title desc style clipPath filter feDropShadow linearGradient stop".split(" "),
);

const MARKS = `
  :host { display: block; overflow: auto; }
  svg { display: block; height: auto; max-width: max(100%, 40rem); margin-inline: auto; }
  .edge[data-mark~="taken"] > path { stroke: var(--taken); stroke-width: 2.5px; }
  .edge[data-mark~="taken"] > path.head { fill: var(--taken); }
  .node[data-mark~="passed"] > path { stroke: var(--taken); stroke-width: 2.5px; }
  .node[data-mark~="here"] > path { stroke: var(--here); stroke-width: 4px; }
  [data-pale] :is(path, text) { opacity: 0.35; }
`;

/** The drawing in a text. Elements that a drawing does not need are left out, and so is all that acts or leads elsewhere. */
export function drawing(text, label) {
  const parsed = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
  const host = h("div", { class: "drawing", role: "img", tabindex: "0", "aria-label": label });
  const room = host.attachShadow({ mode: "open" });
  const sheets = [sheet(MARKS)];
  if (parsed.localName !== "svg") return { host, mark: () => {}, fade: () => 0 };
  clean(parsed, sheets);
  const root = document.adoptNode(parsed);
  root.setAttribute("aria-hidden", "true");
  room.adoptedStyleSheets = sheets;
  room.append(root);
  let here = null;
  const show = (marks) => {
    mark(root, marks);
    const now = root.querySelector('[data-mark~="here"]');
    // Whoever looks at another part of it is left there until the run has gone on.
    if (now && now !== here) centre(now, [host, host.parentElement]);
    here = now;
  };
  return { host, mark: show, fade: (edges) => fade(root, edges) };
}

/** Scrolls boxes, and nothing around them, so that an element is in their middle. */
function centre(element, boxes) {
  for (const box of boxes.filter(Boolean)) {
    const [inner, outer] = [element.getBoundingClientRect(), box.getBoundingClientRect()];
    box.scrollBy(inner.left + inner.width / 2 - outer.left - outer.width / 2, inner.top + inner.height / 2 - outer.top - outer.height / 2);
  }
}

function sheet(text) {
  const made = new CSSStyleSheet();
  made.replaceSync(text);
  return made;
}

function clean(element, sheets) {
  for (const child of [...element.children]) {
    if (!ELEMENTS.has(child.localName)) child.remove();
    else if (child.localName === "style") {
      sheets.push(sheet(child.textContent));
      child.remove();
    } else clean(child, sheets);
  }
  for (const { name, value } of [...element.attributes]) {
    const leads = /^(xlink:)?href$/i.test(name) || (/url\(/i.test(value) && !/^url\(["']?#[\w.:-]+["']?\)$/.test(value.trim()));
    if (/^on/i.test(name) || (leads && name !== "style")) element.removeAttribute(name);
    else if (name === "style") {
      element.removeAttribute(name);
      // What a style attribute says is not allowed by the policy of the page; what a script sets is.
      if (!/url\(/i.test(value)) element.style.cssText = value;
    }
  }
}

/** Marks nodes and edges: a list of `[graph, "node" or "edge", name, word]`. An element may stand for several of them. */
function mark(root, marks) {
  for (const element of root.querySelectorAll("[data-mark]")) element.removeAttribute("data-mark");
  for (const [graph, kind, name, word] of marks) {
    for (const element of root.querySelectorAll(`[data-graph="${CSS.escape(graph)}"][data-${kind}~="${CSS.escape(String(name))}"]`)) {
      const words = element.dataset.mark;
      element.setAttribute("data-mark", words ? `${words} ${word}` : word);
    }
  }
}

/** Makes arrows pale all of whose edges are among these, which are named `graph/number`. Gives how many these are. */
function fade(root, edges) {
  const ofEdges = (element) => element.dataset.edge.split(" ").map((edge) => `${element.dataset.graph}/${edge}`);
  const pale = [...root.querySelectorAll("[data-edge]")].filter((element) => ofEdges(element).every((edge) => edges.has(edge)));
  for (const element of pale) element.setAttribute("data-pale", "");
  return new Set(pale.map((element) => `${element.dataset.graph}/${element.dataset.edge}`)).size;
}
