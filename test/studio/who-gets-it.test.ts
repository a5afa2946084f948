// "Who gets it" at a template: a form over the entries of `defaultTemplates` in config, whose text stays as it was around them.
import { type Browser, chromium } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { inTurn, turnOf } from "../support/in-turn.ts";
import { chromiumFlags, chromiumPath } from "./find-chromium.ts";
import { type OpenStudio, openStudio } from "./open-studio.ts";

const CONFIG = `# Who gets what
defaultTemplates: # in this order
- sidecar # everyone
- name: agent # the logs
  match: # asked for by ops
    podLabels: {logs: "yes"}
`;

describe.skipIf(chromiumPath === undefined)("who gets a template", () => {
  let browser: Browser;
  let studio: OpenStudio;
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: chromiumPath as string, args: [...chromiumFlags] });
    const pod = { metadata: { labels: { logs: "yes" } }, spec: { containers: [{ name: "web", image: "web:1" }] } };
    const workloads = ["shop", "till"].map((namespace) => ({
      name: "Deployment web",
      namespace,
      pods: 4,
      isSent: true,
      pod,
      owner: { name: "web", namespace, kind: "Deployment", apiVersion: "apps/v1" },
      parameters: {},
    }));
    studio = await openStudio(browser);
    studio.runs(workloads);
    studio.write("templates/agent.hbs", "metadata:\n  annotations:\n    agent: here\n");
  });
  beforeEach(() => studio.write("config.yaml", CONFIG));
  afterAll(async () => {
    await studio?.close();
    await browser?.close();
  });

  /** Conditions are written by what has tests of its own: a commit takes a third. */
  const itInTurn = inTurn(it, turnOf("Ways through the studio", 3));

  const visit = async () => {
    const page = await studio.visit({ fragment: "#/edit?file=templates/agent" });
    const who = page.getByRole("region", { name: "Who gets it" });
    const add = async (text: string, group = 0) => {
      await who.getByRole("textbox").nth(group).fill(text);
      await page.keyboard.press("Enter");
    };
    const saved = async () => {
      await page.keyboard.press("Control+S");
      await page.getByText("Nothing to save").waitFor();
      return studio.read("config.yaml");
    };
    return { page, who, add, saved };
  };

  it("says how many samples and running pods get it, and writes conditions without touching the rest", async () => {
    const { page, who, add, saved } = await visit();
    await who.getByText(/^0 of \d+ samples, 8 of 8 pods running in prod$/).waitFor();
    await add("shop");
    await who.getByText(/ 4 of 8 pods running in prod$/).waitFor();
    await add("tier=web");
    await add("tier=api");
    await who.getByText("tier: api").waitFor();
    await who.getByText(/ 0 of 8 pods running in prod$/).waitFor();
    const text = await saved();
    expect(text).toContain('podLabels: {logs: "yes", tier: [web, api]}');
    for (const line of ["# Who gets what", "defaultTemplates: # in this order", "- sidecar # everyone"])
      expect(text.split("\n")).toContain(line);
    expect(text).toContain("- name: agent # the logs\n  match: # asked for by ops\n");
    // Back, by taking away what was added: one after the other, while the row still moves, under which a mouse would miss.
    for (const name of ["tier: web", "tier: api", "in shop"])
      await who.getByRole("button", { name: `Remove ${name}`, exact: true }).dispatchEvent("click");
    await who.getByText(/ 8 of 8 pods running in prod$/).waitFor();
    expect(await saved()).toBe(CONFIG);
    await page.context().close();
  });

  itInTurn("shows lint's error of what was written; taking it away leads back", async () => {
    const { page, who, add } = await visit();
    for (const [text, chip, message] of [
      ["kube-system", "in kube-system", "it must be another namespace: pods of kube-system are never injected"],
      ["Shop_1", "in Shop_1", "it must be the name of a namespace: lower-case letters, digits and dashes"],
      ["a b=c", "a b: c", "Cannot use the label selector at"],
    ] as const) {
      await add(text);
      await who.locator(".findings .error").getByText(message).waitFor();
      await who.getByRole("button", { name: `Remove ${chip}` }).click();
      await who.locator(".findings").waitFor({ state: "detached" });
    }
    await page.getByText("Nothing to save").waitFor();
    await page.context().close();
  });

  itInTurn(
    "gives it to every pod, to other pods besides, and to none; what no condition is left of goes to nobody",
    async () => {
      const { page, who, add, saved } = await visit();
      await who.getByRole("button", { name: "or other pods…" }).click();
      await add("till", 1);
      await who.getByText("in till").waitFor();
      expect(await saved()).toContain("- name: agent\n  match:\n    namespaces:\n    - till\n");
      await who.getByRole("button", { name: "Give it to every pod" }).click();
      await who.getByText("every pod", { exact: true }).waitFor();
      await who.getByText(/ 8 of 8 pods running in prod$/).waitFor();
      expect(await saved()).toContain("- sidecar # everyone\n- agent");
      await add("logs=yes");
      await who.getByText("logs: yes").waitFor();
      // It was saved for every pod: that is what it comes back to.
      await who.getByRole("button", { name: "Remove logs: yes" }).click();
      await page.getByText("Nothing to save").waitFor();
      await who.getByRole("button", { name: "Only to pods that name it" }).click();
      await who.getByText("only pods that name it", { exact: true }).waitFor();
      expect(await saved()).not.toContain("agent");
      await add("logs=yes");
      await who.getByRole("button", { name: "Remove logs: yes" }).click();
      await page.getByText("Nothing to save").waitFor();
      await page.context().close();
    },
  );

  itInTurn("shows what aliases share, changes none of it, and leads to its line", async () => {
    const text = `defaultTemplates:
- sidecar
- name: agent
  match: &ops {podLabels: {logs: "yes"} }
- name: other
  match: *ops
`;
    studio.write("config.yaml", text);
    studio.write("templates/other.hbs", "metadata:\n  annotations:\n    other: here\n");
    const { page, who } = await visit();
    await who.getByText("logs: yes").waitFor();
    await who.getByText(/ 8 of 8 pods running in prod$/).waitFor();
    expect(await who.getByRole("textbox").count()).toBe(0);
    expect(await who.getByRole("button").allInnerTexts()).toEqual(["Try it on such a pod", "config, line 4"]);
    await who.getByRole("button", { name: "config, line 4" }).click();
    await page.locator("main .cm-activeLine").getByText("match: &ops").waitFor();
    expect(studio.read("config.yaml")).toBe(text);
    await page.context().close();
  });

  it("keeps what is typed next while a condition is written", async () => {
    const { page, who } = await visit();
    await who.getByText("logs: yes").waitFor();
    const field = who.getByRole("textbox").first();
    await field.fill("tier=web");
    await page.keyboard.press("Enter");
    await page.keyboard.type("tier=api");
    await who.getByText("tier: web").waitFor();
    expect(await field.inputValue()).toBe("tier=api");
    await page.keyboard.press("Enter");
    await who.getByText("tier: api").waitFor();
    await page.context().close();
  });

  itInTurn("is not shown for what is no template", async () => {
    const { page, who } = await visit();
    await page.locator(".entry").filter({ hasText: "config" }).first().click();
    await page.locator("main .cm-content").getByText("Who gets what").waitFor();
    expect(await who.count()).toBe(0);
    await page.context().close();
  });
});
