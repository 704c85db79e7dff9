// Drawings beside the text: one panel for each graph, drawn again after each save.

import * as vscode from 'vscode';

import { html } from './html';
import { draw, type Format } from './program';

/** Files whose change may change a drawing: the graph, and those that it calls or uses. */
const GRAPHS = /\.(loop|yaml|yml)$/;

/** The open panels. */
export class Drawings implements vscode.Disposable {
  private readonly panels = new Map<string, Drawing>();
  private readonly saves: vscode.Disposable;

  constructor(private readonly extension: vscode.Uri) {
    this.saves = vscode.workspace.onDidSaveTextDocument((document) => {
      if (GRAPHS.test(document.fileName)) {
        this.panels.forEach((panel) => panel.redraw());
      }
    });
  }

  /** Shows the drawing of a file, that of the open one if none is given. */
  async show(uri = vscode.window.activeTextEditor?.document.uri): Promise<void> {
    if (uri?.scheme !== 'file') {
      void vscode.window.showInformationMessage('Open a graph that is saved in a file; its drawing is shown beside it.');
      return;
    }
    const document = vscode.workspace.textDocuments.find((open) => open.uri.toString() === uri.toString());
    await document?.save();
    const key = uri.toString();
    const shown = this.panels.get(key);
    if (shown) {
      shown.reveal();
      return;
    }
    const panel = new Drawing(uri, this.extension);
    this.panels.set(key, panel);
    panel.onDidDispose(() => this.panels.delete(key));
  }

  dispose(): void {
    this.saves.dispose();
    this.panels.forEach((panel) => panel.dispose());
  }
}

/** The drawing of one file. */
class Drawing {
  private readonly panel: vscode.WebviewPanel;
  // The number of the last request: an earlier one that ends later is not shown.
  private request = 0;

  constructor(
    private readonly file: vscode.Uri,
    extension: vscode.Uri,
  ) {
    const folder = vscode.Uri.joinPath(extension, 'dist');
    const title = `Drawing of ${vscode.workspace.asRelativePath(file)}`;
    const beside = { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true };
    this.panel = vscode.window.createWebviewPanel('loopwright.drawing', title, beside, {
      enableScripts: true,
      // Without a folder of the user's.
      localResourceRoots: [folder],
    });
    const { webview } = this.panel;
    webview.onDidReceiveMessage((message: unknown) => {
      if (message === 'ready') {
        this.redraw();
      }
    });
    const script = webview.asWebviewUri(vscode.Uri.joinPath(folder, 'page.js'));
    webview.html = html(script.toString(), webview.cspSource);
  }

  onDidDispose(then: () => void): void {
    this.panel.onDidDispose(then);
  }

  reveal(): void {
    this.panel.reveal(undefined, true);
    this.redraw();
  }

  redraw(): void {
    void this.send();
  }

  dispose(): void {
    this.panel.dispose();
  }

  private async send(): Promise<void> {
    const request = ++this.request;
    const format = vscode.workspace.getConfiguration('loopwright.drawing').get<Format>('format', 'flow');
    const drawn = await draw(this.file.fsPath, format);
    if (request === this.request) {
      await this.panel.webview.postMessage(drawn);
    }
  }
}
