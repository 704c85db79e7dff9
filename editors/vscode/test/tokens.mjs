// The tokens of a text by `syntaxes/loop.tmLanguage.json`, read with the libraries of VS Code itself.

import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';

import oniguruma from 'vscode-oniguruma';
import textmate from 'vscode-textmate';

const require = createRequire(import.meta.url);

async function grammar() {
  await oniguruma.loadWASM(await readFile(require.resolve('vscode-oniguruma/release/onig.wasm')));
  const path = new URL('../syntaxes/loop.tmLanguage.json', import.meta.url);
  const registry = new textmate.Registry({
    onigLib: Promise.resolve({
      createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
      createOnigString: (text) => new oniguruma.OnigString(text),
    }),
    loadGrammar: async () => textmate.parseRawGrammar(await readFile(path, 'utf8'), path.pathname),
  });
  return registry.loadGrammar('source.loop');
}

const loaded = grammar();

/** A line for each token that has a scope of its own: the number of its line, its text, its scopes from the outermost on. */
export async function tokens(text) {
  const lines = [];
  let state = textmate.INITIAL;
  for (const [at, line] of text.split('\n').entries()) {
    const found = (await loaded).tokenizeLine(line, state);
    state = found.ruleStack;
    for (const token of found.tokens) {
      const part = line.slice(token.startIndex, token.endIndex);
      const scopes = token.scopes.slice(1).map((scope) => scope.replace(/\.loop$/, ''));
      if (part.trim() && scopes.length > 0) {
        lines.push(`${at + 1} ${part.trim()}\t${scopes.join(' ')}`);
      }
    }
  }
  return lines.join('\n') + '\n';
}
