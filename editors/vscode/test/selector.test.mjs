import assert from 'node:assert/strict';
import { test } from 'node:test';

import { source } from './source.mjs';

const { selector } = await source('selector');

test('without a configuration the server sees graphs in the loop DSL alone', () => {
  assert.deepEqual(selector([]), [{ scheme: 'file', language: 'loop' }]);
});

test('beside a configuration it sees YAML, whatever signs the path has', () => {
  assert.deepEqual(selector(['/home/a [b]/{c}/']).slice(1), [
    { scheme: 'file', language: 'yaml', pattern: '/home/a [[]b[]]/[{]c[}]/**/*' },
    { scheme: 'file', pattern: '/home/a [[]b[]]/[{]c[}]/loopwright.toml' },
  ]);
  assert.equal(selector(['C:\\graphs'])[1].pattern, 'C:/graphs/**/*');
});
