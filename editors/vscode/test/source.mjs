// Modules of the extension that do not need the editor, for tests.

import { buildSync } from 'esbuild';

/** The module of a file in `src`. */
export async function source(name) {
  const path = new URL(`../src/${name}.ts`, import.meta.url).pathname;
  const { outputFiles } = buildSync({ entryPoints: [path], bundle: true, write: false, format: 'esm', platform: 'node' });
  return import(`data:text/javascript,${encodeURIComponent(outputFiles[0].text)}`);
}
