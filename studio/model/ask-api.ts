// The local API of the command line tool, on loopback.

import { objectOf } from "@outrigger/base";
import { ApiError } from "./failure.ts";

/** Asks the local API. */
export async function askApi(path: string, init?: RequestInit): Promise<unknown> {
  const response = await fetch(path, { credentials: "same-origin", ...init });
  const value: unknown = await response.json();
  if (response.ok || response.status === 409) return value;
  const { code = "", message = response.statusText, detail } = objectOf(value);
  throw new ApiError(String(code), String(message), detail === undefined ? undefined : String(detail));
}

/** A request with a body of JSON. */
export function sending(method: "PUT" | "POST", value: unknown): RequestInit {
  return { method, headers: { "content-type": "application/json" }, body: JSON.stringify(value) };
}
