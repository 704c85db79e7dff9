// Reads diagrams with the real Mermaid and prints what it sees: nodes, edges, labels.
//
//   node --input-type=module --eval SCRIPT FILE
//
// FILE holds a JSON list of texts; a JSON list of {nodes, edges} or {error} is printed. Nothing is laid out or painted.
import { readFileSync } from 'node:fs';
import { JSDOM } from 'jsdom';

const dom = new JSDOM('<!DOCTYPE html><body></body>');
globalThis.window = dom.window;
globalThis.document = dom.window.document;
for (const name of ['Element', 'HTMLElement', 'SVGElement', 'Node', 'DOMParser', 'XMLSerializer']) {
  globalThis[name] = dom.window[name];
}

const { default: mermaid } = await import('mermaid');
const { defaultConfig, getDiagramFromText, globalReset } = mermaid.mermaidAPI;
mermaid.initialize({ startOnLoad: false });

// Mermaid copies all its settings for every label. Colours and the settings of other diagrams have no part in reading; without
// them it is ten times as fast.
for (const [name, settings] of Object.entries(defaultConfig)) {
  if (settings && typeof settings === 'object' && !['state', 'flowchart', 'secure'].includes(name)) {
    Object.keys(settings).forEach((key) => delete settings[key]);
  }
}
globalReset();

const box = dom.window.document.createElement('textarea');

// No label holds it.
const PARTING = '\u0001';

// What a person would read: Mermaid keeps entities under signs of its own until it prints.
function shown(labels) {
  const text = labels
    .map((label) => (Array.isArray(label) ? label.join('\n') : (label ?? '')))
    .join(PARTING)
    .replace(/<br\s*\/?>/gi, '\n')
    .replace(/ﬂ°°/g, '&#')
    .replace(/ﬂ°/g, '&')
    .replace(/¶ß/g, ';');
  // One time for all, since reading HTML begins slowly.
  box.innerHTML = text;
  return box.value.split(PARTING);
}

async function read(text) {
  const { nodes, edges } = (await getDiagramFromText(text)).db.getData();
  const labels = shown([...nodes, ...edges].map(({ label }) => label));
  return {
    nodes: nodes.map((node, at) => ({
      id: node.id,
      label: labels[at],
      parent: node.parentId ?? null,
      group: Boolean(node.isGroup),
    })),
    edges: edges.map((edge, at) => ({
      from: edge.start,
      to: edge.end,
      label: labels[nodes.length + at],
      dotted: edge.pattern === 'dotted',
    })),
  };
}

const seen = [];
for (const text of JSON.parse(readFileSync(process.argv[1], 'utf8'))) {
  try {
    seen.push(await read(text));
  } catch (error) {
    seen.push({ error: String(error.message ?? error) });
  }
}
process.stdout.write(JSON.stringify(seen));
