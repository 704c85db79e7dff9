// What people do on the page, in a real browser. Usage: node journeys.mjs PROGRAM FOLDER MODULES [PICTURES]: the program, an empty folder
// with the graphs of `desk`, the folder with `playwright-core` and `axe-core`, and a folder for pictures of the page, if any are wanted.
// JOURNEY=WORDS takes those with these words in their names, ASSETS=FOLDER the files of the page from a folder, without a build.

import assert from "node:assert/strict";
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { graphJourneys } from "./graph_journeys.mjs";
import { Keys, model, PATIENCE, Stage, until } from "./stage.mjs";
import { prepare, TASKS } from "./tasks.mjs";

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
async function person({ name = "ana", width = 1440, height = 900, scheme = "light" } = {}) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: scheme, locale: "en-GB", timezoneId: "UTC" });
  if (process.env.ASSETS) await context.route("**/page/*", (route) => route.fulfill({ path: path.join(process.env.ASSETS, path.basename(new URL(route.request().url()).pathname)) }));
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE);
  page.on("pageerror", (fault) => faults.push(String(fault)));
  page.on("response", (answer) => answer.status() === 404 && faults.push(`there is no ${answer.url()}`));
  page.on("console", (line) => line.type() === "error" && !/status of 4(04|09|12|22)|ERR_CONNECTION|ERR_INCOMPLETE|ERR_SOCKET_NOT_CONNECTED|ERR_EMPTY_RESPONSE/.test(line.text()) && faults.push(line.text()));
  page.on("dialog", (dialog) => (faults.push(`a dialog of a script: ${dialog.message()}`), dialog.dismiss()));
  await page.goto(`${stage.url}/#token=${stage.token(name)}`);
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

/** Takes a picture of a page for the documents. */
async function picture(page, name) {
  if (!pictures) return;
  // What depends on the time is the same in each picture.
  await page.evaluate(() => {
    for (const time of document.querySelectorAll("time")) time.textContent = time.closest(".about") ? "1 Jun 2026, 09:30:00" : time.textContent.startsWith("in ") ? "in 23\u00a0h" : "2 min ago";
    document.activeElement?.blur();
  });
  fs.mkdirSync(pictures, { recursive: true });
  // On a telephone a page is scrolled.
  await page.screenshot({ path: path.join(pictures, `${name}.png`), fullPage: page.viewportSize().width > 400 });
}

const journeys = {};

journeys["there is something to do"] = () => prepare(stage);

for (const { name, from, before, act } of TASKS) {
  journeys[`by keyboard alone: ${name}`] = async () => {
    await before?.({ stage });
    const page = await person();
    await page.goto(`${stage.url}/${from}`);
    // Whoever comes is put at the beginning of what is there.
    await page.locator("main :focus").waitFor();
    const keys = new Keys(page);
    await act({ page, keys, stage });
    console.log(`keystrokes | ${name} | ${keys.count}`);
  };
}

/** A letter that is answered in two drafts, and asks for a refund. */
async function complaint(run) {
  const claim = (reply, amount) => ({ topic: "A broken lamp", amount, reply });
  clerk.replies.push(claim("Lamps break.", 0), { verdict: "revise", advice: "Say sorry, and refund the price." }, claim("We are sorry that your lamp came broken. Its price is on the way back to you.", 45), { verdict: "send", advice: "" });
  await stage.begin("complaint", run, { customer: "mia", letter: "My lamp arrived in pieces. I want my money back." });
  await stage.question(run);
}

