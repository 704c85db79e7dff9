// What people do on the page, in a real browser. Usage: node journeys.mjs PROGRAM FOLDER MODULES [PICTURES]: the program, an empty folder
// with the graphs of `desk`, the folder with `playwright-core` and `axe-core`, and a folder for pictures of the page, if any are wanted.

import assert from "node:assert/strict";
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { graphJourneys } from "./graph_journeys.mjs";
import { model, Stage, until } from "./stage.mjs";

const [program, folder, modules, pictures] = process.argv.slice(2);
const require = createRequire(path.join(modules, "node_modules", "x.js"));
const { chromium } = require("playwright-core");
const axe = fs.readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

const QUIET = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];
const clerk = await model();
const stage = new Stage(program, folder, clerk.port);
await stage.serve();
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: QUIET });

/** Every fault that a page has told of. */
const faults = [];

/** A person with a browser of their own. */
async function person({ width = 1440, scheme = "light" } = {}) {
  const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme: scheme });
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  page.on("pageerror", (fault) => faults.push(String(fault)));
  page.on("response", (answer) => answer.status() === 404 && faults.push(`there is no ${answer.url()}`));
  page.on("console", (line) => line.type() === "error" && !/status of 4(04|09|12|22)|ERR_CONNECTION|ERR_INCOMPLETE/.test(line.text()) && faults.push(line.text()));
  page.on("dialog", (dialog) => (faults.push(`a dialog of a script: ${dialog.message()}`), dialog.dismiss()));
  await page.goto(`${stage.url}/#token=${stage.token()}`);
  await page.locator("#who:not(:empty)").waitFor();
  return page;
}

