// Reads diagrams with the real Mermaid and prints what it sees: nodes, edges, labels.
//
//   node read.mjs FILE     FILE holds a JSON list of texts; a JSON list of {nodes, edges} or {error} is printed
import { readFileSync } from 'node:fs';
import { JSDOM } from 'jsdom';

const dom = new JSDOM('<!DOCTYPE html><body></body>', { pretendToBeVisual: true });
globalThis.window = dom.window;
globalThis.document = dom.window.document;
for (const name of ['Element', 'HTMLElement', 'SVGElement', 'Node', 'DOMParser', 'XMLSerializer']) {
  globalThis[name] = dom.window[name];
}

const { default: mermaid } = await import('mermaid');
mermaid.initialize({ startOnLoad: false, maxEdges: 100000, maxTextSize: 10000000, logLevel: 'fatal' });

const box = dom.window.document.createElement('textarea');

// What a person would read: Mermaid keeps entities under signs of its own until it prints.
function shown(label) {
  const text = Array.isArray(label) ? label.join('\n') : (label ?? '');
  box.innerHTML = text
    .replace(/<br\s*\/?>/gi, '\n')
    .replace(/ﬂ°°/g, '&#')
    .replace(/ﬂ°/g, '&')
    .replace(/¶ß/g, ';');
  return box.value;
}

async function read(text) {
  await mermaid.parse(text);
  const diagram = await mermaid.mermaidAPI.getDiagramFromText(text);
  const { nodes, edges } = diagram.db.getData();
  return {
    nodes: nodes.map((node) => ({
      id: node.id,
      label: shown(node.label),
      shape: node.shape,
      parent: node.parentId ?? null,
      group: Boolean(node.isGroup),
      classes: node.cssClasses ?? '',
    })),
    edges: edges.map((edge) => ({
      from: edge.start,
      to: edge.end,
      label: shown(edge.label),
      dotted: edge.pattern === 'dotted',
    })),
  };
}

const seen = [];
for (const text of JSON.parse(readFileSync(process.argv[2], 'utf8'))) {
  try {
    seen.push(await read(text));
  } catch (error) {
    seen.push({ error: String(error.message ?? error) });
  }
}
process.stdout.write(JSON.stringify(seen));
