// The files that the language server is told of. YAML is written by many; ours lies in folders that have a `loopwright.toml`.

/** One kind of file, as the protocol describes it. */
export interface Filter {
  scheme: 'file';
  language?: string;
  pattern?: string;
}

/** The files of the server, for these folders with a `loopwright.toml`. */
export function selector(folders: readonly string[]): Filter[] {
  const filters: Filter[] = [{ scheme: 'file', language: 'loop' }];
  for (const folder of folders) {
    const inside = glob(folder);
    filters.push({ scheme: 'file', language: 'yaml', pattern: `${inside}/**/*` });
    filters.push({ scheme: 'file', pattern: `${inside}/loopwright.toml` });
  }
  return filters;
}

/** A path as a pattern that fits it alone. */
function glob(path: string): string {
  return path
    .replaceAll('\\', '/')
    .replace(/\/$/, '')
    .replace(/[[\]{}*?]/g, '[$&]');
}
