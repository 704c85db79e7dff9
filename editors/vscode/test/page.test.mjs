// The page of a drawing in Chromium, with its policy in force. `PLAYWRIGHT` is the folder that `.ci/chromium` installs into.

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { after, before, test } from 'node:test';

import { source } from './source.mjs';

const folder = process.env.PLAYWRIGHT ?? '';
const there = existsSync(`${folder}/node_modules/playwright-core`);
const skip = there || process.env.LOOPWRIGHT_REQUIRE ? false : 'Chromium is not here; `.ci/chromium` installs it';

let browser, server, page, origin;
const requests = [];

before(async () => {
  if (skip) return;
  const { html } = await source('html');
  const script = await readFile(new URL('../dist/page.js', import.meta.url));
  server = createServer((request, response) => {
    const [type, body] = request.url === '/page.js' ? ['text/javascript', script] : ['text/html', html('/page.js', origin)];
    response.setHeader('content-type', type);
    response.end(body);
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  origin = `http://127.0.0.1:${server.address().port}`;
  const { chromium } = createRequire(`${folder}/`)('playwright-core');
  browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox'] });
  page = await browser.newPage();
  page.on('request', (request) => requests.push(request.url()));
  await page.addInitScript(() => {
    window.said = [];
    window.acquireVsCodeApi = () => ({ postMessage: (message) => window.said.push(message) });
  });
  await page.goto(origin);
});

after(async () => {
  await browser?.close();
  server?.close();
});

const say = (message) => page.evaluate((data) => window.postMessage(data), message);

test('the page says that it is ready, and draws what it is told', { skip }, async () => {
  assert.deepEqual(await page.evaluate(() => window.said), ['ready']);
  await say({ text: 'flowchart TB\n  a{"rounds left?"}\n  b(["done"])\n  a -->|"no"| b\n' });
  await page.waitForSelector('#drawing svg');
  const shown = await page.textContent('#drawing svg');
  for (const label of ['rounds left?', 'done', 'no']) {
    assert.ok(shown.includes(label), `${label} in ${shown}`);
  }
});

test('a fault is told, and the drawing before stays', { skip }, async () => {
  await say({ fault: 'error[unknown-node]: <b>no</b>' });
  await page.waitForFunction(() => document.getElementById('fault').textContent.includes('unknown-node'));
  assert.equal(await page.textContent('#fault'), 'error[unknown-node]: <b>no</b>');
  assert.ok(await page.$('#drawing.stale svg'));
});

test('what a label holds is text: it runs nothing and loads nothing', { skip }, async () => {
  const label = "<img src='https://example.com/x.png' onerror='window.said.push(1)'><script>window.said.push(2)</script>seen";
  await say({ text: `flowchart TB\n  a["${label.replaceAll('<', '#lt;')}"]\n  click a "javascript:window.said.push(3)"\n` });
  await say({ text: `flowchart TB\n  a["${label}"]\n` });
  await page.waitForFunction(() => document.getElementById('drawing').textContent.includes('seen'));
  assert.deepEqual(await page.evaluate(() => window.said), ['ready']);
  assert.equal(await page.$('#drawing script'), null);
  assert.deepEqual(requests, [`${origin}/`, `${origin}/page.js`]);
});
