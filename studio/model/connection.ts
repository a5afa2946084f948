// The local API of the command line tool, on loopback: what is asked of it, whether it answers, and how old what it says is. Times are
// milliseconds since 1970.

import { objectOf } from "@outrigger/base";
import { signal } from "@preact/signals";
import { ApiError } from "./failure.ts";

export async function askApi(path: string, init?: RequestInit): Promise<unknown> {
  const response = await fetch(path, { credentials: "same-origin", ...init });
  const value: unknown = await response.json();
  if (response.ok || response.status === 409) return value;
  const { code = "", message = response.statusText, detail } = objectOf(value);
  const words = String(message);
  throw new ApiError({ code: String(code), words, detail: detail === undefined ? undefined : String(detail) });
}

export function sending(method: "PUT" | "POST", value: unknown): RequestInit {
  return { method, headers: { "content-type": "application/json" }, body: JSON.stringify(value) };
}

/** The server does not answer, or does not know this page any more. */
export const isLost = signal(false);

/** The time of the server's last look for changes: what is shown is as old as that. */
export const lookedAt = signal(Date.now());

/** Milliseconds of silence after which a server is lost: it says something every 5 seconds. */
const SILENCE = 15_000;

/** Milliseconds before another try. */
const RETRY = 2000;

/**
 * Listens to the server for as long as the page is open.
 *
 * @param onChange called, too, when it answers again: something may have been missed
 */
export function listen(onChange: () => void): void {
  let events: EventSource | undefined;
  let heardAt = Date.now();
  const heard = () => {
    heardAt = Date.now();
    if (!isLost.value) return;
    isLost.value = false;
    onChange();
  };
  const connect = () => {
    events?.close();
    events = new EventSource("/api/changes");
    events.onopen = heard;
    events.addEventListener("beat", ({ data }: MessageEvent<string>) => {
      lookedAt.value = Number(data);
      heard();
    });
    events.onmessage = () => {
      lookedAt.value = Date.now();
      heard();
      onChange();
    };
    events.onerror = () => {
      isLost.value = true;
    };
  };
  connect();
  setInterval(() => {
    if (Date.now() - heardAt > SILENCE) isLost.value = true;
    // The browser tries again by itself, but not after an answer that refuses it.
    if (isLost.value) connect();
  }, RETRY);
}