Object.assign(journeys, {
  async "pictures for the documents"() {
    await complaint("letter-118");
    for (const scheme of ["light", "dark"]) {
      const page = await person({ width: 1200, height: 1080, scheme });
      await page.goto(`${stage.url}/runs/letter-118`);
      await page.locator(".timeline b", { hasText: "refund" }).waitFor();
      await page.locator(".state[data-step='4']").waitFor();
      await picture(page, `run-${scheme}`);
      if (scheme === "light") {
        await page.locator("#step").focus();
        await page.keyboard.press("ArrowLeft");
        await page.keyboard.press("ArrowLeft");
        await page.locator("output", { hasText: "of" }).waitFor();
        await page.locator(".state[data-step='2']").waitFor();
        await picture(page, "run-earlier");
        await page.goto(`${stage.url}/runs`);
        await page.locator("tbody tr", { hasText: "letter-118" }).waitFor();
        await page.setViewportSize({ width: 1200, height: 300 });
        await picture(page, "runs");
      }
      await page.context().close();
    }
    for (const [name, width, height] of [["inbox", 1200, 300], ["inbox-360", 360, 740]]) {
      const page = await person({ width, height });
      await page.locator(".card", { hasText: "letter-118" }).waitFor();
      await picture(page, name);
      await page.context().close();
    }
  },

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
    // The card may go by itself before it is clicked at, or while it is.
    await buttons[1].click({ timeout: 1000 }).catch(() => {});
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
    // The model goes on until it was seen, however long a browser takes to look.
    let seen = false;
    clerk.replies.push(function* () {
      yield '{"text": "';
      while (!seen) yield "one two three four ";
      yield 'five"}';
    });
    const page = await person();
    await page.goto(`${stage.url}/graphs/talk`);
    await page.getByText("Begin a run").click();
    await page.getByRole("button", { name: "Begin", exact: true }).click();
    await page.locator(".stream", { hasText: "one two three" }).waitFor();
    assert.equal(await page.locator(".card").count(), 0);
    seen = true;
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
  },

  async "a run is forked where it was, goes on, and goes back"() {
    const page = await person();
    await page.goto(`${stage.url}/runs/killed`);
    await page.locator(".timeline b", { hasText: "published" }).waitFor();
    await page.locator("#step").focus();
    await page.keyboard.press("ArrowLeft");
    await page.getByRole("button", { name: "Fork…" }).click();
    await page.getByRole("button", { name: "Fork", exact: true }).click();
    await page.waitForURL(/killed-fork/);
    await page.locator("h1", { hasText: "killed-fork" }).waitFor();
    const here = () => page.locator(".drawing").evaluate((host) => host.shadowRoot.querySelector('[data-mark~="here"]')?.dataset.node);
    await until("the drawing says where the branch stands", async () => (await here()) === "cool_down");
    await page.getByRole("button", { name: "Go on" }).click();
    await page.locator("h1 .badge", { hasText: "published" }).waitFor();
    await page.locator("output", { hasText: "2, now" }).waitFor();
    await page.locator("#step").focus();
    await page.keyboard.press("ArrowLeft");
    await page.locator("output", { hasText: "1 of 2" }).waitFor();
    assert.deepEqual(await page.locator(".timeline b").allInnerTexts(), ["cool_down"]);
    await page.getByRole("button", { name: "Go back…" }).click();
    await page.locator("dialog", { hasText: "Go back to step 1" }).getByRole("button", { name: "Go back" }).click();
    await page.locator("h1 .badge", { hasText: "ready" }).waitFor();
    await page.locator("output", { hasText: "1, now" }).waitFor();
  },

  async "whoever may only look cannot act, and a stranger cannot look"() {
    const page = await person({ name: "wim" });
    await page.goto(`${stage.url}/runs/again`);
    await page.locator(".card", { hasText: "You may look at this, and not answer it." }).waitFor();
    await page.getByRole("button", { name: "Save as scenario" }).waitFor();
    assert.equal(await page.getByRole("button", { name: /Cancel|Fork|Go back|publish/ }).count(), 0);
    const context = await browser.newContext();
    const stranger = await context.newPage();
    await stranger.goto(`${stage.url}/runs/killed`);
    await stranger.locator("h1", { hasText: "Who are you?" }).waitFor();
    await context.close();
  },

  async "a run is saved as a scenario"() {
    const page = await person();
    await page.goto(`${stage.url}/runs/order-7`);
    const saved = page.waitForEvent("download");
    await page.getByRole("button", { name: "Save as scenario" }).click();
    const download = await saved;
    assert.equal(download.suggestedFilename(), "order-7.scenarios.yaml");
    await download.saveAs(path.join(folder, "order-7.scenarios.yaml"));
    assert.match(stage.run("test", "order-7.scenarios.yaml"), /1 of 1 scenarios? passed|1 passed/);
    await stage.begin("publish", "ended", { text: "Open on Thursdays." });
    await stage.question("ended");
    await stage.ask("POST", "/runs/ended/cancel", { reason: "no need" });
    await page.goto(`${stage.url}/runs/ended`);
    await page.getByRole("button", { name: "Save as scenario" }).click();
    await page.locator(".note", { hasText: "it was ended from outside (no need)" }).waitFor();
  },

  async "two people see who else looks at a question"() {
    const [ana, ben] = [await person(), await person({ name: "ben" })];
    const card = ben.locator(".card", { hasText: "notice" });
    await card.waitFor();
    assert.equal(await card.getByText("Also looking").count(), 0);
    await ana.goto(`${stage.url}/runs/notice`);
    await card.getByText("Also looking: ana").waitFor();
    // Whoever has the inbox open looks at nothing yet; whoever is in a card does.
    assert.equal(await ana.getByText("Also looking").count(), 0);
    await card.focus();
    await ben.keyboard.press("Tab");
    await ana.getByText("Also looking: ben").waitFor();
    await ana.goto(`${stage.url}/graphs`);
    await card.getByText("Also looking").waitFor({ state: "detached" });
  },

  async "a long run is looked at without waiting"() {
    await stage.begin("long", "long", { rounds: 2300 });
    await stage.question("long");
    const page = await person();
    await page.goto(`${stage.url}/runs/long`);
    const last = await until("all of it is there", async () => {
      const [, steps] = (await page.locator("output").innerText()).match(/^(\d+), now/) ?? [];
      return Number(steps) > 2400 && Number(steps);
    });
    const visits = page.locator(".timeline > li");
    assert.equal(await visits.count(), 200);
    const [touched, took] = await page.locator("#step").evaluate((slider) => {
      const [changes, times] = [[], []];
      const observer = new MutationObserver(() => {});
      observer.observe(document.querySelector("main"), { subtree: true, childList: true, attributes: true, characterData: true });
      for (let at = Number(slider.value); times.length < 40; at -= 37) {
        const begun = performance.now();
        slider.value = String(at);
        slider.dispatchEvent(new Event("input"));
        slider.getBoundingClientRect();
        times.push(performance.now() - begun);
        changes.push(observer.takeRecords().length);
      }
      return [Math.max(...changes), times.sort((a, b) => a - b)];
    });
    const { events } = (await stage.ask("GET", "/runs/long")).body;
    console.log(`a step back in a run of ${events} events: ${took[20].toFixed(1)} ms, at most ${took[39].toFixed(1)} ms and ${touched} changes of the page`);
    // What is done for a step does not grow with the run.
    assert.ok(touched < events / 4, `a step changes ${touched} things`);
    await page.getByRole("button", { name: "Now" }).click();
    const earlier = page.getByRole("button", { name: /earlier ones/ });
    while (await earlier.isVisible()) await earlier.click();
    const steps = await visits.evaluateAll((items) => items.map((item) => Number(item.dataset.step)));
    assert.deepEqual(steps, [...Array(last + 1).keys()], "no visit is missing, and none is there twice");
  },

  async "a run of a graph that was edited since is drawn as it was"() {
    stage.edit("quota.yaml", (text) => text.replaceAll("late", "overdue"));
    await stage.kill("SIGTERM");
    await stage.serve("--resume");
    await stage.begin("quota", "sprint-2");
    await stage.ended("sprint-2");
    const page = await person();
    const nodes = async (run) => {
      await page.goto(`${stage.url}/runs/${run}`);
      await page.locator(".drawing").waitFor();
      return page.locator(".drawing").evaluate((host) => [...host.shadowRoot.querySelectorAll("[data-node]")].map((node) => node.dataset.node));
    };
    assert.ok((await nodes("sprint")).includes("late"));
    await page.getByText("This version of the graph is not served any more.").waitFor();
    assert.ok((await nodes("sprint-2")).includes("overdue"));
  },

  async "keys are listed, and left alone where they are typed"() {
    const page = await person();
    await page.keyboard.press("r");
    await page.locator("tbody a:focus").waitFor();
    await page.keyboard.press("?");
    await page.locator("dialog", { hasText: "the filters of the runs" }).waitFor();
    await fit(page, "the list of keys");
    // Nothing leads away from under a dialog.
    await page.keyboard.press("g");
    await page.getByLabel("Leave single keys alone").check();
    await page.keyboard.press("Escape");
    await page.locator("dialog").waitFor({ state: "detached" });
    await page.keyboard.press("g");
    assert.equal(new URL(page.url()).pathname, "/runs", "keys are off");
    await page.getByRole("button", { name: "Keys" }).click();
    await page.getByLabel("Leave single keys alone").uncheck();
    await page.keyboard.press("Escape");
    await page.locator("dialog").waitFor({ state: "detached" });
    await page.goto(`${stage.url}/runs/notice`);
    await page.locator("main h1:focus").waitFor();
    await page.getByRole("button", { name: "Fork…" }).click();
    await page.getByLabel("run", { exact: true }).fill("gir");
    await page.keyboard.press("Escape");
    await page.locator("dialog").waitFor({ state: "detached" });
    await page.keyboard.press("g");
    await page.locator("h1", { hasText: "Graphs" }).waitFor();
  },

  async "an editor checks and draws what is typed"() {
    const page = await person();
    await page.goto(`${stage.url}/graphs/refund`);
    await page.getByText("Try a change").click();
    await page.getByText("Nothing is found.").waitFor();
    const text = await page.getByLabel("refund.yaml").inputValue();
    await page.getByLabel("refund.yaml").fill(text.replace("to: paid}", "to: payd}"));
    await page.locator(".findings", { hasText: "payd" }).waitFor();
  },

  ...graphJourneys({ stage, person, fit, picture }),

  async "every view is fit for everyone"() {
    for (const [width, scheme] of [[1440, "light"], [1440, "dark"], [360, "light"], [360, "dark"]]) {
      const page = await person({ width, scheme });
      for (const view of ["", "runs", "runs/killed", "runs/sprint", "runs/payout", "graphs", "graphs/publish", "graphs/refund"]) {
        await page.goto(`${stage.url}/${view}`);
        await page.locator("#who:not(:empty)").waitFor();
        await page.locator("main h1").waitFor();
        if (/.\/./.test(view)) await page.locator(".drawing").waitFor();
        await fit(page, `${view || "the inbox"} at ${width} pixels, ${scheme}`);
      }
      await page.context().close();
    }
  },
});

const failed = [];
const only = process.env.JOURNEY;
for (const [name, journey] of Object.entries(journeys)) {
  if (only && !only.split(",").some((words) => name.includes(words))) continue;
  const begun = Date.now();
  try {
    await journey();
    assert.deepEqual(faults.splice(0), [], "the page told of faults");
    console.log(`ok ${name} (${Date.now() - begun} ms)`);
  } catch (fault) {
    for (const page of browser.contexts().flatMap((context) => context.pages())) await page.screenshot({ path: path.join(modules, "..", "page-failed.png") }).catch(() => {});
    failed.push(`FAILED ${name}\n${fault.stack ?? fault}\n${faults.splice(0).join("\n")}`);
  }
  for (const context of browser.contexts()) await context.close();
}
await browser.close();
clerk.close();
await stage.kill("SIGTERM");
// What failed stands at the end, where it is read.
if (failed.length) console.log(`${stage.log()}\n${failed.join("\n")}`);
process.exit(failed.length ? 1 : 0);
