// A form made from the JSON schema of an answer.

import { h } from "./dom.js";

let numbers = 0;

/** The schema of a value of which nothing else is known: its fields have the types that they have. */
export function schemaOf(value) {
  if (value === null || Array.isArray(value)) return {};
  if (typeof value !== "object") return { type: typeof value };
  return { type: "object", properties: Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, schemaOf(inner)])), required: Object.keys(value) };
}

/**
 * A field for a value of a schema: its element, and what reads the value. `value` is what stands in it before anyone changes it.
 * What no field is known for is written as JSON.
 */
export function field(schema, { label, value, required = true } = {}) {
  if ("const" in schema) return { element: h("p", { class: "faint" }, `${label ?? "Answer"}: ${JSON.stringify(schema.const)}`), read: () => schema.const };
  const kinds = schema.anyOf ?? schema.oneOf;
  if (kinds) return oneOf(kinds, label, value, required);
  if (Array.isArray(schema.enum)) return choice(schema.enum, label, value, required);
  const type = Array.isArray(schema.type) ? schema.type.find((name) => name !== "null") : schema.type;
  const optional = required && !(Array.isArray(schema.type) && schema.type.includes("null"));
  switch (type) {
    case "object":
      return schema.properties ? record(schema, label, value) : json(label, value, optional);
    case "string":
      return text(schema, label, value, optional);
    case "integer":
    case "number":
      return number(schema, type, label, value, optional);
    case "boolean":
      return check(label, value);
    default:
      return json(label, value, optional);
  }
}

function named(label, input, required, note) {
  input.id = `field-${++numbers}`;
  const described = note ? h("small", { id: `${input.id}-note` }, note) : null;
  if (described) input.setAttribute("aria-describedby", described.id);
  const caption = h("label", { for: input.id }, label ?? "Answer", required ? null : h("span", { class: "faint" }, " (may stay empty)"));
  return h("div", { class: "field" }, caption, input, described);
}

function text(schema, label, value, required) {
  const long = !(schema.maxLength <= 120) && !schema.format;
  const input = h(long ? "textarea" : "input", { rows: long ? "2" : null, required, maxlength: schema.maxLength });
  input.value = value ?? schema.default ?? "";
  const read = () => (input.value === "" && !required ? null : input.value);
  return { element: named(label, input, required, schema.description), read, first: input };
}

function number(schema, type, label, value, required) {
  const input = h("input", { type: "number", step: type === "integer" ? "1" : "any", min: schema.minimum, max: schema.maximum, required });
  input.value = value ?? schema.default ?? "";
  const read = () => (input.value === "" && !required ? null : Number(input.value));
  return { element: named(label, input, required, schema.description), read, first: input };
}

function check(label, value) {
  const input = h("input", { type: "checkbox" });
  input.checked = value === true;
  return { element: named(label, input, true), read: () => input.checked, first: input };
}

function choice(options, label, value, required) {
  const select = h(
    "select",
    { required },
    required && value !== undefined ? null : h("option", { value: "" }, ""),
    options.map((option, place) => h("option", { value: String(place), selected: option === value }, option === null ? "null" : String(option))),
  );
  return { element: named(label, select, required), read: () => (select.value === "" ? null : options[select.value]), first: select };
}

/** A value of one of several schemas: which one is chosen first. */
function oneOf(kinds, label, value, required) {
  const fields = kinds.map((kind) => field(kind, { label, value, required }));
  if (fields.length === 1) return fields[0];
  const names = kinds.map((kind, place) => kind.title ?? kind.enum?.join(", ") ?? Object.keys(kind.properties ?? {}).join(", ") ?? `form ${place + 1}`);
  const room = h("div");
  const select = h("select", { change: () => room.replaceChildren(fields[select.value].element) }, names.map((name, place) => h("option", { value: String(place) }, name || String(kinds[place].type ?? place + 1))));
  room.append(fields[0].element);
  return { element: h("div", {}, named(label ? `${label}: kind` : "Kind of answer", select, true), room), read: () => fields[select.value].read(), first: select };
}

function record(schema, label, value) {
  const required = new Set(schema.required ?? []);
  const fields = Object.entries(schema.properties).map(([name, inner]) => {
    return [name, field(inner, { label: name, value: value?.[name], required: required.has(name) })];
  });
  const read = () => {
    const given = fields.map(([name, inner]) => [name, inner.read()]);
    return Object.fromEntries(given.filter(([name, inner]) => inner !== null || required.has(name)));
  };
  const element = h("fieldset", {}, label ? h("legend", {}, label) : null, fields.map(([, inner]) => inner.element));
  return { element, read, first: fields[0]?.[1].first };
}

function json(label, value, required) {
  const input = h("textarea", { rows: "4", spellcheck: "false", class: "code", required });
  input.value = value === undefined ? "" : JSON.stringify(value, null, 2);
  const read = () => {
    if (input.value.trim() === "" && !required) return null;
    try {
      const parsed = JSON.parse(input.value);
      input.setCustomValidity("");
      return parsed;
    } catch (fault) {
      input.setCustomValidity(`This is no JSON: ${fault.message}`);
      input.reportValidity();
      throw fault;
    }
  };
  input.addEventListener("input", () => input.setCustomValidity(""));
  return { element: named(label, input, required, "JSON"), read, first: input };
}
