// Looks at pictures in Chromium, each beside the real Mermaid, and prints what it sees.
//
//   node --input-type=module --eval SCRIPT FILE MERMAID
//
// FILE holds a JSON list of {svg, mermaid}, MERMAID is the file of the real one. A JSON list of
// {ours: {nodes, points, edges}, theirs, faults, size} is printed.
import { readFileSync } from 'node:fs';
import { chromium } from 'playwright-core';

const [, file, mermaid] = process.argv;
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox'],
});
const page = await browser.newPage();
await page.setContent('<!DOCTYPE html><body style="margin:0"><div id="ours"></div></body>');
await page.addScriptTag({ path: mermaid });
await page.evaluate(() => {
  window.mermaid.initialize({ startOnLoad: false, maxEdges: 10000, maxTextSize: 1000000 });

  // Line ends are where each likes them.
  const plain = (text) => (text ?? '').replace(/\s+/g, '');
  const text = (element) => plain(element?.textContent);

  // What Mermaid laid out.
  window.theirs = async (source) => {
    const { svg } = await window.mermaid.render('theirs', source);
    const root = new DOMParser().parseFromString(svg, 'text/html').body;
    const nodes = [];
    let points = 0;
    for (const node of root.querySelectorAll('g.node')) {
      const id = node.id.replace(/^(theirs-)?flowchart-/, '').replace(/-\d+$/, '');
      if (text(node) === '' && /_(start|end)$/.test(id)) points += 1;
      else nodes.push(`${id}: ${text(node)}`);
    }
    for (const box of root.querySelectorAll('g.cluster')) {
      nodes.push(`${box.id.replace(/^theirs-/, '')}: ${text(box.querySelector('.cluster-label'))}`);
    }
    const labels = new Map();
    for (const label of root.querySelectorAll('.edgeLabel .label[data-id]')) {
      labels.set(label.dataset.id, text(label));
    }
    const edges = [...root.querySelectorAll('path.flowchart-link')].map((path) => {
      const id = path.dataset.id ?? path.id;
      return `${id.replace(/_\d+$/, '')}: ${labels.get(id) ?? ''}`;
    });
    return { nodes: nodes.sort(), points, edges: edges.sort() };
  };

  const inside = (x, y, box) => x > box.left && x < box.right && y > box.top && y < box.bottom;
  const rectangle = (element) => {
    const { x, y, width, height } = element.getBBox();
    return { left: x, top: y, right: x + width, bottom: y + height };
  };
  const shrunk = (box, by) => ({
    left: box.left + by,
    top: box.top + by,
    right: box.right - by,
    bottom: box.bottom - by,
  });
  const overlap = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;

  // What is in our picture, and what is wrong with it.
  window.ours = (svg) => {
    const host = document.getElementById('ours');
    host.innerHTML = svg;
    const root = host.querySelector('svg');
    const faults = [];
    const all = (selector) => [...root.querySelectorAll(selector)];
    for (const element of all('*')) {
      const attributes = element.getAttributeNames().filter((name) => /^on|href|^style$/.test(name));
      if (!['g', 'path', 'rect', 'circle', 'text', 'tspan', 'title'].includes(element.localName) || attributes.length) {
        faults.push(`it has the element ${element.localName} with ${attributes}`);
      }
    }
    const nodes = all('g.node').map((node) => {
      const shape = node.querySelector('path');
      const name = node.dataset.id;
      // A text lies inside of its shape with all its corners.
      for (const line of node.querySelectorAll('tspan')) {
        if (line.getNumberOfChars() === 0) continue;
        // In a line from right to left the first character is not the leftmost.
        const extents = [...Array(line.getNumberOfChars()).keys()].map((at) => line.getExtentOfChar(at));
        const left = Math.min(...extents.map((extent) => extent.x));
        const right = Math.max(...extents.map((extent) => extent.x + extent.width));
        const { y: base } = line.getStartPositionOfChar(0);
        for (const [x, y] of [[left, base - 10], [right, base - 10], [left, base + 3], [right, base + 3]]) {
          const point = root.createSVGPoint();
          [point.x, point.y] = [x, y];
          if (!shape.isPointInFill(point)) faults.push(`the label of ${name} is cut: ${line.textContent}`);
        }
      }
      return { name, open: node.classList.contains('box'), text: text(node.querySelector('text')), shape, node };
    });
    // Each line says how wide it is; with a font of these measures it is so anyway.
    for (const line of all('tspan')) {
      const wanted = Number(line.getAttribute('textLength'));
      line.removeAttribute('textLength');
      const real = line.getComputedTextLength();
      line.setAttribute('textLength', wanted);
      const known = /^[\x20-\x7e]*$/.test(line.textContent);
      if (known && Math.abs(real - wanted) > 1 + wanted * 0.03) {
        faults.push(`the line ${line.textContent} is ${real} wide, not ${wanted}`);
      }
    }
    const boxes = [];
    for (const { name, open, shape, node } of nodes) {
      const box = rectangle(open ? node.querySelector('text') : shape);
      boxes.push({ what: open ? `the title of ${name}` : name, box, own: name, title: open });
    }
    const labels = new Map();
    for (const label of all('g.label')) {
      const { from, to } = label.dataset;
      const box = rectangle(label.querySelector('rect'));
      const written = rectangle(label.querySelector('text'));
      if (written.left < box.left - 1 || written.right > box.right + 1) faults.push(`a label is cut: ${text(label)}`);
      boxes.push({ what: `the label ${text(label)}`, box, label });
      labels.set(`${from} ${to} ${label.dataset.edge ?? ''}`, text(label));
    }
    boxes.forEach((a, at) => {
      for (const b of boxes.slice(at + 1)) {
        if (overlap(shrunk(a.box, 0.5), b.box)) faults.push(`${a.what} lies over ${b.what}`);
      }
    });
    const edges = all('g.edge').map((edge) => {
      const { from, to } = edge.dataset;
      const path = edge.querySelector('path');
      // An arrow runs through no node, and through no label but its own.
      const length = path.getTotalLength();
      const hit = new Set();
      for (let at = 0; at < length; at += 4) {
        const { x, y } = path.getPointAtLength(at);
        for (const { what, box, own, label, title } of boxes) {
          const mine = label && label.dataset.from === from && label.dataset.to === to;
          if (!mine && own !== from && own !== to && !title && inside(x, y, shrunk(box, 2))) hit.add(what);
        }
      }
      hit.forEach((what) => faults.push(`the arrow from ${from} to ${to} runs through ${what}`));
      return `L_${from}_${to}: ${labels.get(`${from} ${to} ${edge.dataset.edge ?? ''}`) ?? ''}`;
    });
    const { width, height } = root.viewBox.baseVal;
    const frame = root.viewBox.baseVal;
    const drawn = rectangle(root);
    if (drawn.left < frame.x - 1 || drawn.top < frame.y - 1 || drawn.right > frame.x + width + 1 || drawn.bottom > frame.y + height + 1) {
      faults.push('something lies outside of the picture');
    }
    return {
      nodes: nodes.map(({ name, text: label }) => `${name}: ${label}`).sort(),
      points: all('.start, .finish').length,
      edges: edges.sort(),
      faults,
      size: [width, height],
    };
  };
});

const seen = [];
for (const { svg, mermaid: source } of JSON.parse(readFileSync(file, 'utf8'))) {
  const { faults, size, ...ours } = await page.evaluate((text) => window.ours(text), svg);
  const theirs = source ? await page.evaluate((text) => window.theirs(text), source) : null;
  seen.push({ ours, theirs, faults, size });
}
await browser.close();
process.stdout.write(JSON.stringify(seen));
