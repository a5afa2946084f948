// What a page asks for until the first preview is on the screen: how many requests wait for one another, and how much they bring.
import type { CDPSession, Page } from "playwright-core";

/** Figures that no load of the machine changes. */
export interface PageLoad {
  /** Requests of which each waits for the one before: the longest row. */
  readonly inRow: number;
  /** Paths of the requests, in their order. */
  readonly asked: readonly string[];
  /** Bytes of the scripts. */
  readonly script: number;
}

/** A request in playwright-core's protocol, as far as it is used. */
interface Sent {
  readonly requestId: string;
  readonly request: { readonly url: string };
  readonly wallTime: number;
  readonly redirectResponse?: unknown;
  readonly initiator: {
    readonly url?: string;
    readonly stack?: { readonly callFrames: readonly { readonly url: string }[] };
  };
}

/** A script that the page runs before its own: `shown` becomes the times at which the frame with the first injected pod begins and ends. */
export const WATCH = `globalThis.shown = new Promise((resolve) => {
  new MutationObserver((_changes, observer) => {
    if (document.querySelector(".changes .added") === null) return;
    observer.disconnect();
    requestAnimationFrame(() => {
      const begun = performance.now();
      setTimeout(() => resolve([begun, performance.now()]));
    });
  }).observe(document, { childList: true, subtree: true });
});`;

/**
 * Opens a page, and looks at its requests.
 *
 * @param url as `outrigger studio` prints it
 */
export async function measureLoad(page: Page, url: string): Promise<PageLoad> {
  const session: CDPSession = await page.context().newCDPSession(page);
  const sent: Sent[] = [];
  const bytes = new Map<string, number>();
  session.on("Network.requestWillBeSent", (event) => void sent.push(event));
  session.on("Network.dataReceived", ({ requestId, dataLength }) => {
    bytes.set(requestId, (bytes.get(requestId) ?? 0) + dataLength);
  });
  await session.send("Network.enable");
  await page.addInitScript(WATCH);
  await page.goto(url);
  const begun = await page.evaluate<number>("shown.then(([frame]) => performance.timeOrigin + frame)");
  const before = sent.filter(({ wallTime, request }) => wallTime * 1000 <= begun && request.url.startsWith("http"));
  const scripts = before.filter(({ request }) => request.url.endsWith(".js"));
  return {
    inRow: Math.max(...rowsOf(before)),
    asked: before.map(({ request }) => new URL(request.url).pathname),
    script: scripts.reduce((sum, { requestId }) => sum + (bytes.get(requestId) ?? 0), 0),
  };
}

/** Returns for each request how many are in the row that it ends: itself, and those that it waited for. */
function rowsOf(sent: readonly Sent[]): readonly number[] {
  const rows: number[] = [];
  const last = new Map<string, number>();
  for (const { requestId, request, redirectResponse, initiator } of sent) {
    const from = initiator.url ?? initiator.stack?.callFrames[0]?.url ?? "";
    const before = redirectResponse === undefined ? (last.get(from) ?? 0) : (last.get(requestId) ?? 0);
    rows.push(before + 1);
    last.set(requestId, before + 1).set(request.url, before + 1);
  }
  return rows;
}
