// The language server: `loopwright lsp`, over its standard input and output.

import { dirname } from 'node:path';

import * as vscode from 'vscode';
import { LanguageClient, type ServerOptions } from 'vscode-languageclient/node';

import { program } from './program';
import { selector } from './selector';

const CONFIGURATION = '**/loopwright.toml';

// More folders with a configuration than this are no workspace that somebody edits.
const MAX_FOLDERS = 1_000;

/** Starts the server, and again when a folder becomes one of ours or is none any more. */
export class Server implements vscode.Disposable {
  private client: LanguageClient | undefined;
  private readonly watcher = vscode.workspace.createFileSystemWatcher(CONFIGURATION, false, true, false);
  // One restart after the other, whatever happens meanwhile.
  private turn: Promise<void> = Promise.resolve();

  constructor() {
    this.watcher.onDidCreate(() => void this.restart());
    this.watcher.onDidDelete(() => void this.restart());
  }

  restart(): Promise<void> {
    this.turn = this.turn.then(async () => {
      await this.stop();
      await this.start();
    });
    return this.turn;
  }

  dispose(): void {
    this.watcher.dispose();
    void this.stop();
  }

  private async start(): Promise<void> {
    const found = await vscode.workspace.findFiles(CONFIGURATION, '**/node_modules/**', MAX_FOLDERS);
    const folders = found.map((file) => dirname(file.fsPath)).sort();
    const command: ServerOptions = { command: program(), args: ['lsp'] };
    const client = new LanguageClient('loopwright', 'Loopwright', command, {
      documentSelector: selector(folders),
      synchronize: { fileEvents: vscode.workspace.createFileSystemWatcher('**/*.{loop,yaml,yml,toml}') },
    });
    try {
      await client.start();
      this.client = client;
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      const settings = 'Open settings';
      // Nobody waits for the answer.
      void vscode.window
        .showErrorMessage(`\`${program()} lsp\` cannot be started: ${why}`, settings)
        .then((chosen) =>
          chosen === settings
            ? vscode.commands.executeCommand('workbench.action.openSettings', 'loopwright.path')
            : undefined,
        );
    }
  }

  private async stop(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    await client?.dispose();
  }
}
