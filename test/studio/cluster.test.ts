// The studio with a cluster of hundreds of workloads: they are found, an edit is measured on them, and each branch says what takes it.
import { join } from "node:path";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { inTurn, turnOf } from "../support/in-turn.ts";
import { chromiumFlags, chromiumPath } from "./find-chromium.ts";
import { AGENT, AGENT_WITH_PORT, LARGE_CLUSTER, MEASURED, RUNNING } from "./large-cluster.ts";
import { type OpenStudio, openStudio } from "./open-studio.ts";
import { violations } from "./violations.ts";

/** The folder into which a picture of each state is written, to be opened. */
const PICTURES = process.env["OUTRIGGER_PICTURES"];

const PODS = RUNNING.reduce((sum, { pods }) => sum + pods, 0);

describe.skipIf(chromiumPath === undefined)("the studio with a cluster", () => {
  let browser: Browser;
  let studio: OpenStudio;
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: chromiumPath as string, args: [...chromiumFlags] });
  });
  afterAll(() => browser?.close());
  beforeEach(async () => {
    studio = await openStudio(browser, "my-templates");
    studio.runs(MEASURED);
    studio.write("config.yaml", "defaultTemplates: [sidecar, agent]\n");
    studio.write("templates/agent.hbs", AGENT);
  });
  afterEach(async () => {
    expect(studio.complaints).toEqual([]);
    await studio.close();
  });

  const picker = (page: Page) => page.getByTestId("pod");
  const editor = (page: Page) => page.locator("main .cm-content");

  async function write(page: Page, text: string): Promise<void> {
    await editor(page).click();
    await page.keyboard.press("Control+A");
    await page.keyboard.press("Delete");
    await page.keyboard.insertText(text);
  }

  async function picture(page: Page, name: string): Promise<void> {
    if (PICTURES !== undefined) await page.screenshot({ path: join(PICTURES, `cluster-${name}.png`) });
  }

  const open = (options: Parameters<OpenStudio["visit"]>[0] = {}) =>
    studio.visit({ fragment: "#/edit?file=templates/agent", ...options });

  it("finds one of 800 workloads by parts of its name, with the keyboard alone", async () => {
    studio.runs(LARGE_CLUSTER);
    const page = await open();
    await picker(page).press("Enter");
    const field = page.getByRole("searchbox", { name: "Find a pod" });
    await page.getByText("prod › team-0").waitFor();
    await picture(page, "picker");
    // What is shown is as much as a reader looks through: the others are found by their names.
    expect(await page.locator(".choice .entry").count()).toBe(100);
    expect(await page.locator(".choice [role=status]").textContent()).toMatch(/^\d+ more: write a part of the name$/);
    await field.fill("team-4 app-6");
    expect(await page.locator(".choice .entry").allInnerTexts()).toEqual(
      LARGE_CLUSTER.filter(({ namespace, name }) => namespace === "team-4" && name.includes("app-6"))
        .map(
          ({ name, pods, isSent }) =>
            `${name}\n${isSent ? `${pods} pod${pods === 1 ? "" : "s"}` : "not sent to the webhook"}`,
        )
        .sort(new Intl.Collator("en", { numeric: true }).compare),
    );
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    expect(await picker(page).textContent()).toContain("team-4/Deployment app-604");
    expect(await page.evaluate("document.activeElement.dataset.testid")).toBe("pod");
    await page.locator("#preview-panel").getByText("agent:1").first().waitFor();
    // A second click, and Escape, change nothing.
    await picker(page).click();
    await field.waitFor();
    await picker(page).click();
    expect(await page.locator(".choice").count()).toBe(0);
    await page.keyboard.press("Enter");
    await page.keyboard.press("Escape");
    expect(await page.locator(".choice").count()).toBe(0);
    expect(await picker(page).textContent()).toContain("app-604");
  });

  it("measures an edit on the running pods, the gravest change first, and shows the pod of a workload before and after", async () => {
    const page = await open();
    await page.getByText(`0 of ${PODS} pods running in prod (0 workloads)`).waitFor();
    await write(page, AGENT_WITH_PORT);
    const affected = RUNNING.filter(({ pod }) => JSON.stringify(pod).includes("agent.example.com/port"));
    const pods = affected.reduce((sum, workload) => sum + workload.pods, 0);
    await page.getByText(`${pods} of ${PODS} pods running in prod (${affected.length} workloads)`).click();
    const groups = page.locator(".impact").first().locator("summary");
    expect(await groups.locator("span:first-child").allInnerTexts()).toEqual([
      "2 pods in 1 workload would be refused",
      `${pods - 2} pods in ${affected.length - 1} workloads would change in this way`,
    ]);
    await groups.last().click();
    await picture(page, "impact");
    await page.getByRole("button", { name: "team-3/Deployment app-51" }).click();
    expect(await picker(page).textContent()).toContain("team-3/Deployment app-51");
    await page.locator("#preview-panel").getByText("containerPort: 9200").first().waitFor();
    await picture(page, "opened");
    await groups.first().click();
    await page.getByRole("button", { name: "team-1/Deployment app-1" }).click();
    await page.locator(".decision").getByText("Refused").waitFor();
    expect(await violations(page)).toEqual([]);
  });

  it("says at each branch how many workloads take it, and whether a sample does", async () => {
    const page = await open();
    const ported = RUNNING.filter(({ pod }) => JSON.stringify(pod).includes("agent.example.com/port")).length;
    const marks = page.locator(".cm-branches .branch");
    await marks.first().waitFor();
    expect(await marks.allInnerTexts()).toEqual([String(ported), "0"]);
    expect(await marks.evaluateAll((all) => all.map(({ className }) => className))).toEqual([
      "branch warn",
      "branch none",
    ]);
    await picture(page, "branches");
    // A mark stays at its block while lines are written above it.
    await editor(page).click();
    await page.keyboard.press("Control+Home");
    await page.keyboard.insertText("# mine\n");
    const heightOf = async (selector: string, at = 0) => (await page.locator(selector).nth(at).boundingBox())?.y ?? 0;
    const line = page.locator("main .cm-line").filter({ hasText: "agent.example.com/port" });
    expect(Math.abs((await heightOf(".cm-branches .branch")) - ((await line.boundingBox())?.y ?? 0))).toBeLessThan(8);
    // Those who use no mouse read it for the line of the cursor, and go to a pod that takes it.
    await line.click();
    const taken = page.getByRole("button", { name: `taken by ${ported} workloads and 0 samples` });
    expect(await taken.textContent()).toContain("outrigger samples");
    await taken.click();
    expect(await picker(page).textContent()).toContain("team-1/Deployment app-1 ");
    await page.locator("#tab-changes").click();
    await page.locator("#preview-panel").getByText("tty").first().waitFor();
    // A sample that takes it.
    studio.write(
      "samples/ported.yaml",
      'kind: Pod\napiVersion: v1\nmetadata: {name: ported, annotations: {agent.example.com/port: "1"}}\nspec: {containers: [{name: a, image: a}]}\n',
    );
    await page.locator(".cm-branches .branch:not(.warn):not(.none)").waitFor();
    expect(await violations(page)).toEqual([]);
  });

  const windows = [
    { scheme: "dark", locale: "zh-CN", width: 1440 },
    { scheme: "light", locale: "zh-CN", width: 390 },
    { scheme: "dark", locale: "en-GB", width: 390 },
  ] as const;
  const itInTurn = inTurn(it, turnOf("Windows with a large cluster", windows.length));

  for (const { scheme, locale, width } of windows)
    itInTurn(`is as wide as the window: ${scheme}, ${locale}, ${width} px`, async () => {
      const page = await open({ scheme, locale, viewport: { width, height: 900 } });
      await page.locator(".cm-branches .branch").first().waitFor();
      await write(page, AGENT_WITH_PORT);
      await page.locator(".toggle").last().filter({ hasText: "prod" }).filter({ hasNotText: "…" }).click();
      await page.locator(".impact summary").nth(1).click();
      const name = (what: string) => `${what}-${scheme}-${locale}-${width}`;
      await picture(page, name("impact"));
      const wide = () => page.evaluate<number>("document.documentElement.scrollWidth - innerWidth");
      const found = [await wide(), ...(await violations(page))];
      await picker(page).click();
      await page.locator(".choice .entry").first().waitFor();
      await picture(page, name("picker"));
      expect([...found, await wide(), ...(await violations(page))]).toEqual([0, 0]);
    });
});
