// What the page is tried in: a folder with graphs, a model that says what a stranger would, the program, and a browser.

import { spawn, spawnSync } from "node:child_process";
import fs from "node:fs";
import http from "node:http";
import path from "node:path";

/** The longest that anything is waited for, in milliseconds. */
export const PATIENCE = 60_000;

/** How long a model waits between two pieces of an answer, in milliseconds. */
const PAUSE = 5;

/** Waits until something is so. */
export async function until(what, is) {
  const end = Date.now() + PATIENCE;
  for (;;) {
    const found = await is();
    if (found) return found;
    if (Date.now() > end) throw new Error(`still not: ${what}`);
    await new Promise((go) => setTimeout(go, 50));
  }
}

/**
 * A model behind HTTP that streams what it is told to, in pieces: texts, objects of another type of answer, or functions that make the
 * pieces of an answer.
 */
export function model() {
  const told = { replies: [] };
  const server = http.createServer(async (request, response) => {
    let asked = 0;
    for await (const part of request) asked += part.length;
    const reply = told.replies.shift() ?? "nothing";
    response.writeHead(200, { "content-type": "text/event-stream" });
    const send = (delta, finish_reason = null) =>
      response.write(`data: ${JSON.stringify({ id: "1", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta, finish_reason }] })}\n\n`);
    let said = 0;
    for (const content of typeof reply === "function" ? reply() : pieces(JSON.stringify(typeof reply === "string" ? { text: reply } : reply))) {
      send({ content });
      said += content.length;
      await new Promise((go) => setTimeout(go, PAUSE));
    }
    send({}, "stop");
    const usage = { prompt_tokens: asked >> 2, completion_tokens: said >> 2, total_tokens: (asked >> 2) + (said >> 2) };
    response.end(`data: ${JSON.stringify({ id: "1", object: "chat.completion.chunk", created: 1, model: "m", choices: [], usage })}\n\ndata: [DONE]\n\n`);
  });
  return new Promise((made) => server.listen(0, "127.0.0.1", () => made(Object.assign(told, { port: server.address().port, close: () => server.close() }))));
}

function* pieces(whole) {
  const size = Math.max(16, Math.ceil(whole.length / 40));
  for (let at = 0; at < whole.length; at += size) yield whole.slice(at, at + size);
}

/** Those who may do something here, and what. */
const PEOPLE = { ana: "run", ben: "answer", wim: "watch" };

/** A keyboard that counts how often a key is pressed. */
export class Keys {
  constructor(page) {
    this.page = page;
    this.count = 0;
  }

  async press(...keys) {
    for (const key of keys) {
      this.count += 1;
      await this.page.keyboard.press(key);
    }
  }

  async type(text) {
    await this.press(...text);
  }
}

/** The program in a folder of its own. */
export class Stage {
  constructor(program, folder, modelPort) {
    this.program = program;
    this.folder = folder;
    this.environment = { ...process.env, XDG_STATE_HOME: path.join(folder, ".state"), HOME: folder };
    fs.writeFileSync(path.join(folder, "loopwright.toml"), config(modelPort));
    const tokens = Object.entries(PEOPLE).map(([name, role]) => `${name} ${role} ${this.token(name)}\n`);
    fs.writeFileSync(path.join(folder, "tokens"), tokens.join(""), { mode: 0o600 });
    const allow = this.run("trust", ".").match(/^ {2}loopwright (trust .*)$/m)[1];
    this.run(...allow.split(" "));
  }

  /** Runs a command and gives what it prints. */
  run(...words) {
    return spawnSync(this.program, words, { cwd: this.folder, env: this.environment, encoding: "utf8" }).stdout;
  }

  /** Changes a file of the folder. */
  edit(name, change) {
    const file = path.join(this.folder, name);
    fs.writeFileSync(file, change(fs.readFileSync(file, "utf8")));
  }

  /** Starts the server. `address` is where it was before, if it was. */
  async serve(...words) {
    const log = fs.openSync(path.join(this.folder, "serve.log"), "a");
    const listen = this.port ? `127.0.0.1:${this.port}` : "127.0.0.1:0";
    const before = this.log().length;
    this.server = spawn(this.program, ["serve", ".", "--listen", listen, "--grant", "pay", "--token-file", "tokens", ...words], { cwd: this.folder, env: this.environment, stdio: ["ignore", log, log] });
    this.url = await until("the server answers", () => this.log().slice(before).match(/at (http:\/\/127\.0\.0\.1:\d+)\//)?.[1]);
    this.port = new URL(this.url).port;
  }

  log() {
    const file = path.join(this.folder, "serve.log");
    return fs.existsSync(file) ? fs.readFileSync(file, "utf8") : "";
  }

  /** Strikes the server dead, as a crash would. */
  async kill(signal = "SIGKILL") {
    const ended = new Promise((go) => this.server.once("exit", go));
    this.server.kill(signal);
    await ended;
  }

  /** The token of a person. */
  token(name = "ana") {
    return name.repeat(16);
  }

  /** Asks the server, as another program does. */
  async ask(method, way, body, headers = {}) {
    const answer = await fetch(`${this.url}/api/v1${way}`, {
      method,
      headers: { authorization: `Bearer ${this.token()}`, ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    return { status: answer.status, body: await answer.json().catch(() => null) };
  }

  /** Begins a run. */
  async begin(graph, run, input = {}) {
    const { status, body } = await this.ask("POST", "/runs", { graph, run, input });
    if (status !== 202) throw new Error(`the run does not begin: ${JSON.stringify(body)}`);
  }

  /** Waits until a run has ended. */
  ended(run) {
    return until(`${run} ended`, async () => ((shown) => shown?.outcome && shown)((await this.ask("GET", `/runs/${run}`)).body));
  }

  /** Answers the question of a run. */
  async answer(run, answer) {
    const { ask } = await this.question(run);
    const { status, body } = await this.ask("POST", `/runs/${run}/answers/${encodeURIComponent(ask)}`, { answer }, { "if-match": "*" });
    if (status !== 202) throw new Error(`the answer is not taken: ${JSON.stringify(body)}`);
  }

  /** Waits until a run has a question. */
  question(run) {
    return until(`${run} asks`, async () => (await this.ask("GET", `/runs/${run}`)).body?.asks?.[0]);
  }
}

function config(port) {
  return `
[models."*"]
provider = "openai"
base_url = "http://127.0.0.1:${port}/v1"
model = "m"
price = {input = "$3", output = "$15"}

[tools.pay]
description = "Pays an amount."
command = ["sh", "-c", "if test $1 = nobody; then echo There is no account of that name. >&2; exit 1; fi; printf 'paid %s to %s' $2 $1", "pay", "{to}", "{amount}"]
args = {to = "string", amount = "int"}
parse = "text"
approval = true
`;
}
