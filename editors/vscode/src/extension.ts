// The beginning and the end of the extension, called by the editor.

import * as vscode from 'vscode';

import { Drawings } from './drawings';
import { Server } from './server';

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const server = new Server();
  const drawings = new Drawings(context.extensionUri);
  context.subscriptions.push(
    server,
    drawings,
    vscode.commands.registerCommand('loopwright.showDrawing', (uri?: vscode.Uri) => drawings.show(uri)),
    vscode.commands.registerCommand('loopwright.restartServer', () => server.restart()),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration('loopwright.path')) {
        void server.restart();
      }
    }),
  );
  await server.restart();
}
