import { readFileSync } from "node:fs";
import { deflateRawSync } from "node:zlib";
import { objectOf } from "@outrigger/base";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { inTurn, turnOf } from "../support/in-turn.ts";
import { choosePod } from "./choose-pod.ts";
import { chromiumFlags, chromiumPath } from "./find-chromium.ts";
import { type OpenStudio, openStudio, WORKLOADS } from "./open-studio.ts";

// Where there is no Chromium the tests count as skipped: vitest's last line says how many.
describe.skipIf(chromiumPath === undefined)("the studio in a browser", () => {
  let browser: Browser;
  let studio: OpenStudio;
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: chromiumPath as string, args: [...chromiumFlags] });
  });
  afterAll(() => browser?.close());
  beforeEach(async () => {
    studio = await openStudio(browser);
  });
  afterEach(async () => {
    expect(studio.complaints).toEqual([]);
    await studio.close();
  });

  /** The entry in the list of files, which the search shows wherever it is. */
  const listed = (page: Page, entry: string) => page.locator(".entry").filter({ hasText: entry }).first();
  async function open(page: Page, entry: string): Promise<void> {
    const search = page.getByRole("searchbox");
    await search.fill(entry);
    await listed(page, entry).click();
    await search.fill("");
  }
  const injected = (page: Page) => page.locator("#preview-panel .cm-content");
  const changes = (page: Page) => page.locator("#preview-panel .changes");
  const whole = (page: Page) => page.getByRole("tab", { name: "Pod", exact: true }).click();
  const editor = (page: Page) => page.locator("main .cm-content");

  async function replaceText(page: Page, text: string): Promise<void> {
    await editor(page).click();
    await page.keyboard.press("Control+A");
    // Chromium gives text that replaces a selection the selection's style, which the page's policy refuses.
    await page.keyboard.press("Delete");
    await page.keyboard.insertText(text);
  }

  /** What tests of its parts show, or another way through the page: a commit takes a third. What keeps edits is no such thing. */
  const itInTurn = inTurn(it, turnOf("Ways through the studio", 3));

  it("shows what an edit makes of the pod, and saves it", async () => {
    const page = await studio.visit();
    await open(page, "proxy-image");
    await replaceText(page, "image: registry.example/mine:1\n");
    await changes(page).getByText("registry.example/mine:1").first().waitFor();
    expect(await listed(page, "partials/proxy-image").textContent()).toMatch(/replaces shipped/);
    await page.keyboard.press("Control+S");
    await page.getByText("Nothing to save").waitFor();
    expect(studio.read("partials/proxy-image.hbs")).toBe("image: registry.example/mine:1\n");
  });

  itInTurn("finds what Parameter Store would refuse, as lint does", async () => {
    const page = await studio.visit();
    await open(page, "partials/proxy-image");
    await replaceText(page, "image: a\nresources: {limits: {memory: 2Gi}}\n");
    await page.getByText("put a space between the two").first().waitFor();
    await page.getByRole("button", { name: "partials/proxy-image, line 2" }).waitFor();
  });

  it("shows at once what an edit changes, in which pods, and where that is in the whole injection", async () => {
    studio.runs(WORKLOADS);
    const page = await studio.visit();
    await page.getByText("Impact: 0 of").waitFor();
    await open(page, "values/00-default");
    await editor(page).getByText("privileged: false").click();
    await page.keyboard.press("End");
    for (const _letter of "false") await page.keyboard.press("Backspace");
    await page.keyboard.insertText("true");
    await page
      .getByRole("list", { name: "My edit" })
      .getByText(/^privileged: false → true\s*· 200 of 200 pods$/)
      .first()
      .waitFor();
    expect(await page.getByRole("tab", { name: "My edit" }).getAttribute("aria-selected")).toBe("true");
    const texts = async (selector: string) =>
      (await changes(page).locator(selector).allInnerTexts()).map((text) => text.replaceAll(/\s+/g, " "));
    expect((await texts(".changed")).slice(0, 2)).toEqual([
      expect.stringMatching(/^changed allowPrivilegeEscalation: false true/),
      expect.stringMatching(/^changed privileged: false true/),
    ]);
    // Nothing else is in the way, and in the whole injection it is marked and in sight.
    expect(await changes(page).locator(".change-row").count()).toBeLessThan(20);
    await page.getByRole("tab", { name: "Whole injection" }).click();
    expect((await texts(".edited")).map((text) => text.split(/[ :]/)[1])).toEqual([
      "allowPrivilegeEscalation",
      "privileged",
      "allowPrivilegeEscalation",
      "privileged",
    ]);
    await page.getByRole("button", { name: "Discard edit" }).click();
    await expect.poll(() => changes(page).locator(".edited").count()).toBe(0);
  });

  itInTurn("says of each entry whose it is, and what is wrong with it", async () => {
    studio.write("partials/proxy-image.hbs", "image: registry.example/mine:1\n");
    studio.write("templates/mine.hbs", "metadata:\n  labels:\n    mine: yes-it-is\n");
    studio.write("values/10-mine.yaml", "global:\n  prxy: {}\n");
    const page = await studio.visit();
    const badges = (entry: string) => listed(page, entry).locator(".badge").allTextContents();
    expect(await page.locator(".files ul").first().locator(".entry").count()).toBe(3);
    expect(await badges("partials/proxy-image")).toEqual(["replaces shipped"]);
    expect(await badges("templates/mine")).toEqual([]);
    await expect.poll(() => badges("values/10-mine")).toEqual(["has warnings"]);
    await open(page, "mine");
    await replaceText(page, "metadata: {{nothing}\n");
    await expect.poll(() => badges("templates/mine")).toEqual(["unsaved", "has errors"]);
    await page.getByRole("button", { name: "Discard edit" }).click();
    await expect.poll(() => badges("templates/mine")).toEqual([]);
  });

  it("shows an error at its line, and keeps the last good preview", async () => {
    const page = await studio.visit();
    const before = await changes(page).locator(".fold").allTextContents();
    await open(page, "proxy-args");
    await editor(page).click();
    await page.keyboard.press("Control+Home");
    await page.keyboard.insertText("{{#if values}}\n");
    await page.getByText("this is the last good preview of this pod").waitFor();
    expect(await page.locator(".status-line .first").textContent()).toMatch(/^partials\/proxy-args, line \d+ /);
    expect(await page.locator(".cm-lint-marker-error").count()).toBe(1);
    expect(await changes(page).locator(".fold").allTextContents()).toEqual(before);
    // Never another pod under the name of the chosen one.
    await choosePod(page, "plain-pod");
    await page.getByText("This pod has no preview until the errors are fixed").waitFor();
    expect(await changes(page).count()).toBe(0);
  });

  itInTurn("takes keys where they take a finding of the samples away from the editor", async () => {
    studio.write(
      "templates/mine.hbs",
      "metadata:\n  labels:\n    team: {{required 'a team' metadata.annotations.team}}\n",
    );
    const page = await studio.visit();
    await open(page, "templates/mine");
    await page.locator("main .cm-lint-marker").first().waitFor();
    await editor(page).click();
    await page.keyboard.press("Control+End");
    await page.keyboard.type("# ab");
    expect(await editor(page).innerText()).toContain("# ab");
    await page.getByText("Save 1 edit").waitFor();
  });

  itInTurn("names a file that does not belong there, and shows the others", async () => {
    studio.write("values/10-mine.yaml", "global:\n  tag: mine\n");
    studio.write("templates/oops.txt", "nothing\n");
    const page = await studio.visit();
    await page
      .getByText(/templates\/oops\.txt: files in templates end in \.hbs/)
      .first()
      .waitFor();
    await changes(page).getByText("proxyv2:mine").first().waitFor();
    await open(page, "values/10-mine");
    await replaceText(page, "global:\n  tag: other\n");
    await page.keyboard.press("Control+S");
    await page.getByText("Nothing to save").waitFor();
    expect(studio.read("values/10-mine.yaml")).toBe("global:\n  tag: other\n");
  });

  itInTurn("leads from a finding to its line", async () => {
    studio.write("values/10-mine.yaml", "global:\n  hub: registry.example/a\n  prxy: {}\n");
    const page = await studio.visit();
    await page.getByRole("button", { name: "values/10-mine, line 3" }).click();
    expect(await page.locator("main h2").textContent()).toBe("values/10-mine");
    expect(await page.locator("main .cm-activeLine").textContent()).toBe("  prxy: {}");
  });

  itInTurn("leads from a line of the pod to the template's line that wrote it, and back", async () => {
    studio.write("partials/proxy-image.hbs", "image: registry.example/traced:1\n");
    // The editor draws what is in sight.
    const page = await studio.visit({ viewport: { width: 1440, height: 6000 } });
    await whole(page);
    await page.locator(".cm-origins").getByText("proxy-image:1").first().waitFor();
    await injected(page).getByText("registry.example/traced:1").first().hover();
    await page.getByRole("button", { name: "Written by partials/proxy-image, line 1" }).first().click();
    expect(await page.locator("main h2").textContent()).toBe("partials/proxy-image");
    expect(await page.locator("main .cm-activeLine").textContent()).toBe("image: registry.example/traced:1");
    await page.getByRole("tab", { name: "Whole injection" }).click();
    await page.getByRole("button", { name: "Line 1 writes 1 line of the pod: show" }).click();
    await injected(page).locator(".cm-activeLine").getByText("registry.example/traced:1").waitFor();
    // Without a mouse: the cursor's line says who wrote it, and F12 leads there.
    await open(page, "proxy-args");
    await injected(page).focus();
    await page.keyboard.press("F12");
    await expect.poll(() => page.locator("main h2").textContent()).toBe("partials/proxy-image");
    expect(await page.getByTestId("line-origin").textContent()).toContain("Written by partials/proxy-image, line 1");
  });

  itInTurn("keeps what can be undone while another file is shown", async () => {
    const page = await studio.visit();
    await open(page, "proxy-image");
    const before = await editor(page).textContent();
    await replaceText(page, "image: registry.example/undone:1\n");
    await open(page, "mesh");
    await open(page, "proxy-image");
    expect(await editor(page).textContent()).toContain("undone:1");
    await editor(page).click();
    for (let step = 0; step < 2; step += 1) await page.keyboard.press("Control+Z");
    await expect.poll(() => editor(page).textContent()).toBe(before);
  });

  itInTurn("leads from a partial's call and a value to where they are, and finds lines from anywhere", async () => {
    studio.write("values/50-image.yaml", "# mine\nglobal:\n  tag: 1.31.0-debug\n");
    studio.write(
      "templates/mine.hbs",
      "metadata:\n  labels:\n    a: {{> proxy-image}}\n    b: {{values.global.tag}}\n",
    );
    const page = await studio.visit();
    await open(page, "templates/mine");
    await editor(page)
      .getByText("proxy-image")
      .click({ modifiers: ["Control"] });
    await expect.poll(() => page.locator("main h2").textContent()).toBe("partials/proxy-image");
    await open(page, "templates/mine");
    await editor(page).getByText("values.global.tag").click();
    await page.keyboard.press("F12");
    await expect.poll(() => page.locator("main h2").textContent()).toBe("values/50-image");
    expect(await page.locator("main .cm-activeLine").textContent()).toBe("  tag: 1.31.0-debug");
    await page.keyboard.press("Control+P");
    await page.keyboard.insertText("values.global.tag");
    await page.getByRole("button", { name: "4 b: {{values.global.tag}}" }).click();
    expect(await page.locator("main .cm-activeLine").textContent()).toBe("    b: {{values.global.tag}}");
  });

  itInTurn("says what a setting takes, and completes its key and its value", async () => {
    studio.write("values/50-mine.yaml", "global:\n  proxy:\n    logLevel: debug\n");
    const page = await studio.visit();
    await open(page, "values/50-mine");
    await page.getByText("Impact: ").waitFor();
    const tooltip = page.locator(".cm-tooltip-hover");
    await editor(page).getByText("logLevel").hover();
    await tooltip.getByText('Takes "", trace, debug, info, warning, warn, error, critical or off').waitFor();
    await editor(page).click();
    await page.keyboard.press("Control+End");
    await page.keyboard.type("    privil");
    const completions = page.locator(".cm-tooltip-autocomplete");
    await completions.getByText("privileged").waitFor();
    // A list that has just opened takes no key yet.
    await page.waitForTimeout(200);
    await page.keyboard.press("Enter");
    await page.keyboard.press("Control+Space");
    await completions.getByText("false").waitFor();
    await page.waitForTimeout(200);
    await page.keyboard.press("Enter");
    await expect.poll(() => editor(page).textContent()).toMatch(/privileged: (?:true|false)$/);
    await open(page, "mesh");
    await replaceText(page, "defaultConfig:\n  statusPort: 15020\n");
    await editor(page).getByText("statusPort").hover();
    await tooltip.getByText("Takes a port from 1 to 65535").waitFor();
  });

  itInTurn(
    "shows a value and where it is set, finds its usages, and renames it in all files, which can be taken back",
    async () => {
      studio.write("values/50-mine.yaml", "# mine\nmine:\n  label: hello\n");
      studio.write("templates/mine.hbs", "metadata:\n  labels:\n    a: {{values.mine.label}}\n");
      studio.write("partials/own.hbs", "b: {{values.mine.label}}\n");
      studio.write("templates/other.hbs", "metadata:\n  labels:\n    {{> own}}\n    c: {{values.mine.labels}}\n");
      const page = await studio.visit();
      await open(page, "templates/mine");
      await page.getByText("Impact: 0 of").waitFor();
      await editor(page).getByText("values.mine.label").hover();
      const tooltip = page.locator(".cm-tooltip-hover");
      await tooltip.getByText('"hello"').waitFor();
      expect(await tooltip.textContent()).toContain("Value mine.label: values/50-mine, line 3");
      await tooltip.getByRole("button").click();
      const usages = page.getByRole("region", { name: "Where mine.label is named" });
      const lines = () => usages.locator(".found").allInnerTexts();
      expect(await lines()).toEqual([
        expect.stringMatching(/^3\s+label: hello$/),
        expect.stringMatching(/^1\s+b: \{\{values\.mine\.label\}\}$/),
        expect.stringMatching(/^3\s+a: \{\{values\.mine\.label\}\}$/),
      ]);
      await editor(page).getByText("values.mine.label").click();
      await page.keyboard.press("F2");
      await page.locator(".usages input:focus").waitFor();
      await page.keyboard.insertText("title");
      await page.keyboard.press("Enter");
      await page.getByText("Renamed in 3 places.").waitFor();
      await page.getByText("Save 3 edits").waitFor();
      expect(await editor(page).textContent()).toContain("a: {{values.mine.title}}");
      await page.getByRole("button", { name: "Undo" }).click();
      await page.getByText("Nothing to save").waitFor();
      expect(await editor(page).textContent()).toContain("a: {{values.mine.label}}");
      // Also file by file, after the message is gone; a partial takes its entry along.
      await open(page, "templates/other");
      await editor(page).getByText("> own").click();
      await page.keyboard.press("F2");
      await page.locator(".usages input:focus").waitFor();
      await page.keyboard.insertText("ours");
      await page.keyboard.press("Enter");
      await page.keyboard.press("Control+S");
      await page.getByText("Nothing to save").waitFor();
      expect(studio.read("partials/ours.hbs")).toBe("b: {{values.mine.label}}\n");
      expect(studio.read("templates/other.hbs")).toContain("{{> ours}}");
      expect(() => studio.read("partials/own.hbs")).toThrow();
      // The files that were opened are a click away.
      await page
        .getByRole("list", { name: "Open files" })
        .getByRole("button", { name: "templates/mine" })
        .first()
        .click();
      expect(await page.locator("main h2").textContent()).toBe("templates/mine");
      await page.getByRole("button", { name: "Close templates/mine" }).click();
      expect(await page.locator("main h2").textContent()).toBe("templates/other");
    },
  );

  itInTurn("names the values entry behind a line of the pod, and leads there", async () => {
    studio.write("values/50-image.yaml", "# mine\nglobal:\n  tag: 1.31.0-debug\n");
    const page = await studio.visit();
    await open(page, "values/00-default");
    const row = page.locator(".change-row").filter({ hasText: "proxyv2:1.31.0-debug" }).first();
    await row.getByRole("button", { name: "50-image:3" }).click();
    expect(await page.locator("main h2").textContent()).toBe("values/50-image");
    expect(await page.locator("main .cm-activeLine").textContent()).toBe("  tag: 1.31.0-debug");
  });

  itInTurn("names the shipped values behind a line that is pointed at", async () => {
    const page = await studio.visit();
    await page.locator(".change-row .origin").first().hover();
    await page.locator('.origin[title*="Value global.tag: values/00-default, line "]').first().waitFor();
  });

  itInTurn("completes helpers with their arguments, paths that exist, and names of blocks", async () => {
    const page = await studio.visit();
    await page.getByText("Impact: 0 of").waitFor();
    await open(page, "proxy-image");
    await replaceText(page, "");
    const options = page.locator(".cm-tooltip-autocomplete li");
    const call = page.locator(".callable.cm-tooltip");
    const option = (label: string) => options.filter({ has: page.getByText(label, { exact: true }) });
    /** The option, which the list offers as one types; on a busy machine, a key may come before what it completes is known. */
    const offered = async (label: string) => {
      for (let asked = 0; asked < 4; asked++) {
        const isThere = await option(label)
          .waitFor({ timeout: 8000 })
          .then(() => true)
          .catch(() => false);
        if (isThere) break;
        await page.keyboard.press("Control+Space");
      }
      await option(label).waitFor();
      return option(label);
    };
    // A helper, and what each of its arguments means while it is written.
    await page.keyboard.type("image: {{annot");
    // A click, because the keys of the list are ignored for the first moments that it is there.
    await (await offered("annotation")).getByText("metadata name default").click();
    await call.locator("strong").getByText("metadata", { exact: true }).waitFor();
    expect(await call.textContent()).toContain("annotation metadata name defaultmetadatathe pod's metadata");
    await page.keyboard.type('metadata "a" ');
    await call.locator("strong").getByText("default", { exact: true }).waitFor();
    // Paths that the values, the mesh configuration and its proxy configuration have.
    for (const [typed, path] of [
      ["values.global.hu", "values.global.hub"],
      ["meshConfig.defaultConfig.discovery", "meshConfig.defaultConfig.discoveryAddress"],
      ["proxyConfig.discovery", "proxyConfig.discoveryAddress"],
    ] as const) {
      await page.keyboard.type(typed);
      await offered(path);
      for (const _letter of typed) await page.keyboard.press("Backspace");
    }
    await page.keyboard.type("}}");
    expect(await editor(page).textContent()).toBe('image: {{annotation metadata "a" }}');
    // In a block, and in a subexpression of a condition in it.
    await replaceText(page, "");
    await page.keyboard.type("{{#ea");
    await (await offered("each")).click();
    await page.keyboard.type("spec.containers as |box|}}{{#if (e");
    await (await offered("eq")).getByText("value other…").waitFor();
    await page.keyboard.type("q b");
    await (await offered("box")).click();
    await page.keyboard.type(" ");
    await call.getByText("the values that it may equal").waitFor();
    await page.keyboard.press("Escape");
    await call.waitFor({ state: "detached" });
    // Partials.
    await replaceText(page, "");
    await page.keyboard.type("{{> proxy-ar");
    await offered("proxy-args");
  });

  itInTurn("previews what is dropped or pasted on the page, whatever kind of workload it is", async () => {
    const page = await studio.visit();
    const job = (image: string) =>
      `apiVersion: batch/v1\nkind: CronJob\nmetadata:\n  name: nightly\nspec:\n  schedule: "0 0 * * *"\n  jobTemplate:\n    spec:\n      template:\n        spec:\n          restartPolicy: Never\n          containers:\n          - name: main\n            image: ${image}\n`;
    // In the page: a file dropped on it, and a text pasted.
    await page.evaluate(`{
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([${JSON.stringify(job("registry.example/dropped:1"))}], "job.yaml"));
      document.body.dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }));
    }`);
    await whole(page);
    await injected(page).getByText("registry.example/dropped:1").waitFor();
    await page.evaluate(`{
      const clipboardData = new DataTransfer();
      clipboardData.setData("text/plain", ${JSON.stringify(job("registry.example/pasted:1"))});
      document.body.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
    }`);
    await injected(page).getByText("registry.example/pasted:1").waitFor();
    expect(await page.getByTestId("pod").textContent()).toContain("Your manifest");
  });

  itInTurn("previews a manifest that is written in its place, and says why a pod is not injected", async () => {
    const page = await studio.visit();
    // With nothing to preview yet, the place to write it is shown.
    await choosePod(page, "manifest");
    const pod =
      "apiVersion: v1\nkind: Pod\nmetadata:\n  name: mine\n  labels:\n    sidecar.istio.io/inject: 'false'\nspec:\n  containers:\n  - name: a\n    image: b\n";
    await page.getByRole("textbox", { name: "Manifest" }).fill(pod);
    await page.locator(".decision").getByText("Not injected").waitFor();
    await page.getByText("the pod opts out").waitFor();
    await page.getByText("Why?").click();
    const row = page.locator(".decision-row tbody td");
    expect(await row.allTextContents()).toEqual(["no", "other", '"false"', "any", "known"]);
  });

  itInTurn("measures what an edit changes, grouped by identical change", async () => {
    studio.runs(WORKLOADS);
    const page = await studio.visit();
    await page.getByText("Impact: 0 of").waitFor();
    await open(page, "proxy-image");
    await replaceText(page, "image: registry.example/mine:2\n");
    await page.getByText("200 of 200 pods running in prod").click();
    await page.locator(".impact summary").first().waitFor();
    const names = await page.locator(".impact summary").allInnerTexts();
    expect(names.join(" ")).toMatch(/samples\/plain-pod/);
    expect(names[0]).toMatch(
      /^200 pods in 50 workloads would change in this way\s+shop\/Deployment web-0, .* and 42 more$/m,
    );
    await choosePod(page, "shop/Deployment web-7");
    await changes(page).getByText("registry.example/mine:2").first().waitFor();
  });

  /** The fragment of a link from the playground. */
  const linkTo = (text: string) => {
    const own = { "partials/proxy-image": text };
    const pod = { kind: "sample", name: "plain-pod" } as const;
    const state = JSON.stringify({ own, pod, path: "partials/proxy-image" });
    return `#s1.${deflateRawSync(state).toString("base64url")}`;
  };

  itInTurn("opens a shared link with its edits", async () => {
    const page = await studio.visit();
    await open(page, "proxy-image");
    await replaceText(page, "image: registry.example/shared:1\n");
    // An address of this machine is no link for others.
    expect(await page.getByRole("button", { name: "Copy link" }).count()).toBe(0);
    const other = await studio.visit({ fragment: linkTo("image: registry.example/shared:1\n") });
    // It is compared, and taken on request.
    await other
      .getByRole("dialog")
      .locator(".cm-changedLine, .cm-insertedLine")
      .getByText("shared:1")
      .first()
      .waitFor();
    await other.getByText("Nothing to save").waitFor();
    await other.getByRole("button", { name: "Take 1 edit" }).click();
    await other.getByText("Save 1 edit").waitFor();
    await changes(other).getByText("registry.example/shared:1").first().waitFor();
    expect(studio.complaints).toEqual([]);
  });

  itInTurn("starts from an example: its entries become edits, and saved entries stay", async () => {
    studio.write("mesh.yaml", "accessLogFile: /dev/null\n");
    studio.write("partials/proxy-image.hbs", "image: registry.example/mine:1\n");
    const page = await studio.visit();
    await page.getByRole("button", { name: "Examples…" }).click();
    const choice = page.getByRole("dialog").getByRole("listitem").filter({ hasText: "Log shipper" });
    // The example has no mesh: yours stays.
    expect(await choice.getByText("Replaces the text of your mesh.").count()).toBe(0);
    await choice.getByRole("button", { name: "Start from this" }).click();
    await changes(page).getByText("fluent-bit").first().waitFor();
    await page.keyboard.press("Control+S");
    await page.getByText("Nothing to save").waitFor();
    expect(studio.read("templates/log-shipper.hbs")).toBe(
      readFileSync("docs/examples/log-shipper/templates/log-shipper.hbs", "utf8"),
    );
    expect(studio.read("partials/proxy-image.hbs")).toBe("image: registry.example/mine:1\n");
    expect(studio.read("mesh.yaml")).toBe("accessLogFile: /dev/null\n");
  });

  it("keeps unsaved edits through a reload", async () => {
    const page = await studio.visit();
    await open(page, "proxy-image");
    await replaceText(page, "image: registry.example/kept:1\n");
    await page.getByText("Save 1 edit").waitFor();
    await page.reload();
    await page.getByText("Save 1 edit").waitFor();
  });

  it("compares a link with one's own edits, and asks before the tab closes with them", async () => {
    const page = await studio.visit();
    await open(page, "proxy-image");
    await replaceText(page, "image: registry.example/linked:1\n");
    await page.getByText("Save 1 edit").waitFor();
    const link = linkTo("image: registry.example/linked:1\n");
    await replaceText(page, "image: registry.example/mine:2\n");
    const asked: string[] = [];
    page.on("dialog", (dialog) => {
      asked.push(dialog.type());
      // The page may be gone before the answer is.
      dialog.accept().catch(() => {});
    });
    // The same address again is no step of the browser.
    const follow = () => page.evaluate(`history.replaceState(null, "", "#"); location.hash = "${link}"`);
    await follow();
    const sheet = page.getByRole("dialog");
    await sheet.getByRole("button", { name: "Close", exact: true }).last().click();
    expect(await editor(page).textContent()).toContain("mine:2");
    await follow();
    await sheet.getByRole("button", { name: "Take 1 edit" }).click();
    await editor(page).getByText("linked:1").waitFor();
    expect(asked).toEqual([]);
    await page.close({ runBeforeUnload: true });
    await expect.poll(() => asked).toContain("beforeunload");
  });

  it("loses nobody's edit where two people edit the same entry", async () => {
    const [mine, theirs] = [await studio.visit(), await studio.visit()];
    for (const [page, text] of [
      [mine, "image: registry.example/mine:1\n"],
      [theirs, "image: registry.example/theirs:1\n"],
    ] as const) {
      await open(page, "proxy-image");
      await replaceText(page, text);
      await page.getByText("Save 1 edit").waitFor();
    }
    await theirs.keyboard.press("Control+S");
    await theirs.getByText("Nothing to save").waitFor();
    await mine.getByText("has been changed by another user").first().waitFor();
    expect(studio.read("partials/proxy-image.hbs")).toBe("image: registry.example/theirs:1\n");
    const both = await mine.locator(".merge .cm-content").allInnerTexts();
    expect(both).toEqual([expect.stringContaining("mine:1"), expect.stringContaining("theirs:1")]);
    // Merged by hand: their text copied over, and a line of one's own.
    await mine.locator(".cm-merge-revert button").first().click();
    const merged = mine.locator(".merge .cm-content").first();
    expect(await merged.textContent()).toContain("theirs:1");
    await merged.click();
    await mine.keyboard.press("Control+End");
    await mine.keyboard.insertText("imagePullPolicy: Always\n");
    await mine.getByRole("button", { name: "Keep mine" }).click();
    await mine.keyboard.press("Control+S");
    await mine.getByText("Nothing to save").waitFor();
    expect(studio.read("partials/proxy-image.hbs")).toBe("image: registry.example/theirs:1\nimagePullPolicy: Always\n");
  });

  itInTurn("speaks Chinese to a Chinese browser, and changes the language on request", async () => {
    const page = await studio.visit({ locale: "zh-CN" });
    await page.getByRole("button", { name: "没有修改需要保存" }).waitFor();
    expect(await page.locator("html").getAttribute("lang")).toBe("zh-CN");
    await page.getByRole("button", { name: "English" }).click();
    await page.getByRole("button", { name: "Nothing to save" }).waitFor();
  });

  itInTurn("opens a phone at its top", async () => {
    const page = await studio.visit({ viewport: { width: 390, height: 844 } });
    await page.locator("main .cm-content").waitFor();
    expect(await page.evaluate("scrollY")).toBe(0);
    await page.evaluate("scrollTo(0, 100)");
    await open(page, "values/00-default");
    await page.getByRole("heading", { name: "values/00-default", exact: true }).waitFor({ state: "attached" });
    expect(await page.locator(".file-tabs .open").textContent()).toContain("values/00-default");
  });

  itInTurn("offers no button that can never save", async () => {
    const page = await studio.visit();
    await page.route("**/api/workspace*", async (route) => {
      const answer = await route.fetch();
      await route.fulfill({ response: answer, json: { ...objectOf(await answer.json()), canSave: false } });
    });
    await page.reload();
    await open(page, "proxy-image");
    await replaceText(page, "image: registry.example/mine:2\n");
    await page.getByText("1 edit on this machine only").waitFor();
    expect(await page.locator(".head .primary").count()).toBe(0);
    await page.keyboard.press("Control+S");
    await page.getByText("Not saved: start the studio with --dir DIR").waitFor();
  });

  itInTurn("says in Chinese what failed, and then the tool's own words, marked as English", async () => {
    const page = await studio.visit({ locale: "zh-CN" });
    expect(await page.locator(".toast").isVisible()).toBe(false);
    const message = "Cannot write partials/proxy-image: not allowed to call ssm:PutParameter";
    const body = JSON.stringify({ code: "store-denied", message });
    await page.route("**/api/entries", (route) =>
      route.fulfill({ status: 422, contentType: "application/json", body }),
    );
    await open(page, "proxy-image");
    await replaceText(page, "image: registry.example/mine:1\n");
    await page.keyboard.press("Control+S");
    const toast = page.locator(".toast");
    await toast.getByText("失败：没有访问 Parameter Store 的权限").waitFor();
    expect(await toast.locator("[lang=en]").textContent()).toContain(message);
    // Chromium reports the answer too.
    expect(studio.complaints.splice(0)).toEqual([expect.stringContaining("422")]);
  });
});
