// Bundles the extension and its page: what is packaged needs no folder of modules, and the page loads nothing from elsewhere.

import { readFile, readdir, writeFile } from 'node:fs/promises';

import { build } from 'esbuild';

const common = { bundle: true, minify: true, logLevel: 'warning', legalComments: 'none', metafile: true, target: 'es2022' };

const extension = await build({
  ...common,
  entryPoints: { extension: 'src/extension.ts' },
  outdir: 'dist',
  platform: 'node',
  format: 'cjs',
  external: ['vscode'],
});
const page = await build({
  ...common,
  entryPoints: { page: 'src/page/page.ts' },
  outdir: 'dist',
  platform: 'browser',
  format: 'iife',
});

// The licences of what is bundled go with it.
const inputs = [extension, page].flatMap(({ metafile }) => Object.keys(metafile.inputs));
const folders = inputs.map((file) => file.match(/^.*node_modules\/(?:@[^/]+\/)?[^/]+/)?.[0]);
const licences = [];
for (const folder of [...new Set(folders)].filter(Boolean).sort()) {
  const { name, version, license } = JSON.parse(await readFile(`${folder}/package.json`, 'utf8'));
  const file = (await readdir(folder)).find((entry) => /^licen[cs]e/i.test(entry));
  const text = file ? await readFile(`${folder}/${file}`, 'utf8') : `(no text in the package)`;
  licences.push(`${name} ${version}: ${license}\n\n${text.trim()}\n`);
}
await writeFile('dist/LICENCES.txt', licences.join('\n----\n\n'));