/** No serious fault for those who do not see the page, no part of it outside of the window. */
async function fit(page, name) {
  await page.evaluate(axe);
  const found = await page.evaluate(async () => {
    const { violations } = await window.axe.run();
    return violations.filter(({ impact }) => impact === "serious" || impact === "critical").map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(" | ")}`);
  });
  assert.deepEqual(found, [], name);
  const wider = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  assert.ok(wider <= 0, `${name} is wider than the window by ${wider} pixels`);
}

async function picture(page, name) {
  if (!pictures) return;
  // What depends on the time of day and on the folder is the same in each picture.
  await page.evaluate(() => document.querySelectorAll("time").forEach((time) => (time.textContent = "just now")));
  await page.screenshot({ path: path.join(pictures, `${name}.png`) });
}

const journeys = {
  async "a run is begun, watched and answered by keyboard"() {
    const page = await person();
    await page.keyboard.press("g");
    await page.getByRole("link", { name: "publish" }).click();
    await page.locator("summary", { hasText: "Begin a run" }).focus();
    await page.keyboard.press("Enter");
    await page.keyboard.press("Tab");
    await page.keyboard.type("Open on Mondays.");
    await page.keyboard.press("Tab");
    await page.keyboard.type("0s");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/runs\//);
    await page.getByRole("button", { name: "publish", exact: true }).focus();
    await picture(page, "run-asks");
    await page.keyboard.press("Enter");
    await page.locator("h1 .badge", { hasText: "published" }).waitFor();
    assert.equal(await page.locator(".card").count(), 0);
    await fit(page, "a run");
  },

  async "a call is approved with changed arguments"() {
    await stage.begin("refund", "changed");
    await stage.question("changed");
    const page = await person();
    const card = page.locator(".card", { hasText: "changed" });
    await card.locator("summary", { hasText: "Change the arguments" }).focus();
    await page.keyboard.press("Enter");
    await card.getByLabel("amount").fill("7");
    await picture(page, "inbox");
    await page.keyboard.press("Enter");
    await card.waitFor({ state: "detached" });
    const { body } = await until("it ended", async () => ((shown) => shown.body.outcome && shown)(await stage.ask("GET", "/runs/changed")));
    assert.deepEqual(body.output, { receipt: "paid 7 to bob" });
  },

  async "of two people one answers, and the other is told"() {
    await stage.begin("publish", "race", { text: "Open on Tuesdays." });
    await stage.question("race");
    const people = [await person(), await person()];
    const buttons = people.map((page, place) => page.locator(".card", { hasText: "race" }).getByRole("button", { name: place ? "publish" : "reject", exact: true }));
    await Promise.all(buttons.map((button) => button.waitFor()));
    await buttons[0].click();
    await people[0].locator(".card", { hasText: "race" }).waitFor({ state: "detached" });
    // The other one has not looked since.
    const late = await stage.ask("POST", "/runs/race/answers/race%3Adecide%231.ask", { answer: "publish" }, { "if-match": "*" });
    assert.equal(late.status, 409);
    await people[1].evaluate(() => {});
    if (await buttons[1].isVisible()) await buttons[1].click();
    await people[1].locator(".card", { hasText: "race" }).waitFor({ state: "detached" });
    const { body } = await until("it ended", async () => ((shown) => shown.body.outcome && shown)(await stage.ask("GET", "/runs/race")));
    assert.equal(body.outcome, "rejected");
  },

  async "a page that is loaded again shows the same"() {
    await stage.begin("publish", "again", { text: "Open on Fridays." });
    await stage.question("again");
    const page = await person();
    await page.goto(`${stage.url}/runs/again`);
    await page.locator(".timeline b", { hasText: "decide" }).waitFor();
    const before = await page.locator(".timeline").innerText();
    await page.reload();
    await page.locator(".timeline b", { hasText: "decide" }).waitFor();
    assert.equal(await page.locator(".timeline").innerText(), before);
    assert.equal(await page.locator(".card").count(), 1);
  },

  async "a server that was killed is gone on with"() {
    await stage.begin("publish", "killed", { text: "Open on Sundays.", cooling: "0s" });
    await stage.question("killed");
    const page = await person();
    await page.goto(`${stage.url}/runs/killed`);
    await page.getByRole("button", { name: "publish", exact: true }).waitFor();
    await stage.kill();
    await stage.serve("--resume");
    // The stream comes back by itself, and the question is still there.
    await page.getByRole("button", { name: "publish", exact: true }).click();
    await page.locator("h1 .badge", { hasText: "published" }).waitFor();
    await page.locator(".timeline b", { hasText: "published" }).waitFor();
    const names = await page.locator(".timeline b").allInnerTexts();
    assert.deepEqual(names, ["decide", "cool_down", "published"], "no event is missing, and none is there twice");
  },

  async "what a model says is text, whatever it says"() {
    const hostile = `<script>alert(1)</script><img src=x onerror=alert(2)> \u202Egnihton \u001b]52;c;YQ==\u0007 ${"x".repeat(900_000)}`;
    clerk.replies.push(hostile);
    await stage.begin("talk", "hostile", { question: "<svg onload=alert(3)>" });
    const page = await person();
    await page.goto(`${stage.url}/runs/hostile`);
    await page.locator(".card .text", { hasText: "<script>alert(1)</script>" }).waitFor();
    assert.equal(await page.locator("main script, main img").count(), 0);
    await page.locator(".timeline summary").first().click();
    await page.getByRole("button", { name: "show" }).first().click();
    await page.locator("dialog pre", { hasText: "<svg onload=alert(3)>" }).first().waitFor();
    await page.keyboard.press("Escape");
    await fit(page, "a hostile run");
    await page.goto(stage.url);
    await page.locator(".card", { hasText: "hostile" }).waitFor();
    await fit(page, "an inbox with a hostile text");
  },

  async "a streamed text is seen as it comes"() {
    clerk.replies.push("one two three four five ".repeat(40));
    clerk.pause = 100;
    const page = await person();
    await page.goto(`${stage.url}/graphs/talk`);
    await page.getByText("Begin a run").click();
    await page.getByRole("button", { name: "Begin", exact: true }).click();
    await page.locator(".stream", { hasText: "one two three" }).waitFor();
    await page.locator(".card .text", { hasText: "five" }).waitFor();
  },

  async "a run is looked at as it was"() {
    const page = await person();
    await page.goto(`${stage.url}/runs/killed`);
    await page.locator(".timeline b", { hasText: "published" }).waitFor();
    await page.locator("#step").focus();
    await page.keyboard.press("ArrowLeft");
    await page.locator("output", { hasText: "1 of 2" }).waitFor();
    assert.deepEqual(await page.locator(".timeline b").allInnerTexts(), ["decide", "cool_down"]);
    await page.locator(".state .badge.changed").first().waitFor();
    const here = await page.locator(".drawing").evaluate((host) => host.shadowRoot.querySelector('[data-mark~="here"]')?.dataset.node);
    assert.equal(here, "cool_down");
    await picture(page, "run-earlier");
  },

  async "a run goes back, and is forked"() {
    const page = await person();
    await page.goto(`${stage.url}/runs/killed`);
    await page.locator(".timeline b", { hasText: "published" }).waitFor();
    await page.getByRole("button", { name: "Fork…" }).click();
    await page.getByRole("button", { name: "Fork", exact: true }).click();
    await page.waitForURL(/killed-fork/);
    await page.locator("h1", { hasText: "killed-fork" }).waitFor();
  },

  async "whoever may only look cannot act"() {
    const { status } = await stage.ask("GET", "/session");
    assert.equal(status, 200);
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(`${stage.url}/runs/killed`);
    await page.locator("h1", { hasText: "Who are you?" }).waitFor();
    await context.close();
  },

  async "an editor checks and draws what is typed"() {
    const page = await person();
    await page.goto(`${stage.url}/graphs/refund`);
    await page.getByText("Try a change").click();
    await page.getByText("Nothing is found.").waitFor();
    const text = await page.getByLabel("refund.yaml").inputValue();
    await page.getByLabel("refund.yaml").fill(text.replace("to: paid}", "to: payd}"));
    await page.locator(".findings", { hasText: "payd" }).waitFor();
    await picture(page, "editor");
  },

  ...graphJourneys({ stage, person, fit, picture }),

  async "every view is fit for everyone"() {
    for (const [width, scheme] of [[1440, "light"], [1440, "dark"], [360, "light"], [360, "dark"]]) {
      const page = await person({ width, scheme });
      for (const view of ["", "runs", "runs/killed", "graphs", "graphs/publish", "graphs/refund"]) {
        await page.goto(`${stage.url}/${view}`);
        await page.locator("#who:not(:empty)").waitFor();
        await page.locator("main h1").waitFor();
        if (/.\/./.test(view)) await page.locator(".drawing").waitFor();
        await fit(page, `${view || "the inbox"} at ${width} pixels, ${scheme}`);
        await picture(page, `${view.replace("/", "-") || "inbox-now"}-${width}-${scheme}`);
      }
      await page.context().close();
    }
  },
};

let failed = 0;
const only = process.env.JOURNEY;
for (const [name, journey] of Object.entries(journeys)) {
  if (only && !name.includes(only)) continue;
  const begun = Date.now();
  try {
    await journey();
    assert.deepEqual(faults.splice(0), [], "the page told of faults");
    console.log(`ok ${name} (${Date.now() - begun} ms)`);
  } catch (fault) {
    failed += 1;
    for (const page of browser.contexts().flatMap((context) => context.pages())) if (pictures) await page.screenshot({ path: path.join(pictures, "failed.png") }).catch(() => {});
    console.log(`FAILED ${name}\n${fault.stack ?? fault}\n${faults.splice(0).join("\n")}`);
  }
  for (const context of browser.contexts()) await context.close();
}
await browser.close();
clerk.close();
await stage.kill("SIGTERM");
if (failed) console.log(stage.log());
process.exit(failed ? 1 : 0);
