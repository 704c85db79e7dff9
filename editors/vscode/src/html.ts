// The page that a drawing is shown on.

/**
 * The page, with its script and the source that the editor serves it from. It may run that script alone and load nothing else;
 * Mermaid writes styles into its drawings, so styles in place are allowed.
 */
export function html(script: string, source: string): string {
  const policy = `default-src 'none'; script-src ${source}; style-src 'unsafe-inline'`;
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<title>Drawing</title>
<style>
  body { padding: 1rem; }
  #fault { white-space: pre-wrap; font-family: var(--vscode-editor-font-family, monospace); color: var(--vscode-errorForeground, #b00020); }
  #drawing.stale { opacity: 0.4; }
  #drawing svg { max-width: 100%; height: auto; }
</style>
</head>
<body>
<div id="fault" role="status"></div>
<div id="drawing"></div>
<script src="${script}"></script>
</body>
</html>
`;
}
