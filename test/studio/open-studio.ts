// A studio on a new directory, and a browser page in it that reports every error.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { defined } from "@outrigger/base";
import { directoryWorkspace, readPage, startStudio } from "@outrigger/cli";
import { readExampleTrees, readSourceTree } from "@outrigger/publisher";
import type { ClusterWorkload } from "@outrigger/studio";
import type { Browser, Page } from "playwright-core";
import { PAGE } from "./build-page.ts";
import { closeContexts } from "./close-contexts.ts";
import { PATIENCE } from "./find-chromium.ts";

export interface OpenStudio {
  readonly url: string;
  readonly directory: string;
  /** Writes a file of the tree behind the studio's back. */
  readonly write: (file: string, text: string) => void;
  readonly read: (file: string) => string;
  /** What the cluster `prod` runs in pages that are opened from now on: nothing, until this is called. */
  readonly runs: (workloads: readonly ClusterWorkload[]) => void;
  /** A page of its own, as another person has. */
  readonly visit: (options?: VisitOptions) => Promise<Page>;
  /** The complaints of pages: errors of scripts, refused loads. */
  readonly complaints: string[];
  readonly close: () => Promise<void>;
}

export interface VisitOptions {
  readonly fragment?: string;
  readonly scheme?: "light" | "dark";
  readonly locale?: string;
  readonly viewport?: { readonly width: number; readonly height: number };
  /** Runs in the page before its own scripts. */
  readonly script?: string;
}

const SIZE = { width: 1440, height: 900 };

/** 200 pods of workloads that differ by their names alone. */
export const WORKLOADS: readonly ClusterWorkload[] = Array.from({ length: 50 }, (_, at) => ({
  name: `Deployment web-${at}`,
  namespace: "shop",
  pods: 4,
  isSent: true,
  pod: { metadata: { labels: { app: `web-${at}` } }, spec: { containers: [{ name: "web", image: "web:1" }] } },
  owner: { name: `web-${at}`, namespace: "shop", kind: "Deployment", apiVersion: "apps/v1" },
  parameters: {},
}));

/** @param name what the page calls the directory, if not its path */
export async function openStudio(browser: Browser, name?: string): Promise<OpenStudio> {
  const directory = mkdtempSync(join(tmpdir(), "outrigger-studio-"));
  let running: readonly ClusterWorkload[] = [];
  const workspace = directoryWorkspace(directory, () => readSourceTree("templates"));
  const studio = await startStudio({
    port: 0,
    page: await readPage(PAGE),
    workspace: { ...workspace, read: async () => ({ ...(await workspace.read()), ...defined({ name }) }) },
    examples: () => readExampleTrees("docs/examples"),
    cluster: { name: "prod", workloads: async () => running },
  });
  const complaints: string[] = [];
  const pages: Page[] = [];
  return {
    url: studio.url,
    directory,
    complaints,
    write(file, text) {
      mkdirSync(dirname(join(directory, file)), { recursive: true });
      writeFileSync(join(directory, file), text);
    },
    runs(workloads) {
      running = workloads;
    },
    read: (file) => readFileSync(join(directory, file), "utf8"),
    async visit({ fragment = "", scheme = "light", locale = "en-GB", viewport = SIZE, script = "" } = {}) {
      const context = await browser.newContext({ colorScheme: scheme, locale, viewport });
      const page = await context.newPage();
      page.setDefaultTimeout(PATIENCE);
      await page.addInitScript(script);
      pages.push(page);
      page.on("pageerror", (error) => complaints.push(error.message));
      page.on("console", (message) => {
        if (message.type() === "error") complaints.push(message.text());
      });
      await page.goto(studio.url);
      if (fragment !== "") await page.goto(`${new URL(studio.url).origin}/${fragment}`);
      await page.waitForSelector(".changes .added");
      return page;
    },
    async close() {
      await closeContexts(pages.map((page) => page.context()));
      await studio.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
