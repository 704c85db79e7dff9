// What people do by keyboard alone. A task begins at an address; what is pressed from there on is counted, and `docs/page.md` shows the counts.

import assert from "node:assert/strict";

/** What the tasks find: two questions, a run that failed, and one that used a budget up. */
export async function prepare(stage) {
  await stage.begin("quota", "sprint");
  await stage.ended("sprint");
  await stage.begin("refund", "payout", { to: "nobody", amount: 12 });
  const { approve } = await stage.question("payout");
  await stage.answer("payout", { approve });
  await stage.ended("payout");
  await stage.begin("refund", "order-7");
  await stage.question("order-7");
  await stage.begin("publish", "notice", { text: "Open on Mondays." });
  await stage.question("notice");
}

export const TASKS = [
  {
    name: "Find what waits for an answer",
    from: "graphs",
    async act({ page, keys }) {
      await keys.press("i");
      await page.locator(".card:focus", { hasText: "notice" }).waitFor();
      await page.locator(".card", { hasText: "order-7" }).waitFor();
    },
  },
  {
    name: "Approve a call with another amount",
    from: "",
    async act({ page, keys, stage }) {
      await keys.press("j");
      await page.locator(".card:focus", { hasText: "order-7" }).waitFor();
      await until(page, keys, "Tab", "summary:focus", "Change the arguments");
      await keys.press("Enter");
      await until(page, keys, "Tab", "input[type=number]:focus");
      await keys.type("7");
      await keys.press("Enter");
      await page.locator(".card", { hasText: "order-7" }).waitFor({ state: "detached" });
      assert.deepEqual((await stage.ended("order-7")).output, { receipt: "paid 7 to bob" });
    },
  },
  {
    name: "See why a run failed",
    from: "",
    async act({ page, keys }) {
      await keys.press("r");
      await page.locator("tbody a:focus").waitFor();
      await keys.press("/", "f");
      await page.waitForURL(/status=failed/);
      await page.locator("tbody tr", { hasText: "order-7" }).waitFor({ state: "detached" });
      await until(page, keys, "Tab", "tbody a:focus", "payout");
      await keys.press("Enter");
      await page.locator(".fault", { hasText: "There is no account of that name." }).waitFor();
    },
  },
  {
    name: "Find the step at which a budget was used up",
    from: "runs",
    async act({ page, keys }) {
      await page.locator("tbody a:focus").waitFor();
      await until(page, keys, "j", "tbody a:focus", "sprint");
      await keys.press("Enter");
      await page.locator("h1", { hasText: "sprint" }).waitFor();
      await page.locator(".spends li", { hasText: "used up" }).waitFor();
      await keys.press("b");
      const button = page.locator(".spends button:focus");
      await button.waitFor();
      const step = (await button.innerText()).replace("Step ", "");
      await keys.press("Enter");
      await page.locator("output", { hasText: `${step} of` }).waitFor();
      await page.locator(".timeline .selected").waitFor();
    },
  },
  {
    name: "Compare two versions of a graph",
    from: "graphs",
    async before({ stage }) {
      await stage.kill("SIGTERM");
      stage.edit("quota.yaml", (text) => text.replace("hours: 20", "hours: 40").replace("graph: quota\n", "graph: quota\ndoc: Twice the time.\n"));
      await stage.serve("--resume");
      await stage.begin("quota", "sprint-1");
      await stage.ended("sprint-1");
    },
    async act({ page, keys }) {
      await until(page, keys, "j", "tbody a:focus", "quota");
      await keys.press("Enter");
      await page.locator("h1:focus", { hasText: "quota" }).waitFor();
      await keys.press("c");
      const changed = page.locator(".diff li", { hasText: "budgets.hours.limit" });
      await changed.waitFor();
      assert.match(await changed.innerText(), /^changed[^]*was\s+20[^]*is\s+40/);
      await page.locator(".diff li", { hasText: /^added/ }).waitFor();
    },
  },
];

/** Presses a key until something has the focus. */
async function until(page, keys, key, selector, text = "") {
  for (let pressed = 0; pressed < 20; pressed += 1) {
    if (await page.locator(selector, { hasText: text }).count()) return;
    await keys.press(key);
  }
  assert.fail(`${key} does not lead to ${selector} ${text}`);
}
