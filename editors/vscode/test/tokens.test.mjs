// Scopes of shipped files beside the recorded ones. `UPDATE=1` records them anew: read every changed line.

import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { test } from 'node:test';

import { tokens } from './tokens.mjs';

// The folder of the repository; a copy of this folder may stand elsewhere.
const root = process.env.ROOT ?? new URL('../../..', import.meta.url).pathname;

const FILES = {
  mini: 'tests/loop/mini.loop',
  every_key: 'tests/loop/every_key.loop',
  people: 'tests/loop/tour/04-people.loop',
  composites: 'tests/loop/tour/03-composites.loop',
};

for (const [name, path] of Object.entries(FILES)) {
  test(`the scopes of ${path} are the recorded ones`, async () => {
    const found = await tokens(await readFile(`${root}/${path}`, 'utf8'));
    const recorded = `${root}/editors/vscode/test/scopes/${name}.txt`;
    if (process.env.UPDATE) {
      await writeFile(recorded, found);
    }
    assert.equal(found, await readFile(recorded, 'utf8'));
  });
}

test('a text that is not closed ends with its line', async () => {
  const found = await tokens("title 'open\nstart a\n");
  assert.match(found, /^2 start\tkeyword.declaration$/m);
});

test('a template is seen in a text', async () => {
  const found = await tokens("text ask '''\n  {% if name %}Greet {{ name }}.{% endif %}\n'''\nstart a\n");
  assert.match(found, /^2 name\tstring.quoted.triple meta.template variable.other$/m);
  assert.match(found, /^2 if\tstring.quoted.triple meta.template keyword.control$/m);
  assert.match(found, /^4 start\tkeyword.declaration$/m);
});

test('a field may have the name of a key', async () => {
  const found = await tokens('action a {\n  timeout = 3\n  timeout 3s\n}\n');
  assert.match(found, /^2 timeout\tvariable.other.assigned$/m);
  assert.match(found, /^3 timeout\tkeyword.other.key$/m);
});
