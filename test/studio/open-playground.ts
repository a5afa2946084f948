// The playground as `node --import tsx scripts/build/build-playground.ts` makes it, on a server that serves files and nothing else.
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { promisify } from "node:util";
import type { Browser, Page } from "playwright-core";
import { closing, listening } from "../support/loopback.ts";
import { closeContexts } from "./close-contexts.ts";
import { PATIENCE } from "./find-chromium.ts";

export interface OpenPlayground {
  readonly origin: string;
  readonly visit: (fragment?: string) => Promise<Page>;
  /** Every address that a page or its workers asked for. */
  readonly requests: readonly string[];
  /** Errors of scripts. */
  readonly complaints: readonly string[];
  readonly close: () => Promise<void>;
}

const TYPES: Readonly<Record<string, string>> = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css" };

export async function openPlayground(browser: Browser): Promise<OpenPlayground> {
  const directory = mkdtempSync(join(tmpdir(), "outrigger-playground-"));
  await promisify(execFile)(process.execPath, ["--import", "tsx", "scripts/build/build-playground.ts", directory]);
  const server = createServer(({ url = "/" }, response) => {
    const name = url === "/" ? "/index.html" : url;
    try {
      response.setHeader("content-type", TYPES[extname(name)] ?? "application/octet-stream");
      response.end(readFileSync(join(directory, name)));
    } catch {
      response.writeHead(404).end();
    }
  });
  const origin = `http://127.0.0.1:${await listening(server)}`;
  const context = await browser.newContext({ locale: "en-GB", viewport: { width: 1440, height: 900 } });
  const requests: string[] = [];
  const complaints: string[] = [];
  context.on("request", (request) => requests.push(request.url()));
  return {
    origin,
    requests,
    complaints,
    async visit(fragment = "") {
      const page = await context.newPage();
      page.setDefaultTimeout(PATIENCE);
      page.on("pageerror", (error) => complaints.push(error.message));
      await page.goto(`${origin}/${fragment}`);
      await page.waitForSelector(".changes .added");
      return page;
    },
    async close() {
      await closeContexts([context]);
      await closing(server);
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
