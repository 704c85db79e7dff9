// What people do on the page of a graph. It needs what `journeys.mjs` has: the stage, people, and looks at whether a page is fit for everyone.

import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { until } from "./stage.mjs";

/** The text of a file in the folder that is served. */
const read = (stage, name) => fs.readFileSync(path.join(stage.folder, name), "utf8");

/** The line of the editor's caret, from 1. */
const caretLine = (page) => page.locator("#editor").evaluate((area) => area.value.slice(0, area.selectionStart).split("\n").length);

export const graphJourneys = ({ stage, person, fit, picture }) => ({
  async "edges that no scenario takes are pale"() {
    const page = await person();
    await page.goto(`${stage.url}/graphs/refund`);
    await page.locator(".drawing").waitFor();
    const pale = await page.locator(".drawing").evaluate((host) => [...host.shadowRoot.querySelectorAll("[data-pale] :is(path, text)")].map((arrow) => Number(getComputedStyle(arrow).opacity)));
    assert.ok(pale.length > 0 && pale.every((opacity) => opacity < 0.5), `${pale}`);
    const whole = await page.locator(".drawing").evaluate((host) => host.shadowRoot.querySelectorAll("[data-edge]:not([data-pale])").length);
    assert.ok(whole > 0, "the edge that is taken is not pale");
    await page.getByText("Pale arrows: no scenario takes them").waitFor();
    const missed = page.locator(".missed li");
    assert.match((await missed.allInnerTexts()).join(), /pay -> refused/);
    await missed.locator(".place").first().click();
    const line = Number((await missed.locator(".place").first().innerText()).split(":")[1]);
    assert.equal(await caretLine(page), line);
    assert.equal(await page.evaluate(() => document.activeElement.id), "editor");
    await fit(page, "a graph with scenarios");
  },

  async "a finding moves the caret to its place"() {
    const page = await person();
    await page.goto(`${stage.url}/graphs/refund`);
    await page.getByText("Try a change").click();
    await page.getByText("Nothing is found.").waitFor();
    const text = await page.locator("#editor").inputValue();
    await page.locator("#editor").fill(text.replace("to: paid}", "to: payd}"));
    const place = page.locator(".findings .place").first();
    await place.click();
    const line = text.split("\n").findIndex((one) => one.includes("to: paid}")) + 1;
    assert.equal(await caretLine(page), line);
  },

  async "the runs of a graph are charts that lead to them"() {
    const page = await person();
    await page.goto(`${stage.url}/graphs/publish`);
    const { body } = await stage.ask("GET", "/runs?graph=publish&limit=200");
    const bars = page.locator("figure", { hasText: "Steps" }).locator("svg a");
    await bars.first().waitFor();
    assert.equal(await bars.count(), body.runs.filter(({ steps }) => steps != null).length);
    await page.getByText("These runs as a table").click();
    assert.equal(await page.locator(".tall tbody tr").count(), body.runs.length);
    await bars.last().click();
    await page.waitForURL(new RegExp(`/runs/${body.runs[0].run}$`));
  },

  async "other versions are compared as they are chosen"() {
    const page = await person();
    await page.goto(`${stage.url}/graphs/quota`);
    await page.getByText("Compare versions").click();
    await page.locator(".diff > li").first().waitFor();
    await fit(page, "two versions");
    const served = await page.locator("#version-to").inputValue();
    await page.locator("#version-from").selectOption(served);
    await page.getByText("Nothing changed.").waitFor();
    await page.goto(`${stage.url}/graphs/publish`);
    await page.getByText("Compare versions").click();
    await page.getByText("There is only one version.").waitFor();
  },

  async "a graph is changed, and new runs go by the change"() {
    await stage.kill("SIGTERM");
    await stage.serve("--resume", "--edit");
    const graph = () => read(stage, "refund.yaml");
    await stage.begin("refund", "before-saving");
    const question = await stage.question("before-saving");
    const [ana, bob] = [await person(), await person()];
    for (const page of [ana, bob]) {
      await page.goto(`${stage.url}/graphs/refund`);
      await page.locator("summary", { hasText: /^Edit$/ }).click();
      await page.getByText("Nothing is found.").waitFor();
      assert.ok(await page.getByRole("button", { name: "Save" }).isDisabled());
    }
    const text = await ana.locator("#editor").inputValue();
    await ana.locator("#editor").fill(text.replace(/amount: int = \d+/, "amount: int = 55").replace("title: A refund", "title: Some refund"));
    await ana.keyboard.press("Control+s");
    await ana.getByText("Saved. New runs go by it").waitFor();
    await ana.locator("main p", { hasText: "Some refund" }).first().waitFor();
    assert.match(graph(), /amount: int = 55/);
    await fit(ana, "a graph that was saved");
    await ana.getByText("Begin a run").click();
    await ana.getByRole("button", { name: "Begin", exact: true }).click();
    await ana.waitForURL(/\/runs\//);
    const made = new URL(ana.url()).pathname.split("/").at(-1);
    const asked = await stage.question(made);
    assert.equal(asked.call.args.amount, 55);
    // The one before waits still, with what it asked.
    assert.deepEqual(await stage.question("before-saving"), question);
    const [one, other] = await Promise.all([made, "before-saving"].map(async (run) => (await stage.ask("GET", `/runs/${run}`)).body.program));
    assert.notEqual(one, other);
    // Who saves later is shown what the other has saved.
    await bob.locator("#editor").fill(text.replace(/amount: int = \d+/, "amount: int = 66"));
    await bob.getByRole("button", { name: "Save" }).click();
    await bob.getByText("Somebody has saved another text meanwhile.").waitFor();
    assert.match(graph(), /amount: int = 55/);
    await bob.getByRole("button", { name: "Show theirs" }).click();
    assert.match(await bob.locator("#editor").inputValue(), /amount: int = 55/);
    await bob.locator("#editor").fill("graph: [");
    await bob.getByRole("button", { name: "Save" }).click();
    await bob.getByText("cannot be read").waitFor();
    await bob.locator("#editor").fill(graph());
    // Scenarios are saved as well.
    await bob.getByLabel("File").selectOption("refund.scenarios.yaml");
    await bob.getByText("1 passed, 0 failed").waitFor();
    const scenarios = await bob.locator("#editor").inputValue();
    await bob.locator("#editor").fill(scenarios.replace("a refund is paid", "a refund is paid out"));
    await bob.getByRole("button", { name: "Save" }).click();
    await bob.locator(".scenarios", { hasText: "a refund is paid out" }).waitFor();
    assert.match(read(stage, "refund.scenarios.yaml"), /paid out/);
    const page = await person({ width: 960 });
    await page.goto(`${stage.url}/graphs/refund`);
    await page.locator("h1:focus").waitFor();
    await page.keyboard.press("c");
    await page.locator(".diff > li").first().waitFor();
    await picture(page, "graph");
    await until("nothing else is left in the folder", () => fs.readdirSync(stage.folder).every((name) => !/^\.refund/.test(name)));
  },
});
