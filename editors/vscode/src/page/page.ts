// Runs on the page of a drawing: texts of drawings come in, Mermaid draws them.

import mermaid from 'mermaid';

declare function acquireVsCodeApi(): { postMessage(message: unknown): void };

type Drawn = { text: string } | { fault: string };

const drawing = element('drawing');
const fault = element('fault');
let count = 0;

function element(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (!found) {
    throw new Error(`the page has no ${id}`);
  }
  return found;
}

/** Draws a text. What stood there before stays, pale, until the fault is mended. */
async function show(drawn: Drawn): Promise<void> {
  if ('fault' in drawn) {
    refuse(drawn.fault);
    return;
  }
  const dark = document.body.classList.contains('vscode-dark') || document.body.classList.contains('vscode-high-contrast');
  mermaid.initialize({
    startOnLoad: false,
    // The text is foreign: labels run nothing and load nothing, links have no effect.
    securityLevel: 'strict',
    dompurifyConfig: { FORBID_TAGS: ['img', 'image', 'picture', 'video', 'audio', 'source', 'link', 'style', 'form', 'input'] },
    theme: dark ? 'dark' : 'default',
  });
  try {
    const { svg } = await mermaid.render(`drawing-${++count}`, drawn.text);
    const parsed = new DOMParser().parseFromString(svg, 'text/html').querySelector('svg');
    drawing.replaceChildren(...(parsed ? [document.importNode(parsed, true)] : []));
    drawing.classList.remove('stale');
    fault.textContent = '';
  } catch (error) {
    refuse(error instanceof Error ? error.message : String(error));
  }
}

function refuse(why: string): void {
  fault.textContent = why;
  drawing.classList.add('stale');
}

window.addEventListener('message', (event: MessageEvent<Drawn>) => void show(event.data));
acquireVsCodeApi().postMessage('ready');
