// Elements from texts. A text of a model, a tool or a person only ever becomes the text of an element.

/** An element with attributes and children. A child that is no element becomes text; null and false are left out. */
export function h(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  set(element, attributes);
  element.append(...children.flat(Infinity).filter((child) => child != null && child !== false && child !== true));
  return element;
}

/** An element of a drawing. */
export function svg(name, attributes = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

function set(element, attributes) {
  for (const [key, value] of Object.entries(attributes)) {
    if (value == null || value === false) continue;
    if (typeof value === "function") element.addEventListener(key, value);
    else if (key === "class") element.className = value;
    else if (key in element && typeof value !== "string") element[key] = value;
    else element.setAttribute(key, value === true ? "" : value);
  }
}

/** Puts new children into an element in place of those that are there. */
export function fill(element, ...children) {
  element.replaceChildren(...children.flat(Infinity).filter((child) => child != null && child !== false));
}

/** As `fill`. Whoever was at a child with a `data-key` is at the new one that has it. */
export function refill(element, ...children) {
  const here = element.contains(document.activeElement) ? document.activeElement.dataset.key : undefined;
  fill(element, ...children);
  if (here !== undefined) element.querySelector(`[data-key="${CSS.escape(here)}"]`)?.focus({ preventScroll: true });
}

/** Says something to those who do not see the page. */
export function announce(text) {
  const region = document.getElementById("announcements");
  region.textContent = "";
  // A region that is filled anew with the same text would say nothing.
  setTimeout(() => (region.textContent = text.slice(0, 300)), 50);
}

/** How much of a text is shown until somebody wants all of it, in characters. */
const SHOWN = 10_000;

/** A text; of a very long one the beginning, and a button for the rest. */
export function text(whole) {
  if (whole.length <= SHOWN) return whole;
  const more = h("button", { type: "button", class: "link", click: () => more.replaceWith(whole.slice(SHOWN)) }, `${(whole.length - SHOWN).toLocaleString()} more characters`);
  return [whole.slice(0, SHOWN), " ", more];
}
