// The program that checks and draws graphs.

import { execFile, type ExecFileException } from 'node:child_process';
import { dirname } from 'node:path';

import * as vscode from 'vscode';

export type Format = 'flow' | 'state';

/** The path of the program, as the settings have it. */
export function program(): string {
  return vscode.workspace.getConfiguration('loopwright').get('path', 'loopwright');
}

/** The text of a drawing, or what the program says is wrong. */
export type Drawn = { text: string } | { fault: string };

// A drawing that is larger is not looked at by anybody.
const MAX_BYTES = 8 << 20;
const MAX_MILLISECONDS = 30_000;

/** Draws the saved file. It is named to the program as an argument, never by way of a shell. */
export function draw(file: string, format: Format): Promise<Drawn> {
  const options = { cwd: dirname(file), maxBuffer: MAX_BYTES, timeout: MAX_MILLISECONDS };
  return new Promise((resolve) => {
    execFile(program(), ['render', '--as', format, '--', file], options, (error, stdout, stderr) => {
      resolve(error === null ? { text: stdout } : { fault: fault(error, stderr || stdout) });
    });
  });
}

function fault(error: ExecFileException, said: string): string {
  if (error.code === 'ENOENT') {
    return `The program ${program()} is not there. The setting loopwright.path says where it is.`;
  }
  return said.trim() || error.message;
}
